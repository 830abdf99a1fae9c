import { nthDouble, nthUnsigned } from '../../../lib/nth.ts';
import { DRAWS, draw24, hash, pick, scramble, shareTable } from '../random.ts';
import { arrivals, type DayNoise } from './day-noise.ts';
import { campaigns, countries, type Profile } from './profiles.ts';
import { type SegmentColumn, segmentsOf } from './segments-and-goals.ts';
import { type DeviceId, emptyDay, firstOf, SESSION_STREAMS, type SessionDay } from './session-day.ts';
import { expectedVisits } from './traffic.ts';

/** A campaign of a story: its sessions are the lanes after the usual ones, all first visits. */
export interface Boost {
  readonly deviceId: DeviceId;
  /** Index in `countries`. */
  readonly country: number;
  readonly source: number;
  readonly campaign: number;
  /** Sessions that it brings for each usual one. */
  readonly addedShare: number;
}

/** Days between two visits of a returning visitor. */
const RHYTHMS = [1, 2, 3, 5, 7, 10, 14, 21];
/** Larger than any day's number of sessions, and prime: stepping by it reaches every lane once. */
const STRIDE = 1_000_003;
const ONCE = 0xffff;
const LANES = 0x71;
const ENGLISH = 2;

/** Platform, browser and share among the sessions of a device, by `DeviceId`. */
const equipment: readonly (readonly (readonly [platform: number, browser: number, share: number])[])[] = [
  [[0, 0, 1]],
  [
    [1, 1, 0.38],
    [1, 4, 0.16],
    [1, 3, 0.09],
    [2, 2, 0.16],
    [2, 1, 0.12],
    [2, 3, 0.03],
    [3, 3, 0.03],
    [3, 1, 0.03],
  ],
  [
    [4, 2, 0.42],
    [4, 1, 0.07],
    [6, 1, 0.4],
    [6, 5, 0.09],
    [6, 3, 0.02],
  ],
  [
    [5, 2, 0.62],
    [6, 1, 0.26],
    [6, 5, 0.12],
  ],
  [
    [4, 0, 0.47],
    [6, 0, 0.53],
  ],
  [
    [5, 0, 0.68],
    [6, 0, 0.32],
  ],
];
const equipmentTables = equipment.map((sets) => shareTable(sets.map(([, , share]) => share)));
const platformOf = equipment.map((sets) => Uint8Array.from(sets, ([platform]) => platform));
const browserOf = equipment.map((sets) => Uint8Array.from(sets, ([, browser]) => browser));
const languageOf = Uint8Array.from(countries, ({ language }) => language);
const noTable = shareTable([1]);

/** How many places of a day's list are looked at, and what becomes of them. */
export interface Lanes {
  /** Usual visitors before thinning, then the sessions of the boost. */
  readonly usual: number;
  readonly boosted: number;
  /** Share of the usual ones that come, by `DeviceId`. */
  readonly kept: readonly number[];
}

/**
 * Fills 64-bit users, the number of their visit, their device and the session's hash; source and campaign for the sessions of a boost. A
 * lane is a place of the day's list. Its users take turns, each coming every few days for some visits and then never again, so that a day
 * is known without the days before it. Returns how many sessions there are, the others having stayed away.
 */
function fillUsers(day: SessionDay, profile: Profile, worldHash: number, lanes: Lanes, noise: DayNoise, boost: Boost | null): number {
  const { dayNumber } = day;
  const count = lanes.usual + lanes.boosted;
  const stride = STRIDE % Math.max(count, 1);
  // Two streams, because 32 bits would give some visitors the same id.
  const highStream = scramble(worldHash ^ 0x51ed270b);
  const lowStream = scramble(worldHash ^ 0x2545f491);
  const slots = Uint16Array.from(RHYTHMS, (rhythm) => dayNumber % rhythm);
  const rounds = Uint16Array.from(RHYTHMS, (rhythm) => Math.floor(dayNumber / rhythm));
  const devices = shareTable(profile.deviceShare);
  const kept = Float64Array.from(lanes.kept, (share) => share * DRAWS);
  const once = profile.onceShare * noise.once * DRAWS;
  const world = worldHash | 0;
  const today = Math.imul(dayNumber, SESSION_STREAMS.date);
  const mostAgain = profile.mostVisits - 1;
  let index = 0;
  let lane = -stride;
  for (let looked = 0; looked < count; looked += 1) {
    lane += stride;
    if (lane >= count) lane -= count;
    const place = Math.imul(lane + 1, SESSION_STREAMS.visitor);
    const isBoosted = lane >= lanes.usual && boost !== null;
    const habit = scramble(world + place);
    let slot = dayNumber;
    let turn = ONCE;
    let visit = 1;
    if (!isBoosted && habit >>> 8 >= once) {
      const rest = draw24(habit);
      const visits = 2 + ((rest >>> 12) % mostAgain);
      slot = nthUnsigned(slots, rest & 7);
      const round = nthUnsigned(rounds, rest & 7) + ((rest >>> 3) & 0xff) + slot;
      turn = (round / visits) | 0;
      visit = round - turn * visits + 1;
    }
    const turnOfSlot = (slot << 16) | turn;
    const low = scramble(scramble(lowStream + place) + turnOfSlot);
    const deviceId = isBoosted ? boost.deviceId : pick(devices, scramble(low ^ SESSION_STREAMS.equipment));
    const session = scramble(low + today);
    if (!isBoosted && draw24(session ^ SESSION_STREAMS.absence) >= nthDouble(kept, deviceId)) continue;
    const high = scramble(scramble(highStream + place) + turnOfSlot);
    if (isBoosted) {
      day.source[index] = boost.source;
      day.campaign[index] = boost.campaign;
    }
    // Between 2^62 and 2^63: beyond what a double holds, within a signed 64-bit integer.
    day.userHigh[index] = (high >>> 2) | 0x4000_0000;
    day.userLow[index] = low;
    day.deviceId[index] = deviceId;
    day.sessionNumber[index] = visit;
    day.seed[index] = scramble(session ^ high);
    index += 1;
  }
  return index;
}

/** Fills country, language, browser and platform, which a user keeps as the device. */
function fillEquipment(day: SessionDay, profile: Profile, boost: Boost | null): void {
  const origins = shareTable(profile.countryShare);
  for (let index = 0; index < day.count; index += 1) {
    const low = nthUnsigned(day.userLow, index) | 0;
    const bits = scramble(low ^ SESSION_STREAMS.equipment);
    const deviceId = nthUnsigned(day.deviceId, index);
    // No usual session has a campaign before its origin is filled.
    const country = boost !== null && day.campaign[index] !== 0 ? boost.country : pick(origins, bits >>> 10);
    const set = pick(equipmentTables[deviceId] ?? noTable, bits >>> 20);
    day.country[index] = country;
    // One in sixteen reads in English in any country.
    day.language[index] = (low & 0xf) === 0 ? ENGLISH : (languageOf[country] ?? ENGLISH);
    day.platform[index] = platformOf[deviceId]?.[set] ?? 0;
    day.browser[index] = browserOf[deviceId]?.[set] ?? 0;
  }
}

/** The sessions of a day in order of time with their visitors, all other columns still zero. */
export function visitorsOf(profile: Profile, seed: number, dayNumber: number, noise: DayNoise, boost: Boost | null): SessionDay {
  const { deviceShare, projectId } = profile;
  const expected = expectedVisits(profile, dayNumber);
  const most = Math.max(...noise.visits);
  const factor = deviceShare.reduce((sum, share, device) => sum + share * (noise.visits[device] ?? 1), 0);
  const lanes = {
    usual: arrivals(expected * most, hash(seed, projectId, dayNumber, LANES)),
    boosted: arrivals(expected * factor * (boost?.addedShare ?? 0), hash(seed, projectId, dayNumber, LANES, 1)),
    kept: noise.visits.map((visits) => visits / most),
  };
  const places = emptyDay(projectId, dayNumber, lanes.usual + lanes.boosted);
  const day = firstOf(places, fillUsers(places, profile, hash(seed, projectId), lanes, noise, boost));
  fillEquipment(day, profile, boost);
  return day;
}

const DIRECT = 0;
const PAID_SEARCH = 2;
const NEWSLETTER = 3;
/** Newsletters go out on Tuesdays and Thursdays; that many sessions more come from them then. */
const MAILED_SHARE = 0.05;
/** Paid searches that a campaign paid for, against those without a name. */
const namedSearches = shareTable([0.6, 0.4]);

const SUMMER_SALE = campaigns.indexOf('summer-sale');
const BLACK_FRIDAY = campaigns.indexOf('black-friday');
const WEEKLY_NEWSLETTER = campaigns.indexOf('weekly-newsletter');
const BRAND_SEARCH = campaigns.indexOf('brand-search');

/** Campaign of the paid searches of a date: summer sale from 15 June to 31 July, Black Friday from 20 November to 2 December. */
function searchCampaign(date: Date): number {
  const monthDay = (date.getUTCMonth() + 1) * 100 + date.getUTCDate();
  if (monthDay >= 615 && monthDay <= 731) return SUMMER_SALE;
  return monthDay >= 1120 && monthDay <= 1202 ? BLACK_FRIDAY : BRAND_SEARCH;
}

/** Fills source and campaign of the sessions that have no campaign yet. */
export function fillOrigins(day: SessionDay, profile: Profile, date: Date): void {
  const mailed = [2, 4].includes(date.getUTCDay()) ? MAILED_SHARE : 0;
  const shares = shareTable(
    profile.sourceShare.map((share, source) => {
      if (source === NEWSLETTER) return share + mailed;
      return source === DIRECT ? share - mailed : share;
    }),
  );
  const search = searchCampaign(date);
  for (let index = 0; index < day.count; index += 1) {
    if (day.campaign[index] !== 0) continue;
    const bits = scramble(nthUnsigned(day.seed, index) ^ SESSION_STREAMS.origin);
    const source = pick(shares, bits);
    day.source[index] = source;
    if (source === NEWSLETTER) day.campaign[index] = WEEKLY_NEWSLETTER;
    else if (source === PAID_SEARCH && pick(namedSearches, bits >>> 10) === 0) day.campaign[index] = search;
  }
}

const VALUES = 256;

/** For each value of a column, the segments that it does not shut out. */
function passes(projectId: number, column: SegmentColumn): Uint16Array {
  const table = new Uint16Array(VALUES);
  for (const [bit, { rule }] of segmentsOf(projectId).entries()) {
    for (let value = 0; value < VALUES; value += 1) {
      if (rule[column]?.(value) ?? true) table[value] = nthUnsigned(table, value) | (1 << bit);
    }
  }
  return table;
}

function tablesOf(projectId: number): Record<SegmentColumn, Uint16Array> {
  const table = (column: SegmentColumn) => passes(projectId, column);
  return {
    sessionNumber: table('sessionNumber'),
    country: table('country'),
    source: table('source'),
    campaign: table('campaign'),
    platform: table('platform'),
    deviceId: table('deviceId'),
    browser: table('browser'),
  };
}

const known = new Map<number, Record<SegmentColumn, Uint16Array>>();

/** Fills the segments of each session from its other columns. */
export function fillSegments(day: SessionDay): void {
  const tables = known.get(day.projectId) ?? tablesOf(day.projectId);
  known.set(day.projectId, tables);
  for (let index = 0; index < day.count; index += 1) {
    day.segments[index] =
      nthUnsigned(tables.sessionNumber, nthUnsigned(day.sessionNumber, index)) &
      nthUnsigned(tables.country, nthUnsigned(day.country, index)) &
      nthUnsigned(tables.source, nthUnsigned(day.source, index)) &
      nthUnsigned(tables.campaign, nthUnsigned(day.campaign, index)) &
      nthUnsigned(tables.platform, nthUnsigned(day.platform, index)) &
      nthUnsigned(tables.deviceId, nthUnsigned(day.deviceId, index)) &
      nthUnsigned(tables.browser, nthUnsigned(day.browser, index));
  }
}
