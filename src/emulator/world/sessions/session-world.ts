import { LRUCache } from 'lru-cache';
import { DAY_MS, dayText } from '../../../lib/clock.ts';
import { nth, nthDouble, nthUnsigned } from '../../../lib/nth.ts';
import { DRAWS, draw24, exponential, hash, type Origin, pick, scramble, shareTable } from '../random.ts';
import { chanceTable, fillBehaviour } from './behaviour.ts';
import { arrivals, type DayNoise, dayNoise } from './day-noise.ts';
import { campaigns, countries, deviceIds, type Profile, profileOf } from './profiles.ts';
import { segmentColumns, segmentsOf } from './segments-and-goals.ts';
import {
  BYTES_PER_SESSION,
  type DeviceId,
  dayNumberOf,
  dayUpTo,
  emptyDay,
  firstOf,
  RETENTION_DAYS,
  SESSION_STREAMS,
  type SessionDay,
} from './session-day.ts';
import { type MetricStories, metricStories } from './stories.ts';

const SECONDS_PER_HOUR = 3_600;
/** Visits around Black Friday against a usual day, from the Monday before to the Tuesday after. */
const BLACK_FRIDAY_FACTORS = [1.12, 1.14, 1.2, 1.35, 2.15, 1.6, 1.55, 1.9, 1.2];
const CHRISTMAS = 0.42;

/** Days from the Friday after the fourth Thursday of November; negative before it. */
function daysFromBlackFriday(dayNumber: number, date: Date): number {
  const novemberFirst = Date.UTC(date.getUTCFullYear(), 10, 1);
  const weekday = new Date(novemberFirst).getUTCDay();
  const fourthThursday = novemberFirst / DAY_MS + ((11 - weekday) % 7) + 21;
  return dayNumber - fourthThursday - 1;
}

/** Factor of Black Friday week and of the days after the Christmas parcels have left. */
function sale(dayNumber: number, date: Date): number {
  const around = BLACK_FRIDAY_FACTORS[daysFromBlackFriday(dayNumber, date) + 4];
  if (around !== undefined) return around;
  const isChristmas = date.getUTCMonth() === 11 && date.getUTCDate() >= 23 && date.getUTCDate() <= 26;
  return isChristmas ? CHRISTMAS : 1;
}

/** The month's factor on its 15th, between two of them in proportion. */
function seasonOf(profile: Profile, date: Date): number {
  const position = date.getUTCMonth() + (date.getUTCDate() - 15) / 30.5;
  const before = Math.floor(position);
  const at = (month: number) => profile.month[(month + 12) % 12] ?? 1;
  return at(before) + (at(before + 1) - at(before)) * (position - before);
}

/** Mean number of sessions that begin on such a day, by weekday, season and the large sales; noise and campaigns come on top. */
function expectedVisits(profile: Profile, dayNumber: number): number {
  const date = new Date(dayNumber * DAY_MS);
  const weekday = profile.weekday[date.getUTCDay()] ?? 1;
  const special = profile.seasonal ? sale(dayNumber, date) : 1;
  return profile.visitsPerDay * weekday * seasonOf(profile, date) * special;
}

/** Fills the column of starts in ascending order, drawn from the hours as the profile says. */
function fillStarts(startSecond: Uint32Array, profile: Profile, dayHash: number): void {
  const { length } = startSecond;
  // Sums of exponential gaps, divided by the last, are uniform draws that come out sorted: which spares sorting.
  const sums = new Float64Array(length);
  let sum = 0;
  for (let index = 0; index < length; index += 1) {
    sum += exponential(scramble(dayHash + index) >>> 8);
    sums[index] = sum;
  }
  const whole = sum + exponential(scramble(dayHash + length) >>> 8);
  const total = profile.hours.reduce((all, share) => all + share, 0);
  let hour = 0;
  let before = 0;
  let share = nth(profile.hours, 0) / total;
  for (let index = 0; index < length; index += 1) {
    const position = nth(sums, index) / whole;
    while (position >= before + share && hour < 23) {
      before += share;
      hour += 1;
      share = nth(profile.hours, hour) / total;
    }
    const within = Math.min(SECONDS_PER_HOUR - 1, Math.floor(((position - before) / share) * SECONDS_PER_HOUR));
    startSecond[index] = hour * SECONDS_PER_HOUR + within;
  }
}

/** A campaign of a story: its sessions are the lanes after the usual ones, all first visits. */
interface Boost {
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
interface Lanes {
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
function visitorsOf(profile: Profile, seed: number, dayNumber: number, noise: DayNoise, boost: Boost | null): SessionDay {
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
function fillOrigins(day: SessionDay, profile: Profile, date: Date): void {
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

/** For each column and each of its values, the segments of a project that it does not shut out. */
function tablesOf(projectId: number) {
  const rules = segmentsOf(projectId).map(({ rule }) => rule);
  const bitsOf = (passes: (rule: (typeof rules)[number]) => boolean) =>
    rules.reduce((bits, rule, at) => (passes(rule) ? bits | (1 << at) : bits), 0);
  return segmentColumns.map((column) => {
    const table = Uint16Array.from({ length: VALUES }, (_, value) => bitsOf((rule) => rule[column]?.(value) ?? true));
    return { column, table };
  });
}

const segmentTables = new Map<number, ReturnType<typeof tablesOf>>();

/** Fills the segments of each session from its other columns. */
function fillSegments(day: SessionDay): void {
  const tables = segmentTables.get(day.projectId) ?? tablesOf(day.projectId);
  segmentTables.set(day.projectId, tables);
  day.segments.fill(0xffff);
  for (const { column, table } of tables) {
    const values = day[column];
    for (let index = 0; index < day.count; index += 1) {
      day.segments[index] = nthUnsigned(day.segments, index) & nthUnsigned(table, nthUnsigned(values, index));
    }
  }
}

/** Computes one whole day from seed and date; `twist` is what the stories do to it. */
function makeDay(profile: Profile, seed: number, dayNumber: number, twist: ReturnType<typeof twistOf>): SessionDay {
  const noise = dayNoise(profile, seed, dayNumber);
  const buying = { chances: chanceTable(profile, noise), fall: twist.fall, costs: twist.costs };
  const day = { ...visitorsOf(profile, seed, dayNumber, noise, twist.boost), buying };
  fillStarts(day.startSecond, profile, hash(seed, profile.projectId, dayNumber));
  fillOrigins(day, profile, new Date(dayNumber * DAY_MS));
  fillSegments(day);
  fillBehaviour(day, profile, noise);
  return day;
}

/** Days beyond this are computed again when needed: about half a year of all projects stays. */
const CACHE_BYTES = 48 * 1024 * 1024;

/** Days of the emulators in the process, by seed and start: a day is never changed, so that emulators that begin alike share it. */
const worlds = new LRUCache<string, LRUCache<string, SessionDay>>({
  max: 6,
  memoMethod: () => new LRUCache({ maxSize: CACHE_BYTES, sizeCalculation: ({ count }) => 2_000 + count * BYTES_PER_SESSION }),
});

const SOCIAL = 4;
const READER_BOOST = 5;

/** Changes by the stories on one day of a project. */
function twistOf({ conversionFall: fall, mixCampaign: mixed, costs }: MetricStories, projectId: number, dayNumber: number) {
  const date = dayText(dayNumber);
  const falls = projectId === fall.projectId && date >= fall.startDay;
  const isMixed = projectId === mixed.projectId && date >= mixed.startDay && date <= mixed.endDay;
  return {
    costs: costs.filter((cost) => cost.projectId === projectId),
    fall: falls
      ? {
          deviceIds: deviceIds[fall.device],
          factor: fall.factor,
          segmentBit: fall.segment ? 1 << segmentsOf(projectId).findIndex(({ id }) => id === fall.segment?.id) : 0,
          segmentFactor: fall.segment?.factor ?? fall.factor,
        }
      : null,
    boost: isMixed
      ? {
          deviceId: deviceIds[mixed.device][0],
          country: countries.findIndex(({ code }) => code === mixed.country),
          source: SOCIAL,
          campaign: READER_BOOST,
          addedShare: mixed.addedShare,
        }
      : null,
  };
}

/** The sessions of a world, and the stories planted in them. */
export type SessionWorld = ReturnType<typeof createSessions>;

/** The sessions of an emulator: nothing is computed before it is asked for, and the latest days asked for stay in memory. */
export function createSessions(origin: Origin) {
  const stories = metricStories(origin);
  const firstDay = dayNumberOf(origin.startMs) - RETENTION_DAYS;
  const days = worlds.memo(`${origin.seed}/${origin.startMs}`);

  function wholeDay(projectId: number, dayNumber: number): SessionDay {
    const key = `${projectId}/${dayNumber}`;
    const known = days.get(key);
    if (known) return known;
    const made = makeDay(profileOf(projectId), origin.seed, dayNumber, twistOf(stories, projectId, dayNumber));
    days.set(key, made);
    return made;
  }

  return {
    origin,
    stories,
    day(projectId: number, dayNumber: number, nowMs: number) {
      if (dayNumber < firstDay || dayNumber * DAY_MS > nowMs) return emptyDay(projectId, dayNumber, 0);
      return dayUpTo(wholeDay(projectId, dayNumber), nowMs);
    },
  };
}
