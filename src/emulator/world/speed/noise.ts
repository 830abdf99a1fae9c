import { nthDouble } from '../../../lib/nth.ts';
import { hash, mix, unit } from '../random.ts';

/** Independent uniform numbers in [0, 1) from one hash, by number of the draw. */
export function draw(seed: number, number: number): number {
  return unit(mix(seed + Math.imul(number + 1, 0x9e3779b1)));
}

/** Whole number from `from` to `to`, both included. */
export function drawBetween(seed: number, number: number, from: number, to: number): number {
  return from + Math.floor(draw(seed, number) * (to - from + 1));
}

// Standard normal values at 1024 quantiles (Tukey's lambda approximation), cut at about 2.9 standard deviations;
// a table, because a list of reports needs tens of thousands of them.
const NORMAL = Float64Array.from({ length: 1024 }, (_, index) => {
  const q = Math.min(0.998, Math.max(0.002, (index + 0.5) / 1024));
  return 4.91 * (q ** 0.14 - (1 - q) ** 0.14);
});

/** Log-normal factor around 1 at a quantile from [0, 1). */
export function factorAt(quantile: number, sigma: number): number {
  return Math.exp(sigma * nthDouble(NORMAL, Math.floor(quantile * 1024)));
}

/** Share of a run's deviation that the next run keeps; a step shows about 0.3 of it beside its own scatter. */
const PERSISTENCE = 0.4;
/** Runs that are remembered: what older ones would add is below 0.2 %. */
const MEMORY = 7;
const INNOVATION = Math.sqrt(1 - PERSISTENCE ** 2);
const OUTLIER_RATE = 0.02;
const MOST_OUTLIER = 6;

/** Deviation of an hourly run from its scenario's level in standard deviations: normal, and each run resembles the one before (AR(1)). */
export function runDeviation(seed: number, scenarioId: number, hour: number): number {
  let deviation = 0;
  let weight = INNOVATION;
  for (let back = 0; back <= MEMORY; back += 1) {
    deviation += weight * nthDouble(NORMAL, hash(seed, scenarioId, hour - back) & 1023);
    weight *= PERSISTENCE;
  }
  return deviation;
}

/** Factor of a run that met trouble which is not the page's: one in fifty is 1.5 to 6 times as slow, small factors the most frequent. */
export function outlierFactor(seed: number, scenarioId: number, hour: number): number {
  const h = hash(seed, scenarioId, hour, 41);
  return draw(h, 1) < OUTLIER_RATE ? Math.min(MOST_OUTLIER, 1.5 - 0.8 * Math.log(1 - draw(h, 2))) : 1;
}

/** Day and night: slowest at 19:00 UTC, fastest at 7:00, by `amplitude` above and below the mean. */
export function dailyFactor(hour: number, amplitude: number): number {
  return 1 + amplitude * Math.cos(((hour - 19) / 12) * Math.PI);
}
