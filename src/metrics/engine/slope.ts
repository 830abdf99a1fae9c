import { sum } from 'simple-statistics';
import { nthDouble } from '../../lib/nth.ts';
import { slopeError } from '../../statistics/carry.ts';
import { logTail, normalOf, Z_95 } from '../../statistics/tails.ts';
import { dot, orthonormalise, project } from '../../statistics/vectors.ts';
import { whitenerOf } from '../../statistics/whitening.ts';
import { type Interval, nuisanceOf } from './drift-grid.ts';
import { type Series, WEEK } from './series.ts';
import type { Study } from './study.ts';

/** A straight slope as the deviation that it makes of a whole series. */
type Slope = ReturnType<typeof slopeOf>;

/** The share of a slope over a series that falls to the days that are judged. */
export function driftShare({ times, block, learned }: Pick<Series, 'times' | 'block' | 'learned'>): number {
  const daysSince = (at: number) => nthDouble(times, times.length - 1) - nthDouble(times, at) + 1;
  return daysSince(learned) / daysSince(block);
}

/**
 * Relative change over the series of a straight slope on its first `days`, as a deviation, beside `known` changes among them.
 */
export function slopeOf({ series, noise }: Pick<Study, 'series' | 'noise'>, days: number, known: readonly Interval[] = []) {
  const { fixed, drift, values } = nuisanceOf(series, days, known, noise.weekdaySd);
  const { apply } = whitenerOf(series.times.subarray(0, days), noise);
  const basis = orthonormalise(fixed.map((column) => apply(column.slice())));
  const slope = project(apply((drift[0] ?? values).slice()), basis);
  const weight = dot(slope, slope);
  const effect = dot(slope, apply(values.slice())) / weight;
  const score = normalOf(effect * Math.sqrt(weight), noise.freedom);
  return { effect, error: 1 / Math.sqrt(weight), score, logP: logTail(score) };
}

/** Fewer whole weeks tell nothing of what a slope leaves over. */
const LEAST_TREND_WEEKS = 4;

/**
 * The error of a slope that is told, and the logarithm of its p-value by it: at least the one that the weeks have beside a straight line,
 * as `query_metrics` judges a trend. Days alone take a slow wave of a season for a certain slope. Undefined where the weeks do not show it
 * at 95 %.
 */
export function errorByWeeks(
  { series, noise }: Pick<Study, 'series' | 'noise'>,
  slope: Slope,
  days: number,
  known: readonly Interval[] = [],
): Pick<Slope, 'error' | 'logP'> | undefined {
  const { fixed, drift, values } = nuisanceOf(series, days, known, noise.weekdaySd);
  const basis = orthonormalise([...fixed, ...drift.slice(0, 1)].map((column) => column.slice()));
  const left = project(values.slice(), basis).subarray(series.block, days);
  const weeks = Math.floor(left.length / WEEK);
  if (weeks < LEAST_TREND_WEEKS) return slope;
  const first = left.length - weeks * WEEK;
  const means = Array.from({ length: weeks }, (_, week) => {
    const from = first + week * WEEK;
    return sum(Array.from(left.subarray(from, from + WEEK))) / WEEK;
  });
  const freedom = weeks - 2;
  const error = Math.max(slope.error, (slopeError(means) * series.times.length) / WEEK);
  const score = normalOf(slope.effect / error, freedom);
  return Math.abs(score) < Z_95 ? undefined : { error, logP: logTail(score) };
}
