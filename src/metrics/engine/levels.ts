import { nthDouble } from '../../lib/nth.ts';
import { dot, total } from '../../statistics/vectors.ts';
import { calendarEffect, fitOf } from './fit.ts';
import type { Noise } from './noise.ts';
import { LEAST_HISTORY_DAYS, type Series } from './series.ts';
import type { Study } from './study.ts';

/** Days by label, both included. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

/** Weights that make the mean of a window, by what is expected of its days. */
export function weightsOf({ labels, expected }: Series, { from, to }: Window, leftOut: ReadonlySet<number>): Float64Array {
  const weights = Float64Array.from(expected, (value, at) => {
    const label = labels[at] ?? '';
    return label >= from && label <= to && !leftOut.has(at) ? value : 0;
  });
  const all = total(weights);
  return all > 0 ? weights.map((value) => value / all) : weights;
}

/** Covariance of the noise times weights: what shocks carry over runs along the days and back. */
function noiseTimes({ times }: Series, { sampling, shock, carry }: Noise, weights: Float64Array): Float64Array {
  const result = weights.map((weight, at) => weight * nthDouble(sampling, at));
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

/** The difference of the levels of two windows beside what the calendar makes of it, as a deviation: by changes, drift and neither. */
export type Level = NonNullable<ReturnType<typeof levelOf>>;

const ofCalendar = ({ series, noise, changes }: Study, weights: Float64Array) =>
  series.regressors.length === 0 || series.learned < LEAST_HISTORY_DAYS
    ? { month: 0, season: 0, error: 0 }
    : calendarEffect(fitOf(series, noise, changes), series, weights);

/** Compares the means of two windows without the days that are left out; undefined where a window has no day left. */
export function levelOf(
  study: Study,
  { baseline, period }: { readonly baseline: Window; readonly period: Window },
  leftOut: ReadonlySet<number>,
) {
  const { series, noise, changes, left } = study;
  const [before, after] = [weightsOf(series, baseline, leftOut), weightsOf(series, period, leftOut)];
  if (before.every((value) => value === 0) || after.every((value) => value === 0)) return undefined;
  const weights = after.map((value, at) => value - nthDouble(before, at));
  const along = noiseTimes(series, noise, weights);
  const made = changes.reduce((sum, { from, to, effect }) => sum + effect * total(weights, from, to), 0);
  const calendar = ofCalendar(study, weights);
  return {
    difference: dot(weights, series.deviations) - calendar.month - calendar.season,
    error: Math.hypot(Math.sqrt(dot(along, weights)), calendar.error),
    /** The part of the changes that were found. */
    changes: made,
    /** The rest after level, weekdays, drift and changes. */
    rest: dot(along, left),
  };
}
