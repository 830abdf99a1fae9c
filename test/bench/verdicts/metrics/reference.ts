import type { DailyPoint } from '../../../../src/metrics/engine/series.ts';
import { times } from '../../../support/times.ts';
import { seeded } from '../random.ts';

/**
 * The reference: weekday means and one variance of the logarithms of all days before the period, by least squares, with holidays known to
 * it and left out; the largest likelihood ratio over the days on which a change may have begun. It knows no autocorrelation, drift or
 * earlier changes and shares no code with the engine.
 */
export interface Referred {
  readonly isFound: boolean;
  /** Index of the first day of the change. */
  readonly start: number;
  readonly score: number;
}

/** An interval of days, the last one not included, and how far it lies from the days before the period. */
interface Scored {
  readonly from: number;
  readonly to: number;
  readonly score: number;
}

interface Fit {
  readonly residuals: readonly number[];
  readonly deviation: number;
  /** Days that stand behind the mean of each weekday. */
  readonly counts: readonly number[];
}

function fitOf(values: readonly number[], known: ReadonlySet<number>, learned: number): Fit {
  const groups = times(7, (): number[] => []);
  for (let day = 0; day < learned; day += 1) if (!known.has(day)) groups[day % 7]?.push(values[day] ?? 0);
  const means = groups.map((group) => group.reduce((sum, value) => sum + value, 0) / group.length);
  const counts = groups.map(({ length }) => length);
  const squares = groups.flatMap((group, weekday) => group.map((value) => (value - (means[weekday] ?? 0)) ** 2));
  const freedom = squares.length - 7;
  return {
    residuals: values.map((value, day) => value - (means[day % 7] ?? 0)),
    deviation: Math.sqrt(squares.reduce((sum, square) => sum + square, 0) / freedom),
    counts,
  };
}

/** The interval that lies farthest off among those that begin from day `from` on; with `isToEnd` only those that last. */
function farthest({ residuals, deviation, counts }: Fit, from: number, isToEnd: boolean): Scored {
  const end = residuals.length;
  let best: Scored = { from, to: end, score: 0 };
  for (let start = from; start < end; start += 1) {
    let [sum, doubt] = [0, 0];
    const taken = times(7, () => 0);
    for (let day = start; day < end; day += 1) {
      const weekday = day % 7;
      sum += residuals[day] ?? 0;
      doubt += (2 * (taken[weekday] ?? 0) + 1) / (counts[weekday] ?? 1);
      taken[weekday] = (taken[weekday] ?? 0) + 1;
      if (isToEnd && day + 1 < end) continue;
      const score = sum / (deviation * Math.sqrt(day + 1 - start + doubt));
      if (Math.abs(score) > Math.abs(best.score)) best = { from: start, to: day + 1, score };
    }
  }
  return best;
}

const limits = new Map<string, number>();
const NONE: ReadonlySet<number> = new Set();

/** The score that one unchanged series in `1 / chance` exceeds, by simulation. */
function limitOf(days: number, learned: number, chance: number): number {
  const key = `${days}/${learned}/${chance}`;
  const known = limits.get(key);
  if (known !== undefined) return known;
  const { normal } = seeded(4_711);
  const draws = 20_000;
  const scores = times(draws, () => {
    const values = Array.from({ length: days }, normal);
    return Math.abs(farthest(fitOf(values, NONE, learned), learned, true).score);
  });
  const limit = scores.toSorted((a, b) => b - a)[Math.floor(draws * chance)] ?? Number.NaN;
  limits.set(key, limit);
  return limit;
}

const logarithms = (points: readonly DailyPoint[]) => points.map(({ numerator, denominator }) => Math.log((numerator + 0.5) / denominator));

/** Looks for a change that began on or after day `learned` and lasts to the end; errs in `chance` of unchanged series. */
export function referTo(points: readonly DailyPoint[], holidays: ReadonlySet<number>, learned: number, chance = 0.01): Referred {
  const { score, from } = farthest(fitOf(logarithms(points), holidays, learned), learned, true);
  return { isFound: Math.abs(score) > limitOf(points.length, learned, chance), start: from, score };
}

/** The farthest intervals of a series from day `learned` on, each taken out before the next is sought. */
export function referToIntervals(points: readonly DailyPoint[], holidays: ReadonlySet<number>, learned: number, most: number): Scored[] {
  let fit = fitOf(logarithms(points), holidays, learned);
  return times(most, () => {
    const best = farthest(fit, learned, false);
    const own = fit.residuals.slice(best.from, best.to);
    const effect = own.reduce((sum, value) => sum + value, 0) / own.length;
    const residuals = fit.residuals.map((value, day) => (day >= best.from && day < best.to ? value - effect : value));
    fit = { ...fit, residuals };
    return best;
  });
}

/** Student's t of a straight slope over all days, weekdays taken out and holidays left out, by least squares. */
export function referToSlope(points: readonly DailyPoint[], holidays: ReadonlySet<number>): number {
  const days = logarithms(points).flatMap((value, day) => (holidays.has(day) ? [] : [{ day, value }]));
  const centred = days.map(({ day, value }) => {
    const same = days.filter((other) => other.day % 7 === day % 7);
    const mean = (of: (each: { day: number; value: number }) => number) => same.reduce((sum, each) => sum + of(each), 0) / same.length;
    return { x: day - mean((each) => each.day), y: value - mean((each) => each.value) };
  });
  const sum = (of: (each: { x: number; y: number }) => number) => centred.reduce((total, each) => total + of(each), 0);
  const slope = sum(({ x, y }) => x * y) / sum(({ x }) => x ** 2);
  const variance = sum(({ x, y }) => (y - slope * x) ** 2) / (centred.length - 8);
  return slope / Math.sqrt(variance / sum(({ x }) => x ** 2));
}

const dot = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
/** What of a column the orthonormal directions leave. */
const leftOf = (column: readonly number[], directions: readonly (readonly number[])[]) =>
  directions.reduce<readonly number[]>((left, direction) => {
    const share = dot(left, direction);
    return left.map((value, at) => value - share * (direction[at] ?? 0));
  }, column);

/** Orthonormal directions that span the columns. */
function spanOf(columns: readonly (readonly number[])[]): (readonly number[])[] {
  const directions: (readonly number[])[] = [];
  for (const column of columns) {
    const left = leftOf(column, directions);
    const length = Math.sqrt(dot(left, left));
    if (length > 1e-9) directions.push(left.map((value) => value / length));
  }
  return directions;
}

/** The largest score of a step beside weekdays and a straight slope, which all days together estimate. */
function farthestBesideSlope(values: readonly number[], known: ReadonlySet<number>, learned: number): number {
  const isIn = (day: number) => (known.has(day) ? 0 : 1);
  const days = values.map((_, day) => day);
  const columns = [
    ...times(7, (weekday) => days.map((day) => (day % 7 === weekday ? isIn(day) : 0))),
    days.map((day) => isIn(day) * (day - days.length / 2)),
  ];
  const [all, past] = [spanOf(columns), spanOf(columns.map((column) => column.map((value, day) => (day < learned ? value : 0))))];
  const own = values.map((value, day) => value * isIn(day));
  const residuals = leftOf(
    own.map((value, day) => (day < learned ? value : 0)),
    past,
  );
  const freedom = days.filter((day) => day < learned && !known.has(day)).length - past.length;
  const deviation = Math.sqrt(dot(residuals, residuals) / freedom);
  return days.slice(learned).reduce((best, start) => {
    const step = leftOf(
      days.map((day) => (day >= start ? isIn(day) : 0)),
      all,
    );
    const score = dot(step, own) / (deviation * Math.sqrt(dot(step, step)));
    return Math.abs(score) > Math.abs(best) ? score : best;
  }, 0);
}

/** Of unchanged weeks that follow 91 days, 1 % exceed it (20,000 drawn). */
const LIMIT_BESIDE_SLOPE = 3.172;

/**
 * A reference that knows the holidays as well, but leaves room for a straight slope, as anything must that takes slow drift for no change.
 * Its score over its limit of 1 %: below −1 a fall is found.
 */
export function referBesideSlope(points: readonly DailyPoint[], holidays: ReadonlySet<number>, learned: number): number {
  return farthestBesideSlope(logarithms(points), holidays, learned) / LIMIT_BESIDE_SLOPE;
}
