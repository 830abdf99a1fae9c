import { mix, unit } from '../random.ts';
import { countries } from './dimensions.ts';
import type { Profile } from './profiles.ts';
import type { DeviceId, SessionDay } from './types.ts';

/** Days between two visits of a returning visitor. */
const RHYTHMS = [1, 2, 3, 5, 7, 10, 14, 21];
/** Larger than any day's number of sessions, and prime: stepping by it reaches every lane once. */
const STRIDE = 1_000_003;
const ONCE = 0xffff;
/** A constant of another stream of draws for each use. */
const GOLDEN = 0x9e3779b1;
const SLOT = 0x85ebca77;
const TURN = 0xc2b2ae3d;
const ENGLISH = 2;
const ENGLISH_SHARE = 0.07;

/** A campaign of a story: its sessions are the lanes after the usual ones, all first visits. */
export interface Boost {
  readonly deviceId: DeviceId;
  /** Index in `countries`. */
  readonly country: number;
  readonly source: number;
  readonly campaign: number;
}

/** Index in a list of shares where `draw` of [0, 1) falls. */
export function pick(shares: readonly number[], draw: number): number {
  let rest = draw;
  for (let index = 0; index < shares.length - 1; index += 1) {
    rest -= shares[index] ?? 0;
    if (rest < 0) return index;
  }
  return shares.length - 1;
}

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
const equipmentShares = equipment.map((sets) => sets.map(([, , share]) => share));

/**
 * Fills who comes: 64-bit users with the number of their visit, device, country, language, browser and platform, and the session's hash;
 * source and campaign for those of a boost alone.
 * A lane is a place of the day's list; the users of one lane take turns, each coming every few days for some visits and then never again,
 * so that a day is known without the days before it.
 */
export function fillVisitors(day: SessionDay, profile: Profile, worldHash: number, usual: number, boost: Boost | null): void {
  const { count, dayNumber } = day;
  const stride = STRIDE % Math.max(count, 1);
  // Two streams, because 32 bits would give some visitors the same id.
  const highStream = mix(worldHash ^ 0x51ed270b);
  const lowStream = mix(worldHash ^ 0x2545f491);
  let lane = -stride;
  for (let index = 0; index < count; index += 1) {
    lane += stride;
    if (lane >= count) lane -= count;
    const laneHash = mix(worldHash + Math.imul(lane + 1, GOLDEN));
    const isBoost = boost !== null && lane >= usual;

    let slot = dayNumber;
    let turn = ONCE;
    let visit = 1;
    if (!isBoost && unit(laneHash) >= profile.onceShare) {
      const habit = mix(laneHash ^ SLOT);
      const rhythm = RHYTHMS[habit & 7] ?? 1;
      const visits = 2 + ((habit >>> 3) % (profile.mostVisits - 1));
      slot = dayNumber % rhythm;
      const nth = Math.floor(dayNumber / rhythm) + (mix(habit + slot) % visits);
      turn = Math.floor(nth / visits);
      visit = (nth % visits) + 1;
    }
    const high = mix(mix(mix(highStream + Math.imul(lane + 1, GOLDEN)) + Math.imul(slot + 1, SLOT)) + Math.imul(turn + 1, TURN));
    const low = mix(mix(mix(lowStream + Math.imul(lane + 1, GOLDEN)) + Math.imul(slot + 1, SLOT)) + Math.imul(turn + 1, TURN));
    // Between 2^62 and 2^63: beyond what a double holds, within a signed 64-bit integer.
    day.userHigh[index] = (high >>> 2) | 0x4000_0000;
    day.userLow[index] = low;
    day.sessionNumber[index] = visit;
    day.seed[index] = mix(mix(laneHash + Math.imul(dayNumber, TURN)) ^ low);

    const deviceId = isBoost ? boost.deviceId : pick(profile.deviceShare, unit(mix(low ^ 1)));
    const country = isBoost ? boost.country : pick(profile.countryShare, unit(mix(low ^ 2)));
    const set = equipment[deviceId]?.[pick(equipmentShares[deviceId] ?? [1], unit(mix(low ^ 3)))] ?? [0, 0];
    day.deviceId[index] = deviceId;
    day.country[index] = country;
    day.language[index] = unit(mix(low ^ 4)) < ENGLISH_SHARE ? ENGLISH : (countries[country]?.language ?? ENGLISH);
    day.platform[index] = set[0];
    day.browser[index] = set[1];
    if (isBoost) {
      day.source[index] = boost.source;
      day.campaign[index] = boost.campaign;
    }
  }
}
