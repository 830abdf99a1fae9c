import { dayAfter } from '../../lib/calendar.ts';
import { kept, keptFit } from '../../statistics/kept-fits.ts';
import { largeShare, scoreOfTail, studentOf } from '../../statistics/tails.ts';
import { total } from '../../statistics/vectors.ts';
import { type ExpectedRow, laterDay, predictionOf } from './expectation.ts';
import { ERRORS, LEAST_CLEAR } from './judge.ts';
import { stepCount } from './seek.ts';
import { type DailyPoint, type MetricKind, relativeOf, WEEK } from './series.ts';
import { logOfNone } from './study.ts';

/** Standard normal below which four of five values lie. */
const FOUR_OF_FIVE = 0.8416;
/** The longest that is looked ahead. */
export const MOST_DAYS_TO_SHOW = 92;
/** Lengths that are tried, in days, before the days between two of them are. */
const LENGTHS: readonly number[] = [1, 3, 7, 14, 28, 56, MOST_DAYS_TO_SHOW];

/** Chance that a step of so many days is allowed to be. */
const levelOf = (days: number) => ERRORS.step * Math.sqrt(WEEK / Math.max(WEEK, days));

/** Score that a step must have on one of the possible first days, as a standard normal. */
function neededScore(days: number): number {
  return scoreOfTail(Math.log(levelOf(days) / stepCount(days)));
}

/**
 * The smallest rise (`side` 1) or fall (−1) on the first `count` of the days behind the learned ones that lies beyond the limit in four of
 * five cases, as a share; a rise of a sum must also be more than one very large event makes.
 */
function smallestOf({ series, noise, predict }: NonNullable<ReturnType<typeof predictionOf>>, count: number, side: 1 | -1): number {
  const { learned, expected, events } = series;
  const weights = expected.slice(learned).fill(0, count);
  const sum = total(weights);
  const error = Math.sqrt(predict(weights.map((weight) => weight / sum)).variance);
  const size = relativeOf(series, side * (studentOf(neededScore(count), noise.freedom) + FOUR_OF_FIVE) * error);
  if (!events || side < 0) return size;
  const large = largeShare(total(events, learned, learned + count), LEAST_CLEAR / count);
  return Math.max(size, (1 + large) * (1 + relativeOf(series, FOUR_OF_FIVE * error)) - 1);
}

/**
 * The smallest lasting rise (`side` 1) or fall (−1) since the first of some days that they would show in four of five cases: 0.05 for 5 %
 * more, −1 where chance alone may leave nothing on such days. Undefined where less than three weeks are known.
 */
export const detectableChange = kept('detectable', smallestSince);

function smallestSince(kind: MetricKind, history: readonly DailyPoint[], days: ExpectedRow['days'], side: 1 | -1): number | undefined {
  const prediction = predictionOf(kind, history, days, false);
  if (!prediction) return undefined;
  if (side < 0 && logOfNone(prediction) > Math.log(levelOf(days.length))) return -1;
  return smallestOf(prediction, days.length, side);
}

/**
 * The smallest lasting rise behind the last day, as a share, that so many days would show in four of five cases, by length; undefined where
 * less than three weeks are known.
 */
function sizesAhead(kind: MetricKind, history: readonly DailyPoint[]): (length: number) => number | undefined {
  const last = history.at(-1)?.label;
  if (last === undefined) return () => undefined;
  const days = Array.from({ length: MOST_DAYS_TO_SHOW }, (_, at) => laterDay(history, dayAfter(last, at + 1)));
  // What may drift over a long time hides less in a short one, so each length has a prediction of its own.
  return (length) => {
    return keptFit('detectable ahead', [kind, history, length], () => {
      const prediction = predictionOf(kind, history, days.slice(0, length), false);
      return prediction && smallestOf(prediction, length, 1);
    });
  };
}

/** The smallest lasting rise that 92 days would show in four of five cases, as a share; undefined where fewer than 21 days are known. */
export function smallestAhead(kind: MetricKind, history: readonly DailyPoint[]): number | undefined {
  const sizeAfter = sizesAhead(kind, history);
  const sizes = LENGTHS.flatMap((length) => sizeAfter(length) ?? []);
  return sizes.length > 0 ? Math.min(...sizes) : undefined;
}

/**
 * Days after which a lasting change of this size that begins behind the last day would show in four of five cases:
 * null where that is later than in 92 days, undefined where less than three weeks are known.
 */
export function daysToShow(kind: MetricKind, history: readonly DailyPoint[], size: number): number | null | undefined {
  const sizeAfter = sizesAhead(kind, history);
  const shows = (length: number) => (sizeAfter(length) ?? Number.POSITIVE_INFINITY) <= size;
  const found = LENGTHS.find(shows);
  if (found === undefined) return sizeAfter(1) === undefined ? undefined : null;
  let [early, late] = [LENGTHS[LENGTHS.indexOf(found) - 1] ?? 0, found];
  while (late - early > 1) {
    const middle = Math.floor((late + early) / 2);
    if (shows(middle)) late = middle;
    else early = middle;
  }
  return late;
}
