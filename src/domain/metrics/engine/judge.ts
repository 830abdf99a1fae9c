import type { Change, Quest } from './changes.ts';
import { type DatedChange, dated } from './dated.ts';
import type { Noise } from './noise.ts';
import { type DailyPoint, type MetricKind, relativeOf, type Series, seriesOf, WEEK } from './series.ts';
import { studentOf } from './significance.ts';
import { type Study, studySeries } from './study.ts';

/** `drift`: the level differs, but it slid there slowly, so there is no day on which it changed. */
export type Verdict = 'up' | 'down' | 'drift' | 'within noise' | 'not enough data';

/** Days by label, both included. */
export interface Window {
  readonly from: string;
  readonly to: string;
}

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
  /** What makes the verdict: a step or an episode, which begins in the period unless `changes` says otherwise. */
  readonly main?: DatedChange;
  /** Everything found from the first day of the baseline on, and the last step before it; outlier days included. */
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

/** Shares of the error of a verdict, which add up to 1 %. */
const ERRORS = { step: 0.012, episode: 0.0008, level: 0.0015 };
/** Error of what is named beside the verdict. */
const BESIDE = { outlier: 0.004, earlier: 0.001, history: 0.0002 };
/** Two-sided normal limits of these errors. */
const Z_OF_LEVEL = 3.1747;
const Z_OF_VERDICT = 2.5758;
/** Days of the beginning of a series on which no change can be told from its level. */
const LEAST_DAYS = 7;
/** Windows up to this length hold too few days to say anything but what these days were. */
const SINGLE_DAY = 1;

function indexOf({ labels }: Series, label: string): number {
  const at = labels.findIndex((own) => own >= label);
  return at < 0 ? labels.length : at;
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

/** The difference of the levels of two windows: what changes, drift and neither make of it. */
interface Level {
  readonly difference: number;
  readonly error: number;
  readonly changes: number;
  readonly rest: number;
}

/** Undefined where a window has no day left. */
function levelOf(
  { series, noise, changes, left }: Study,
  { baseline, period }: Pick<Question, 'baseline' | 'period'>,
  leftOut: ReadonlySet<number>,
): Level | undefined {
  const [before, after] = [weightsOf(series, baseline, leftOut), weightsOf(series, period, leftOut)];
  if (before.every((value) => value === 0) || after.every((value) => value === 0)) return undefined;
  const weights = after.map((value, at) => value - (before[at] ?? 0));
  const along = noiseTimes(series, noise, weights);
  // Windows of other weekdays share the doubt about weekdays.
  const variance = series.sampling.length > 0 ? product(along, weights) : 0;
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
    error: Math.sqrt(variance + doubt * product(shares, shares)),
    changes: made,
    rest: product(along, left.score),
  };
}

function verdictOfLevel({ difference, error, changes, rest }: Level, limit: number): Verdict {
  if (Math.abs(difference) <= limit * error) return 'within noise';
  // What neither changes nor chance make of it came slowly.
  const sudden = changes + rest;
  return sudden * difference > 0 && Math.abs(sudden) > limit * error ? (difference > 0 ? 'up' : 'down') : 'drift';
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
const lengthOf = ({ from, to }: Window) => (Date.parse(to) - Date.parse(from)) / 86_400_000 + 1;
const UNKNOWN: Judgement = { verdict: 'not enough data', changes: [], relative: null, noise: null, score: 0 };

/** The change in the period that stands out most from its error; what began before it makes no verdict by itself. */
function mainOf(changes: readonly Change[], start: number): Change | undefined {
  const own = changes.filter(({ shape, from }) => shape !== 'outlier' && from >= start);
  return own.toSorted((a, b) => Math.abs(b.effect / b.error) - Math.abs(a.effect / a.error))[0];
}

/**
 * Judges the change of a metric from a baseline to a later period: by a scan of the days on which it may have begun, the last one included,
 * against weekday-adjusted history, and by the levels of the two windows. Each verdict errs in about 1 % of unchanged comparisons.
 */
export function judgePeriods(question: Question): Judgement {
  const { days, kind, baseline, period } = question;
  const series = seriesOf(
    days.filter(({ label }) => label <= period.to),
    kind,
    period.from,
  );
  if (!series) return UNKNOWN;
  const isFar = indexOf(series, baseline.from) < series.block;
  const isByStep = lengthOf(baseline) > SINGLE_DAY;
  const study = studySeries(series, questsOf(series, question, isByStep));
  if (!study) return UNKNOWN;
  const { changes, noise } = study;
  const outliers = new Set(changes.filter(({ shape }) => shape === 'outlier').map(({ from }) => from));
  const level = levelOf(study, question, outliers) ?? levelOf(study, question, new Set());
  if (!level) return UNKNOWN;
  const limit = studentOf(isByStep && !isFar ? Z_OF_LEVEL : Z_OF_VERDICT, noise.freedom);
  const start = series.learned;
  const main = isByStep ? mainOf(changes, start) : undefined;
  const verdictOf = (of: Level) => (main ? directionOf(main.effect) : verdictOfLevel(of, limit));
  const verdict = verdictOf(level);
  const whole = outliers.size > 0 ? levelOf(study, question, new Set()) : undefined;
  const withOutliers = whole && verdictOf(whole);
  const early = indexOf(series, baseline.from);
  const old = changes.findLastIndex(({ to }) => to <= early || to === series.labels.length);
  return {
    verdict,
    ...(main && { main: dated(series, main) }),
    changes: changes.filter(({ from, to }, at) => from >= early || to > early || at === old).map((change) => dated(series, change)),
    relative: relativeOf(series, level.difference),
    noise: relativeOf(series, limit * level.error),
    score: level.difference / level.error,
    ...(withOutliers && withOutliers !== verdict && { withOutliers }),
  };
}
