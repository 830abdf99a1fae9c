import { hash, normal, type Origin, shock, unit } from '../random.ts';
import type { Profile } from './profiles.ts';

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
export function holidaysOf({ seed }: Origin, projectId: number, firstDay: number, lastDay: number) {
  return Array.from({ length: lastDay - firstDay + 1 }, (_, index) => firstDay + index).flatMap((dayNumber) => {
    const factor = holidayFactor(seed, projectId, dayNumber);
    return factor === 1 ? [] : [{ projectId, dayNumber, factor }];
  });
}

/** How one day of a project departs from what its weekday and season promise; all are factors, near 1 on most days. */
export type DayNoise = ReturnType<typeof dayNoise>;

/** The shocks of a day: log-normal, independent from day to day, of a size that each project keeps. */
export function dayNoise({ projectId }: Profile, seed: number, dayNumber: number) {
  const of = (stream: number, sigma: number) => shock(hash(seed, projectId, dayNumber, stream), sigma);
  const visitSigma = sigmaOf(seed, projectId, STREAM.visits, 0.04, 0.08);
  const rateSigma = sigmaOf(seed, projectId, STREAM.purchases, 0.02, 0.06);
  const engagementSigma = sigmaOf(seed, projectId, STREAM.reading, 0.01, 0.02);
  const common = of(STREAM.visits, visitSigma * Math.sqrt(COMMON_VARIANCE)) * holidayFactor(seed, projectId, dayNumber);
  const deviceSigma = visitSigma * Math.sqrt(1 - COMMON_VARIANCE);
  return {
    /** Of the visits, by `DeviceId`. */
    visits: Array.from({ length: DEVICES }, (_, device) => common * of(STREAM.device + device, deviceSigma)),
    /** Of the share of visits by visitors who come once. */
    once: of(STREAM.once, 0.03),
    /** Of the chance to buy, or to come near to it. */
    purchases: of(STREAM.purchases, rateSigma),
    /** Of the chances of the other goals, by place in `goalsOf`. */
    goals: Array.from({ length: MOST_GOALS }, (_, goal) => of(STREAM.goals + goal, rateSigma)),
    /** Of the share of bounces. */
    bounces: of(STREAM.bounces, engagementSigma),
    /** Of page views and time of sessions that do not bounce. */
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
