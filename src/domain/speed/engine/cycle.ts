import { nth, nthDouble, nthPlace, nthUnsigned } from '../../../lib/nth.ts';
import { leastSquares } from '../../../statistics/elimination.ts';
import { median } from '../../../statistics/order.ts';
import { dot } from '../../../statistics/vectors.ts';
import { type Weights, whiten } from '../../../statistics/whitening.ts';
import type { LocalTime } from './local-time.ts';

/** Times that an hour or weekday must have come back before it can have a factor. */
const LEAST_RETURNS = 3;
const RIDGE = 1e-3;
/** Days on each side from which the level of a day is taken: a week has the same weekdays wherever it begins. */
const HALF_WEEK = 3;

/** The median of the week around each run's day; a shift of level passes it unchanged. */
export function weeklyLevel(x: Float64Array, { day }: LocalTime): Float64Array {
  const [first = 0, last = 0] = [day[0], day.at(-1)];
  const levels = new Map(
    [...new Set(day)].map((own) => {
      const middle = Math.max(first + HALF_WEEK, Math.min(last - HALF_WEEK, own));
      return [own, median(x.filter((_, run) => Math.abs(nthPlace(day, run) - middle) <= HALF_WEEK))] as const;
    }),
  );
  return x.map((_, run) => levels.get(nthPlace(day, run)) ?? Number.NaN);
}

/** The cells of the weekdays, and from here on those of the hours. */
const HOURS = 7;
const SIZE = 31;

interface Deviations {
  /** Deviations from the level, with the cycle in them, of the runs at `places`. */
  readonly deviations: Float64Array;
  readonly places: Int32Array;
  readonly weights: Weights;
  readonly sigma: number;
}

/** The runs of each cell, 1 where a run is of it, and on how many days it has one. */
function cellsOf(places: Int32Array, { weekday, hour, day }: LocalTime) {
  const columns = Array.from({ length: SIZE }, () => new Float64Array(places.length));
  const days = columns.map(() => new Set<number>());
  for (const [index, run] of places.entries())
    for (const cell of [nthUnsigned(weekday, run), HOURS + nthUnsigned(hour, run)]) {
      columns[cell]?.fill(1, index, index + 1);
      days[cell]?.add(nthPlace(day, run));
    }
  return { columns, returns: days.map(({ size }) => size) };
}

/**
 * The effect of hour and weekday on each run, log scale, by generalised least squares, which sees the jumps between cells that slow waves
 * of the noise do not hide. The factors of a kind are pulled to their mean by the share of their scatter that chance explains (James and
 * Stein 1961; Efron and Morris 1973).
 */
export function cycleOf({ deviations, places, weights, sigma }: Deviations, time: LocalTime): Float64Array {
  const series = whiten(deviations, weights);
  const { columns, returns } = cellsOf(places, time);
  // A weak pull to 0 says what the runs leave open: that weekdays and hours have no level of their own.
  const whitened = columns.map((column) => whiten(column, weights));
  const { inverse, right, heights: raw } = leastSquares(whitened, series, RIDGE);
  // A level that is not known yet scatters more than the noise.
  const variance = Math.max(sigma * sigma, (dot(series, series) - dot(raw, right)) / places.length);
  const factors = new Float64Array(SIZE);
  for (const [from, to] of [[0, HOURS] as const, [HOURS, SIZE] as const]) {
    const known = Array.from({ length: to - from }, (_, at) => from + at).filter((cell) => nth(returns, cell) >= LEAST_RETURNS);
    if (known.length >= (to - from) / 2) shrink(factors, raw, inverse, known, variance);
  }
  return new Float64Array(time.hour.length).map(
    (_, run) => nthDouble(factors, nthUnsigned(time.weekday, run)) + nthDouble(factors, HOURS + nthUnsigned(time.hour, run)),
  );
}

/** The factors of the cells of one kind. */
function shrink(factors: Float64Array, raw: Float64Array, inverse: readonly Float64Array[], known: readonly number[], variance: number) {
  const mean = (of: (cell: number) => number) => known.reduce((sum, cell) => sum + of(cell), 0) / known.length;
  const centre = mean((cell) => nth(raw, cell));
  // Variances of each cell's distance from the mean of its kind: that of the mean itself is no part of the cycle.
  const shared = (cell: number) => mean((other) => nth(inverse[cell] ?? [], other));
  const whole = mean(shared);
  const chance = (cell: number) => variance * (nth(inverse[cell] ?? [], cell) - 2 * shared(cell) + whole);
  const spread = (mean((cell) => (nth(raw, cell) - centre) ** 2) * known.length) / (known.length - 1);
  const real = Math.max(0, spread - mean(chance));
  for (const cell of known) if (real > 0) factors[cell] = ((nth(raw, cell) - centre) * real) / (real + chance(cell));
}
