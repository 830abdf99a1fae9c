import { mean } from 'simple-statistics';
import { nthUnsigned } from '../../lib/nth.ts';
import { median } from '../../statistics/order.ts';
import { MEDIAN_OF_NORMAL } from '../../statistics/robust-scale.ts';
import { WEEK } from './series.ts';

/** Standard deviations beyond which a day counts no more, and the share of the variance of normal days that this leaves. */
const FAR = 2.5;
const LEFT = 0.9665;
/** Variance of the logarithm of such a variance, times the number of its days. */
const CHANCE = 2.6;
/** Times of what chance makes below which weekdays are taken to scatter alike: a scatter that is none makes other days look clear. */
const DOUBT = 3.5;
/** A weekday of fewer days is taken to scatter like all. */
const LEAST_DAYS = 6;

/** Variance of normal numbers of which some lie far off. */
function varianceOf(values: readonly number[]): number {
  const far = (FAR * median(values.map(Math.abs))) / MEDIAN_OF_NORMAL;
  return mean(values.map((value) => Math.min(Math.abs(value), far) ** 2)) / LEFT;
}

/**
 * How much wider than on the usual weekday the days of each weekday scatter, as a factor of the variance, 1 where they do not: weekends
 * of a shop follow the weather, and what is usual on them would be an event on a Tuesday. By empirical Bayes: what chance makes of so few
 * days of a weekday is taken away. `residuals` of all days have about one variance where weekdays scatter alike.
 */
export function scatterOfWeekdays(residuals: Float64Array, weekdays: Uint8Array): readonly number[] {
  const byWeekday = Array.from({ length: WEEK }, (): number[] => []);
  for (const [at, value] of residuals.entries()) byWeekday[nthUnsigned(weekdays, at)]?.push(value);
  const variances = byWeekday.map((values) => (values.length < LEAST_DAYS ? 0 : varianceOf(values)));
  if (variances.some((variance) => variance <= 0)) return variances.map(() => 1);
  const logs = variances.map(Math.log);
  const chance = CHANCE / (residuals.length / WEEK);
  const scatter = mean(logs.map((log) => (log - mean(logs)) ** 2)) * (WEEK / (WEEK - 1));
  const kept = Math.max(0, 1 - ((DOUBT * chance) / scatter) ** 2);
  const usual = median(logs);
  return logs.map((log) => Math.max(1, Math.exp(kept * (log - usual))));
}
