import { hash, normal, type Origin, shock, unit } from '../random.ts';
import type { Profile } from './profiles.ts';

/** A day with far fewer or far more visits than its weekday and season promise. */
export interface Holiday {
  readonly projectId: number;
  readonly dayNumber: number;
  /** Of the visits: 0.6 to 0.8, or 1.25 to 1.8. */
  readonly factor: number;
}

/** How one day of a project departs from what its weekday and season promise; all are factors, near 1 on most days. */
export interface DayNoise {
  /** Of the visits, by `DeviceId`. */
  readonly visits: readonly number[];
  /** Of the share of visits by visitors who come once. */
  readonly once: number;
  /** Of the chance to buy, or to come near to it. */
  readonly purchases: number;
  /** Of the chances of the other goals, by place in `goalsOf`. */
  readonly goals: readonly number[];
  /** Of the share of bounces. */
  readonly bounces: number;
  /** Of page views and time of sessions that do not bounce. */
  readonly reading: number;
}

/** Share of a day's shock of visits, as variance, that all devices have in common. */
const COMMON_VARIANCE = 0.85;
/** Goals that a project has at most. */
const MOST_GOALS = 8;
const DEVICES = 6;
/** A few a year. */
const HOLIDAY_CHANCE = 1 / 80;
/** Keep the uses of a day's hash apart. */
const STREAM = {
  visits: 0x11,
  device: 0x20,
  once: 0x30,
  purchases: 0x31,
  goals: 0x40,
  bounces: 0x51,
  reading: 0x52,
  holiday: 0x61,
  taps: 0x71,
};

/** A standard deviation of the project's own, the same on all its days. */
function sigmaOf(seed: number, projectId: number, stream: number, from: number, to: number): number {
  return from + (to - from) * unit(hash(seed, projectId, stream));
}

/** Factor of a day's visits where it is a holiday of the project, 1 elsewhere. */
function holidayFactor(seed: number, projectId: number, dayNumber: number): number {
  const h = hash(seed, projectId, dayNumber, STREAM.holiday);
  if (unit(h) >= HOLIDAY_CHANCE) return 1;
  const size = unit(hash(h, 1));
  return hash(h, 2) % 2 === 0 ? 0.6 + 0.2 * size : 1.25 + 0.55 * size;
}

/** The holidays of a project among these days, both included. */
export function holidaysOf({ seed }: Origin, projectId: number, firstDay: number, lastDay: number): Holiday[] {
  return Array.from({ length: lastDay - firstDay + 1 }, (_, index) => firstDay + index).flatMap((dayNumber) => {
    const factor = holidayFactor(seed, projectId, dayNumber);
    return factor === 1 ? [] : [{ projectId, dayNumber, factor }];
  });
}

/** The shocks of a day: log-normal, independent from day to day, of a size that each project keeps. */
export function dayNoise({ projectId }: Profile, seed: number, dayNumber: number): DayNoise {
  const of = (stream: number, sigma: number) => shock(hash(seed, projectId, dayNumber, stream), sigma);
  const visitSigma = sigmaOf(seed, projectId, STREAM.visits, 0.04, 0.08);
  const rateSigma = sigmaOf(seed, projectId, STREAM.purchases, 0.02, 0.06);
  const engagementSigma = sigmaOf(seed, projectId, STREAM.reading, 0.01, 0.02);
  const common = of(STREAM.visits, visitSigma * Math.sqrt(COMMON_VARIANCE)) * holidayFactor(seed, projectId, dayNumber);
  const deviceSigma = visitSigma * Math.sqrt(1 - COMMON_VARIANCE);
  return {
    visits: Array.from({ length: DEVICES }, (_, device) => common * of(STREAM.device + device, deviceSigma)),
    once: of(STREAM.once, 0.03),
    purchases: of(STREAM.purchases, rateSigma),
    goals: Array.from({ length: MOST_GOALS }, (_, goal) => of(STREAM.goals + goal, rateSigma)),
    bounces: of(STREAM.bounces, engagementSigma),
    reading: of(STREAM.reading, engagementSigma),
  };
}

/** Factor of the share of sessions that tap a zone on a day: log-sd 3 %, of each zone's own. */
export function tapShock(seed: number, zoneId: number, dayNumber: number): number {
  return shock(hash(seed, zoneId, dayNumber, STREAM.taps), 0.03);
}

/** A whole number that scatters around `mean` as counts of independent arrivals do (Poisson, by its normal approximation). */
export function arrivals(mean: number, h: number): number {
  return Math.max(0, Math.round(mean + Math.sqrt(mean) * normal(h)));
}
