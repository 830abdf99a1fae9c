import { type Change, type DatedChange, dated, type Quest } from './changes.ts';
import { dot, type Interval, nuisanceOf, orthonormalise, project, whitenerOf } from './drift-grid.ts';
import type { Noise } from './noise.ts';
import { type DailyPoint, type MetricKind, relativeOf, type Series, seriesOf, WEEK } from './series.ts';
import { logTail, normalOf, studentOf } from './significance.ts';
import { type Study, studySeries } from './study.ts';

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

/** `drift`: the level differs, but it slid there slowly, so there is no day on which it changed. */
export type Verdict = 'up' | 'down' | 'drift' | 'within noise' | 'not enough data';

/** One metric of one selection over history, baseline and period. */
export interface Question {
  readonly kind: MetricKind;
  /** In any order; those before the period teach what is usual. Days between or far from the windows may be missing. */
  readonly days: readonly DailyPoint[];
  readonly baseline: Window;
  readonly period: Window;
}

/** Whether and how a metric changed from the baseline to the period. */
export interface Judgement {
  readonly verdict: Verdict;
  /** What makes the verdict: the clearest step or episode that begins in the period; without one, the levels make it. */
  readonly main?: DatedChange;
  /** All that goes on or ended on or after the first day of the baseline, in order; outlier days included. */
  readonly changes: readonly DatedChange[];
  /** The levels of the two windows, weekdays taken out and outlier days left out: −0.05 for 5 % less. */
  readonly relative: number | null;
  /** Levels that differ by up to this share, either way, are within noise. */
  readonly noise: number | null;
  /** Difference of the levels over its standard error. */
  readonly score: number;
  /** The verdict that outlier days would have made, where it is another. */
  readonly withOutliers?: Verdict;
}

/** Shares of the error of a verdict; together they come to about 1 % in simulations, because the bounds are not exact. */
const ERRORS = { step: 0.012, episode: 0.0008, level: 0.0015 };
/** Error of what is named beside the verdict. */
const BESIDE = { outlier: 0.004, earlier: 0.001, history: 0.0002 };
/** Two-sided normal limits of these errors. */
const Z_OF_LEVEL = 3.1747;
const Z_OF_VERDICT = 2.5758;
/** Days of the beginning of a series on which no change can be distinguished from its level. */
const LEAST_DAYS = 7;
/** Logarithm of the p-value that a change needs to be named, where it may be a single large event. */
const LEAST_CLEAR = Math.log(0.015);
const NO_DAYS: ReadonlySet<number> = new Set();

function indexOf({ labels }: Series, label: string): number {
  const at = labels.findIndex((own) => own >= label);
  return at < 0 ? labels.length : at;
}

function verdictOfLevel({ difference, error, changes, rest }: Level, limit: number, mayDrift: boolean): Verdict {
  if (Math.abs(difference) <= limit * error) return 'within noise';
  if (!mayDrift) return directionOf(difference);
  // What neither changes nor chance make of it came slowly.
  const sudden = changes + rest;
  return sudden * difference > 0 && Math.abs(sudden) > limit * error ? directionOf(difference) : 'drift';
}

/** What to look for: changes in the period make the verdict; earlier ones and outlier days are named beside it. */
function questsOf(series: Series, { baseline, period }: Question, isByStep: boolean): Quest[] {
  const [learned, end] = [indexOf(series, period.from), series.labels.length];
  const first = series.block + LEAST_DAYS;
  const early = Math.max(first, indexOf(series, baseline.from));
  const beside: Quest[] = [
    { shape: 'step', from: first, to: early, level: BESIDE.history },
    { shape: 'step', from: early, to: learned, level: BESIDE.earlier },
    { shape: 'outlier', from: first, to: early, level: BESIDE.history },
    { shape: 'outlier', from: Math.min(early, learned), to: end, level: BESIDE.outlier },
  ];
  const own: Quest[] = [
    { shape: 'step', from: learned, to: end, level: ERRORS.step * Math.sqrt(WEEK / Math.max(WEEK, end - learned)) },
    { shape: 'episode', from: Math.min(early, learned), to: end, level: ERRORS.episode },
  ];
  return [...beside, ...(isByStep ? own : [])].filter(({ from, to }) => from < to);
}

const directionOf = (value: number): Verdict => (value > 0 ? 'up' : 'down');
const UNKNOWN: Judgement = { verdict: 'not enough data', changes: [], relative: null, noise: null, score: 0 };

/** The change in the period that stands out most from its error; what began before it makes no verdict by itself. */
function mainOf(changes: readonly Change[], start: number): Change | undefined {
  const own = changes.filter(({ shape, from }) => shape !== 'outlier' && from >= start);
  return own.toSorted((a, b) => Math.abs(b.effect / b.error) - Math.abs(a.effect / a.error))[0];
}

const OPPOSITE: Readonly<Partial<Record<Verdict, Verdict>>> = { up: 'down', down: 'up' };
const inverse = (relative: number | null) => (relative === null || relative <= -1 ? null : 1 / (1 + relative) - 1);

/** A judgement of two windows that were given the other way round; what changed between them has no first day in the period. */
function turned({ main: _main, verdict, relative, score, withOutliers, ...rest }: Judgement): Judgement {
  const other = (own: Verdict) => OPPOSITE[own] ?? own;
  return {
    ...rest,
    verdict: other(verdict),
    relative: inverse(relative),
    score: -score,
    ...(withOutliers && { withOutliers: other(withOutliers) }),
  };
}

/**
 * Judges the change of a metric from a baseline to a period: by a scan of the days on which it may have begun, the last one included,
 * against weekday-adjusted history, and by the levels of the two windows. A single day, a baseline of another season and one that lies
 * after the period are compared by level alone. Each verdict errs in about 1 % of unchanged comparisons.
 */
export function judgePeriods(question: Question): Judgement {
  const { days, kind, baseline, period } = question;
  if (baseline.from > period.from) return turned(judgePeriods({ ...question, baseline: period, period: baseline }));
  const past = days.filter(({ label }) => label <= period.to);
  const series = seriesOf(past, kind, period.from);
  if (!series) return UNKNOWN;
  const early = indexOf(series, baseline.from);
  const isByStep = baseline.from !== baseline.to && early >= series.block;
  const study = studySeries(series, questsOf(series, question, isByStep));
  if (!study) return UNKNOWN;
  const { noise } = study;
  const changes = study.changes.filter(({ logP }) => logP <= LEAST_CLEAR);
  const outliers = new Set(changes.filter(({ shape }) => shape === 'outlier').map(({ from }) => from));
  const whole = levelOf(study, question, NO_DAYS);
  const level = levelOf(study, question, outliers) ?? whole;
  if (!whole || !level) return UNKNOWN;
  const main = isByStep ? mainOf(changes, series.learned) : undefined;
  const limit = studentOf(isByStep ? Z_OF_LEVEL : Z_OF_VERDICT, noise.freedom);
  const verdictOf = (of: Level) => (main ? directionOf(main.effect) : verdictOfLevel(of, limit, isByStep));
  const [verdict, withOutliers] = [verdictOf(level), verdictOf(whole)];
  return {
    verdict,
    ...(main && { main: dated(series, main) }),
    changes: changes.filter(({ to }) => to > early).map((change) => dated(series, change)),
    relative: relativeOf(series, level.difference),
    noise: relativeOf(series, limit * level.error),
    score: level.difference / level.error,
    ...(withOutliers !== verdict && { withOutliers }),
  };
}
