import { logTail, normalOf } from '../../statistics/tails.ts';
import { dot, orthonormalise, project } from '../../statistics/vectors.ts';
import { whitenerOf } from '../../statistics/whitening.ts';
import { type Interval, nuisanceOf } from './drift-grid.ts';
import type { Series } from './series.ts';
import type { Study } from './study.ts';

/** Drift is given per four weeks. */
const DRIFT_DAYS = 28;

/** A straight slope as the deviation that it makes of a whole series. */
interface Slope {
  readonly effect: number;
  readonly error: number;
  /** As a standard normal. */
  readonly score: number;
  readonly logP: number;
}

/** The share of a slope over a series that falls to four weeks. */
export function driftShare({ times, block }: Pick<Series, 'times' | 'block'>): number {
  return DRIFT_DAYS / ((times[times.length - 1] ?? 0) - (times[block] ?? 0) + 1);
}

/** Relative change over the series of a straight slope on its first `days`, as a deviation, beside `known` changes among them. */
export function slopeOf({ series, noise }: Pick<Study, 'series' | 'noise'>, days: number, known: readonly Interval[] = []): Slope {
  const { fixed, drift, values } = nuisanceOf(series, days, known, noise.weekdaySd);
  const { apply } = whitenerOf(series.times.subarray(0, days), noise);
  const basis = orthonormalise(fixed.map((column) => apply(column.slice())));
  const slope = project(apply((drift[0] ?? values).slice()), basis);
  const weight = dot(slope, slope);
  const effect = dot(slope, apply(values.slice())) / weight;
  const score = normalOf(effect * Math.sqrt(weight), noise.freedom);
  return { effect, error: 1 / Math.sqrt(weight), score, logP: logTail(score) };
}
