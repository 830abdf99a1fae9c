import { nthDouble } from '../../../../src/lib/nth.ts';
import { covarianceOf } from './fit.ts';
import { dotOf } from './linear.ts';
import type { Model, ModelStudy } from './model.ts';

/** Days by label, both included. */
export interface DayWindow {
  readonly from: string;
  readonly to: string;
}

/** Weights that make the mean of a window, by what is expected of its days; all 0 where it has none. */
function weightsOf({ scale: { labels, expected } }: Model, { from, to }: DayWindow, leftOut: ReadonlySet<number>): Float64Array {
  const weights = expected.map((value, at) => {
    const label = labels[at] ?? '';
    return label >= from && label <= to && !leftOut.has(at) ? value : 0;
  });
  const all = weights.reduce((sum, value) => sum + value, 0);
  return all > 0 ? weights.map((value) => value / all) : weights;
}

/** Covariance of shocks and sampling times weights: what shocks carry over runs along the days and back. */
function noiseTimes({ scale: { times }, noise: { sampling, shock, carry } }: Model, weights: Float64Array): Float64Array {
  const result = weights.map((weight, at) => (weight === 0 ? 0 : weight * nthDouble(sampling, at)));
  let [forward, backward] = [0, 0];
  for (let at = 0; at < weights.length; at += 1) {
    if (at > 0) forward *= carry ** (nthDouble(times, at) - nthDouble(times, at - 1));
    forward += nthDouble(weights, at);
    result[at] = nthDouble(result, at) + shock * forward;
  }
  for (let at = weights.length - 2; at >= 0; at -= 1) {
    backward = (backward + nthDouble(weights, at + 1)) * carry ** (nthDouble(times, at + 1) - nthDouble(times, at));
    result[at] = nthDouble(result, at) + shock * backward;
  }
  return result;
}

/** The difference of the levels of two windows, as a deviation: what changes, slow drift and neither make of it. */
export interface Difference {
  readonly difference: number;
  readonly error: number;
  /** The part of the changes that were found. */
  readonly changes: number;
  /** The rest after all that moves the series, drift and changes. */
  readonly rest: number;
  /** The parts of the calendar, which are not in the difference. */
  readonly month: number;
  readonly season: number;
}

/** Compares the means of two windows without the days that are left out; undefined where a window has no day left. */
export function differenceOf({ model, changes, left }: ModelStudy, before: DayWindow, after: DayWindow, leftOut: ReadonlySet<number>) {
  const [early, late] = [weightsOf(model, before, leftOut), weightsOf(model, after, leftOut)];
  if (early.every((value) => value === 0) || late.every((value) => value === 0)) return undefined;
  const weights = late.map((value, at) => value - nthDouble(early, at));
  const along = noiseTimes(model, weights);
  const sumOn = (from: number, to: number) => weights.subarray(from, to).reduce((sum, weight) => sum + weight, 0);
  const { fit, columns, scale } = model;
  const factors = Float64Array.from(columns, ({ of, values }) => (of === 'month' || of === 'season' ? dotOf(values, weights) : 0));
  const partOf = (own: 'month' | 'season') =>
    columns.reduce((sum, { of }, at) => sum + (of === own ? nthDouble(factors, at) * nthDouble(fit.coefficients, at) : 0), 0);
  const [month, season] = [partOf('month'), partOf('season')];
  return {
    difference: dotOf(weights, scale.x) - month - season,
    error: Math.sqrt(dotOf(along, weights) + covarianceOf(fit, factors, factors)),
    changes: changes.reduce((sum, { from, to, effect }) => sum + effect * sumOn(from, to), 0),
    rest: dotOf(along, left.score),
    month,
    season,
  } satisfies Difference;
}
