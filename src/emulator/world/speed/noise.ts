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
  return Math.exp(sigma * (NORMAL[Math.floor(quantile * 1024)] ?? 0));
}

const STRIDES = [5, 7, 11, 13, 17, 19];

/**
 * Quantile of an hourly run. The 24 runs of a day share out the quantiles evenly, in an order of the day's own:
 * single runs scatter, the median of a day hardly does, so that what is called unchanged is unchanged.
 */
export function runQuantile(seed: number, scenarioId: number, hour: number): number {
  const day = hash(seed, scenarioId, Math.floor(hour / 24));
  const stride = STRIDES[day % STRIDES.length] ?? 5;
  const stratum = ((hour % 24) * stride + (day >>> 8)) % 24;
  return (stratum + unit(hash(day, hour))) / 24;
}

/** Mild daily pattern: slowest at 19:00 UTC, fastest at 7:00. */
export function dailyFactor(hour: number): number {
  return 1 + 0.03 * Math.cos(((hour - 19) / 12) * Math.PI);
}
