import { nth, nthDouble, nthPlace, nthUnsigned } from '../../lib/nth.ts';
import { inverseOf } from '../../statistics/elimination.ts';
import { median } from '../../statistics/order.ts';
import { dot } from '../../statistics/vectors.ts';
import { type Weights, whiten } from '../../statistics/whitening.ts';
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

/** Adds to the number at a place. */
function add(values: Float64Array, place: number, amount: number): void {
  values[place] = nthDouble(values, place) + amount;
}

/**
 * The normal equations of the factors of all cells, and on how many days each cell has a run. Sums run by run: a whitened run lies in four
 * cells alone, its own weekday and hour and those of the run before.
 */
function equationsOf(series: Float64Array, places: Int32Array, { own, kept }: Weights, { weekday, hour, day }: LocalTime) {
  // A weak pull to 0 says what the runs leave open: that weekdays and hours have no level of their own.
  const matrix = Array.from({ length: SIZE }, (_, cell) => new Float64Array(SIZE).fill(RIDGE, cell, cell + 1));
  const [right, returns, lastDays] = [new Float64Array(SIZE), new Float64Array(SIZE), new Float64Array(SIZE).fill(Number.NaN)];
  // The cells of a run, then those of the run before, and what each counts.
  const [cells, shares] = [new Int32Array(4), new Float64Array(4)];
  for (let index = 0; index < places.length; index += 1) {
    const run = nthPlace(places, index);
    const weight = nthDouble(own, index);
    cells.copyWithin(2, 0, 2);
    cells[0] = nthUnsigned(weekday, run);
    cells[1] = HOURS + nthUnsigned(hour, run);
    shares.fill(weight, 0, 2);
    shares.fill(nthDouble(kept, index) - weight, 2);
    const count = index === 0 ? 2 : 4;
    for (let place = 0; place < count; place += 1) {
      const cell = nthPlace(cells, place);
      const share = nthDouble(shares, place);
      add(right, cell, share * nthDouble(series, index));
      const row = matrix[cell] ?? right;
      for (let other = 0; other < count; other += 1) add(row, nthPlace(cells, other), share * nthDouble(shares, other));
    }
    for (let place = 0; place < 2; place += 1) {
      const cell = nthPlace(cells, place);
      if (lastDays[cell] !== day[run]) add(returns, cell, 1);
      lastDays[cell] = nthPlace(day, run);
    }
  }
  return { matrix, right, returns };
}

/**
 * The effect of hour and weekday on each run, log scale, by generalised least squares, which sees the jumps between cells that slow waves
 * of the noise do not hide. The factors of a kind are pulled to their mean by the share of their scatter that chance explains (James and
 * Stein 1961; Efron and Morris 1973).
 */
export function cycleOf({ deviations, places, weights, sigma }: Deviations, time: LocalTime): Float64Array {
  const series = whiten(deviations, weights);
  const { matrix, right, returns } = equationsOf(series, places, weights, time);
  const inverse = inverseOf(matrix);
  const raw = inverse.map((row) => dot(row, right));
  // A level that is not known yet scatters more than the noise.
  const variance = Math.max(sigma * sigma, (dot(series, series) - dot(Float64Array.from(raw), right)) / places.length);
  const factors = new Float64Array(SIZE);
  for (const [from, to] of [[0, HOURS] as const, [HOURS, SIZE] as const]) {
    const known = Array.from({ length: to - from }, (_, at) => from + at).filter((cell) => nthDouble(returns, cell) >= LEAST_RETURNS);
    if (known.length >= (to - from) / 2) shrink(factors, raw, inverse, known, variance);
  }
  const cycle = new Float64Array(time.hour.length);
  for (let run = 0; run < cycle.length; run += 1)
    cycle[run] = nthDouble(factors, nthUnsigned(time.weekday, run)) + nthDouble(factors, HOURS + nthUnsigned(time.hour, run));
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
