import { dayAfter } from '../../lib/calendar.ts';
import { nthDouble } from '../../lib/nth.ts';
import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../statistics/discoveries.ts';
import { kept } from '../../statistics/kept-fits.ts';
import { largeShare, logOfLarge, logTail, normalOf, scoreOfTail, studentOf } from '../../statistics/tails.ts';
import { dot, total } from '../../statistics/vectors.ts';
import { whitenerOf } from '../../statistics/whitening.ts';
import { seasonOf } from '../season.ts';
import type { Change, DatedChange } from './changes.ts';
import { fitOf, varianceOf } from './fit.ts';
import { estimateNoise, type Noise, samplingOf } from './noise.ts';
import { isTooRare } from './scan.ts';
import { allShapes, LONGEST_EPISODE_DAYS } from './seek.ts';
import {
  ANSCOMBE,
  asOrdinary,
  type DailyPoint,
  daysIn,
  FAR_DAYS,
  isCounted,
  isSum,
  LEAST_HISTORY_DAYS,
  type MetricKind,
  relativeOf,
  type Series,
  seriesOf,
  sumOf,
  WEEK,
} from './series.ts';
import { studySeries } from './study.ts';

/** The expected value of a row, by all days before the first of them. */
export interface Expectation {
  readonly expected: number;
  /** Bounds that hold it in 95 of 100 cases unless told otherwise. */
  readonly low: number;
  readonly high: number;
}

/** How a row compares with what was to be expected of it. */
export type ExpectedVerdict = 'normal' | 'high' | 'low';

/** An expectation, and how far what was counted lies from it, as a standard normal. */
export interface Expected extends Expectation {
  readonly score: number;
  /** The same as a share of the expected: -0.2 for a fifth less. */
  readonly distance: number;
  /** Share of the expected by which chance lets a row lie off, on the side on which it lies, as the bounds have it. */
  readonly noise: number;
}

/** Of a step or an episode among the days that teach, whose level goes on or came to an end before the first row. */
const HISTORY = 0.002;
/** A level of no more days than this at the end of what is known is not taken to go on, unless told otherwise. */
const LEAST_STEP_DAYS = 2;
/** The same where rows are judged: it may be one unusual week, whose first day is found days off. */
export const LEAST_LEVEL_DAYS = 10;
/** Whether the level that a change began is not usual yet on some day. */
export const isNewAt = (day: string, { from }: Pick<DatedChange, 'from'>) => dayAfter(from, LEAST_LEVEL_DAYS) >= day;
/** Last days of a weekday that say how many trials another will have. */
const ALIKE = 4;

/**
 * Changes of the days that teach, in a series that goes on behind them: what had not ended goes on where it lasted for more than `least`
 * days, and a single day says nothing.
 */
function continued(changes: readonly Change[], learned: number, size: number, least: number): Change[] {
  const hasLasted = ({ from, to }: Change) => to === learned && learned - from > least;
  return changes.map((change) => ({ ...change, shape: 'step', to: hasLasted(change) ? size : change.to }));
}

/** Days by which the first day of a change may be found off. */
const NEAR_DAYS = 3;

/** Steps that are known from elsewhere to begin on these days, as far as the series shows none there by itself; their size is learned. */
function knownSteps({ labels }: Series, found: readonly Change[], days: readonly string[]): Change[] {
  const to = labels.length;
  const begun = days.map((day) => labels.findIndex((label) => label >= day)).filter((at) => at > 0);
  const missed = begun.filter((at) => found.every(({ from, shape }) => shape === 'outlier' || Math.abs(from - at) > NEAR_DAYS));
  return missed.map((from) => ({ shape: 'step', from, to, effect: 0, error: 0, logP: 0, earliest: from, latest: from }));
}

/** Predicts sums over later days, as deviations; each list has the weights of the days behind the learned ones. */
function predictor(series: Series, noise: Noise, changes: readonly Change[], isAhead: boolean) {
  const { kind, learned, times, regressors, doubt } = series;
  const size = times.length;
  const fit = fitOf(series, noise, changes);
  const { apply, applyTransposed } = whitenerOf(times.subarray(0, learned), noise);
  const left = series.deviations.slice(0, learned);
  for (const [at, column] of fit.columns.entries()) {
    const coefficient = nthDouble(fit.coefficients, at);
    for (let day = 0; day < learned; day += 1) left[day] = nthDouble(left, day) - coefficient * nthDouble(column, day);
  }
  const precise = applyTransposed(apply(left));
  // Shocks carry over from the last day that is known: all that links later days to those before.
  const carried = Float64Array.from({ length: size - learned }, (_, at) => {
    return noise.carry ** (nthDouble(times, learned + at) - nthDouble(times, learned - 1));
  });
  const shared = Float64Array.from(
    { length: learned },
    (_, at) => noise.shock * noise.carry ** (nthDouble(times, learned - 1) - nthDouble(times, at)),
  );
  const sharedPrecise = applyTransposed(apply(shared.slice()));
  const ofState = { mean: dot(shared, precise), known: dot(shared, sharedPrecise) };
  const fromColumns = Float64Array.from(fit.columns, (column) => dot(column.subarray(0, learned), sharedPrecise));
  const isUnknown = isAhead && isSum(kind) && regressors.every(({ of }) => of !== 'season');
  return (weights: Float64Array) => {
    const linked = dot(weights, carried);
    const factors = Float64Array.from(
      fit.columns,
      (column, at) => dot(column.subarray(learned), weights) - linked * nthDouble(fromColumns, at),
    );
    const ofShocks = weights.reduce((sum, weight, one) => {
      const beside = weights.reduce((near, other, at) => {
        return near + other * noise.carry ** Math.abs(nthDouble(times, learned + one) - nthDouble(times, learned + at));
      }, 0);
      return sum + weight * (noise.shock * beside + weight * nthDouble(noise.sampling, learned + one));
    }, 0);
    const isAcross = doubt.subarray(learned - WEEK, learned + weights.findLastIndex(Boolean) + 1).some(Boolean);
    const days = weights.reduce((sum, weight, at) => sum + weight * (nthDouble(times, learned + at) - nthDouble(times, learned - 1)), 0);
    const ofColumns = fit.columns.reduce(
      (sum, column, at) => sum + dot(column.subarray(learned), weights) * nthDouble(fit.coefficients, at),
      0,
    );
    return {
      mean: ofColumns + linked * ofState.mean,
      variance:
        Math.max(0, ofShocks - linked ** 2 * ofState.known) +
        varianceOf(fit, factors) +
        (isUnknown ? seasonOf(kind, days, isAcross) ** 2 : 0),
    };
  };
}

/** Days of a row, by their labels; those that were counted have a numerator, a forecast has none. */
export interface ExpectedRow {
  readonly days: readonly (Omit<DailyPoint, 'numerator'> & { readonly numerator?: number })[];
}

/** The levels that days behind those that teach may have. */
interface Levels {
  /** A level of no more days at the end of what is known is not taken to go on. */
  readonly least?: number;
  /** Days on which something else shows that a level began, as a rate does for what is sold. */
  readonly steps?: readonly string[];
}

/**
 * A series of the days that teach and those behind them, and what predicts sums of the latter; `isAhead`: where last year is not known, a
 * season may begin.
 */
export function predictionOf(
  kind: MetricKind,
  history: readonly DailyPoint[],
  days: ExpectedRow['days'],
  isAhead: boolean,
  { least = LEAST_STEP_DAYS, steps = [] }: Levels = {},
) {
  const later = days.toSorted((a, b) => a.label.localeCompare(b.label)).map(asOrdinary);
  const first = later[0]?.label;
  if (first === undefined) return undefined;
  const past = daysIn(history, (label) => label < first);
  // Of what has long been over nothing is expected, as of what has not begun.
  if (past.slice(-FAR_DAYS).every(({ numerator }) => numerator === 0)) return undefined;
  const own = seriesOf(past, kind, first);
  if (!own || own.learned < LEAST_HISTORY_DAYS) return undefined;
  const study = studySeries(own, allShapes(own.block + WEEK, own.labels.length, HISTORY, LONGEST_EPISODE_DAYS));
  const series = seriesOf([...past, ...later.map((day) => ({ ...day, numerator: day.numerator ?? 0 }))], kind, first);
  if (!study || !series) return undefined;
  const added = knownSteps(own, study.changes, steps);
  const found = [...study.changes, ...added];
  const changes = continued(found, series.learned, series.times.length, least);
  const noise =
    added.length === 0
      ? { ...study.noise, sampling: samplingOf(series, study.noise) }
      : estimateNoise(
          series,
          found.filter(({ shape }) => shape !== 'outlier'),
        );
  if (!noise) return undefined;
  return { series, noise, predict: predictor(series, noise, changes, isAhead), isRare: isTooRare(own) };
}

/** A day behind those of a series; rates are taken to be of as many trials as on the last days of the same weekday. */
export function laterDay(points: readonly DailyPoint[], label: string): ExpectedRow['days'][number] {
  const weekdayOf = (day: string) => new Date(day).getUTCDay();
  const alike = points.filter((point) => weekdayOf(point.label) === weekdayOf(label)).slice(-ALIKE);
  const denominator = alike.length === 0 ? 1 : sumOf(alike, 'denominator') / alike.length;
  return { label, denominator, isWhole: true };
}

/** A deviation that stands for a relative change; the inverse of `relativeOf`. */
const deviationOf = ({ power }: Series, ratio: number) => (Math.max(1e-9, ratio) ** power - 1) / power;

/**
 * Expected values of rows, learned from the days before all of them: level, weekdays, month, season, special days, steps that go on, and
 * the carry-over of the last days. Undefined where less than three weeks are known. `chance` is that of a value outside the bounds;
 * `isRare`: days are sums of so few events that a single one decides them, so that bounds hold, but nothing can be called high or low.
 */
export const expectationsOf = kept('expectations', expectRows);

function expectRows(
  kind: MetricKind,
  history: readonly DailyPoint[],
  rows: readonly ExpectedRow[],
  { chance = 0.05, ...lasting }: Levels & { readonly chance?: number } = {},
) {
  const later = rows.flatMap(({ days }) => days);
  const found = predictionOf(kind, history, later, true, lasting);
  if (!found) return undefined;
  const { series, noise, predict, isRare } = found;
  const { learned } = series;
  const correction = isCounted(kind) ? ANSCOMBE : 0;
  const places = new Map(series.labels.map((label, at) => [label, at]));
  const reach = studentOf(scoreOfTail(Math.log(chance)), noise.freedom);
  const expected = rows.map(({ days }): Expected => {
    const at = days.flatMap(({ label }) => places.get(label) ?? []);
    const bases = Float64Array.from(at, (day) => nthDouble(series.expected, day) + correction);
    const base = total(bases);
    const weights = new Float64Array(series.times.length - learned);
    const levels = Float64Array.from(at, (day, index) => {
      const single = new Float64Array(weights.length);
      single[day - learned] = 1;
      return nthDouble(bases, index) * (1 + relativeOf(series, predict(single).mean));
    });
    const level = total(levels);
    // Days on which nothing is expected count alike.
    for (const [index, day] of at.entries()) weights[day - learned] = level > 0 ? nthDouble(levels, index) / level : 1 / at.length;
    const [middle, sd] = [deviationOf(series, level / base), Math.sqrt(predict(weights).variance)];
    const shift = correction * at.length;
    const trials = isSum(kind) ? 1 : sumOf(days, 'denominator');
    const valueAt = (deviation: number) => Math.max(0, base * (1 + relativeOf(series, deviation)) - shift) / trials;
    const counted = sumOf(days, 'numerator');
    const distance = counted / trials / valueAt(middle) - 1;
    const own = normalOf((deviationOf(series, (counted + shift) / base) - middle) / sd, noise.freedom);
    const events = at.reduce((sum, day) => sum + (series.events?.[day] ?? 0), 0);
    // A sum that one very large event lifts says nothing of the others.
    const score = own > 0 && events > 0 ? Math.min(own, scoreOfTail(logOfLarge(events, distance))) : own;
    return {
      expected: valueAt(middle),
      low: valueAt(middle - reach * sd),
      high: valueAt(middle + reach * sd),
      score,
      distance,
      noise: Math.max(
        Math.abs(valueAt(middle + Math.sign(own) * reach * sd) / valueAt(middle) - 1),
        own > 0 && events > 0 ? largeShare(events, chance) : 0,
      ),
    };
  });
  return { rows: expected, isRare };
}

/** Rows that are high or low, at a false discovery rate of 5 % over all of them. */
export function verdictsOf(rows: readonly Pick<Expected, 'score'>[]): ExpectedVerdict[] {
  const chances = rows.map(({ score }) => Math.exp(logTail(score)));
  const limit = discoveryLimit(chances, FALSE_DISCOVERY_RATES.unexpectedRows);
  return rows.map(({ score }, at): ExpectedVerdict => {
    if ((chances[at] ?? 1) > limit) return 'normal';
    return score > 0 ? 'high' : 'low';
  });
}
