import { nth, nthDouble, nthPlace, nthUnsigned } from '../../../lib/nth.ts';
import { inverseOf } from '../../../statistics/elimination.ts';
import { median } from '../../../statistics/order.ts';
import { dot } from '../../../statistics/vectors.ts';
import type { Weights } from '../../../statistics/whitening.ts';
import type { LocalTime } from './local-time.ts';

/** Times that an hour or weekday must have come back before it can have a factor. */
const LEAST_RETURNS = 3;
const RIDGE = 1e-3;
/** Days on each side from which the level of a day is taken: a week has the same weekdays wherever it begins. */
const HALF_WEEK = 3;

/** The median of the week around each run's day; a shift of level passes it unchanged. */
export function weeklyLevel(x: Float64Array, { day }: LocalTime): Float64Array {
  const level = new Float64Array(x.length);
  const [first = 0, last = 0] = [day[0], day.at(-1)];
  let [low, high] = [0, 0];
  for (let from = 0, to = 0; from < x.length; from = to) {
    const own = nthPlace(day, from);
    while (to < x.length && day[to] === own) to += 1;
    const middle = Math.max(first + HALF_WEEK, Math.min(last - HALF_WEEK, own));
    while (nthPlace(day, low) < middle - HALF_WEEK) low += 1;
    while (high < x.length && nthPlace(day, high) <= middle + HALF_WEEK) high += 1;
    level.fill(median(x.subarray(low, high)), from, to);
  }
  return level;
}

interface Whitened {
  /** Deviations from the level, with the cycle in them, of the runs at `places`. */
  readonly deviations: Float64Array;
  readonly places: Int32Array;
  readonly weights: Weights;
  readonly sigma: number;
}

/** First cell and the next kind's first, of weekdays and of hours. */
const BLOCKS = [
  [0, 7],
  [7, 31],
] as const;
const SIZE = 31;

/**
 * The effect of hour and weekday on each run, log scale, by generalised least squares, which sees the jumps between cells that slow waves
 * of the noise do not hide. Each whitened run has its own cells and, weighted with its AR(1) coefficient, those of the run before. The
 * factors of a kind are pulled to their mean by the share of their scatter that chance explains (James and Stein 1961; Efron and Morris
 * 1973).
 */
export function cycleOf({ deviations, places, weights: { own, kept }, sigma }: Whitened, time: LocalTime): Float64Array {
  const matrix = Array.from({ length: SIZE }, () => new Float64Array(SIZE));
  const [right, returns] = [new Float64Array(SIZE), new Float64Array(SIZE)];
  const lastDay = new Int32Array(SIZE).fill(-1);
  const [cells, shares] = [new Uint8Array(4), new Float64Array(4)];
  let [before, squares] = [0, 0];
  for (let index = 0; index < places.length; index += 1) {
    const run = nthPlace(places, index);
    const deviation = nthDouble(deviations, index);
    const weight = nthDouble(own, index);
    const past = index === 0 ? 0 : nthDouble(kept, index) - weight;
    cells.copyWithin(2, 0, 2);
    cells[0] = nthUnsigned(time.weekday, run);
    cells[1] = 7 + nthUnsigned(time.hour, run);
    shares.fill(weight, 0, 2).fill(past, 2);
    const value = weight * deviation + past * before;
    before = deviation;
    squares += value * value;
    for (let one = 0; one < 4; one += 1) {
      const cell = nthUnsigned(cells, one);
      const share = nthDouble(shares, one);
      right[cell] = nthDouble(right, cell) + share * value;
      const line = matrix[cell] ?? right;
      for (let other = 0; other < 4; other += 1) {
        const at = nthUnsigned(cells, other);
        line[at] = nthDouble(line, at) + share * nthDouble(shares, other);
      }
    }
    for (let one = 0; one < 2; one += 1) {
      const cell = nthUnsigned(cells, one);
      if (lastDay[cell] !== time.day[run]) returns[cell] = nthDouble(returns, cell) + 1;
      lastDay[cell] = nthPlace(time.day, run);
    }
  }
  // A weak pull to 0 says what the runs leave open: that weekdays and hours have no level of their own.
  for (const [cell, row] of matrix.entries()) row[cell] = nthDouble(row, cell) + RIDGE;
  const inverse = inverseOf(matrix);
  const raw = inverse.map((row) => dot(row, right));
  // A level that is not known yet scatters more than the noise.
  const variance = Math.max(sigma * sigma, (squares - dot(Float64Array.from(raw), right)) / places.length);
  const factors = new Float64Array(SIZE);
  for (const [from, to] of BLOCKS) {
    const known = Array.from({ length: to - from }, (_, place) => from + place).filter((cell) => nthDouble(returns, cell) >= LEAST_RETURNS);
    if (known.length >= (to - from) / 2) shrink(factors, raw, inverse, known, variance);
  }
  const cycle = new Float64Array(time.hour.length);
  for (let run = 0; run < cycle.length; run += 1)
    cycle[run] = nthDouble(factors, nthUnsigned(time.weekday, run)) + nthDouble(factors, 7 + nthUnsigned(time.hour, run));
  return cycle;
}

/** The factors of the cells of one kind. */
function shrink(
  factors: Float64Array,
  raw: readonly number[],
  inverse: readonly Float64Array[],
  known: readonly number[],
  variance: number,
) {
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
