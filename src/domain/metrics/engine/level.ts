import { type Interval, nuisanceOf } from './drift-grid.ts';
import type { Noise } from './noise.ts';
import { type Series, WEEK } from './series.ts';
import { logTail, normalOf } from './significance.ts';
import type { Study } from './study.ts';
import { dot, orthonormalise, project, whitenerOf } from './whiten.ts';

/** Days by label, both included. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

/** Weights that make the mean of a window, by what is expected of its days. */
function weightsOf({ labels, expected }: Series, { from, to }: Window, leftOut: ReadonlySet<number>): Float64Array {
  const weights = Float64Array.from(expected, (value, at) => {
    const label = labels[at] ?? '';
    return label >= from && label <= to && !leftOut.has(at) ? value : 0;
  });
  const all = weights.reduce((sum, value) => sum + value, 0);
  return all > 0 ? weights.map((value) => value / all) : weights;
}

/** Covariance of the noise times weights: what shocks carry over runs along the days and back. */
function noiseTimes({ times }: Series, { sampling, shock, carry }: Noise, weights: Float64Array): Float64Array {
  const result = weights.map((weight, at) => weight * (sampling[at] ?? 0));
  let [forward, backward] = [0, 0];
  for (let at = 0; at < weights.length; at += 1) {
    if (at > 0) forward *= carry ** ((times[at] ?? 0) - (times[at - 1] ?? 0));
    forward += weights[at] ?? 0;
    result[at] = (result[at] ?? 0) + shock * forward;
  }
  for (let at = weights.length - 2; at >= 0; at -= 1) {
    backward = (backward + (weights[at + 1] ?? 0)) * carry ** ((times[at + 1] ?? 0) - (times[at] ?? 0));
    result[at] = (result[at] ?? 0) + shock * backward;
  }
  return result;
}

const product = (a: Float64Array, b: ArrayLike<number>) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);

/** The difference of the levels of two windows, as a deviation: what changes, drift and neither make of it. */
export interface Level {
  readonly difference: number;
  readonly error: number;
  /** What the changes that were found make of it. */
  readonly changes: number;
  /** What level, weekdays, drift and changes leave of it. */
  readonly rest: number;
}

/** Compares the means of two windows without the days that are left out; undefined where a window has no day left. */
export function levelOf(
  { series, noise, changes, left }: Study,
  { baseline, period }: { readonly baseline: Window; readonly period: Window },
  leftOut: ReadonlySet<number>,
): Level | undefined {
  const [before, after] = [weightsOf(series, baseline, leftOut), weightsOf(series, period, leftOut)];
  if (before.every((value) => value === 0) || after.every((value) => value === 0)) return undefined;
  const weights = after.map((value, at) => value - (before[at] ?? 0));
  const along = noiseTimes(series, noise, weights);
  // Windows of other weekdays share the doubt about weekdays.
  const usual = noise.shock + noise.sampling.reduce((sum, value) => sum + value, 0) / noise.sampling.length;
  const doubt = 1 / (series.learned / WEEK / usual + noise.weekdaySd ** -2);
  const shares = new Float64Array(WEEK);
  for (const [at, weight] of weights.entries()) shares[series.weekdays[at] ?? 0] = (shares[series.weekdays[at] ?? 0] ?? 0) + weight;
  const made = changes.reduce(
    (sum, { from, to, effect }) => sum + effect * weights.subarray(from, to).reduce((total, weight) => total + weight, 0),
    0,
  );
  return {
    difference: product(weights, series.deviations),
    error: Math.sqrt(product(along, weights) + doubt * product(shares, shares)),
    changes: made,
    rest: product(along, left.score),
  };
}

/** Drift is given per so many days. */
const DRIFT_DAYS = 28;

/** A straight slope as the deviation that it makes of a whole series. */
interface Slope {
  readonly effect: number;
  readonly error: number;
  /** As a standard normal. */
  readonly score: number;
  readonly logP: number;
}

/** What of a slope over a series falls to four weeks. */
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
