import { median } from 'simple-statistics';
import { DAY_MS } from '../../../lib/clock.ts';

/** A column that moves a series by a factor which is known up to this prior. */
export interface Regressor {
  readonly column: Float64Array;
  readonly mean: number;
  readonly sd: number;
}

/** Before this year's days speak, a site is taken to follow most of its own season of last year. */
const SEASON = { mean: 0.7, sd: 0.5 };
/** Waves of the month (1 for a month, 2 for half of one), which follow pay days. */
const HARMONICS = [1, 2];
/** Days that know two months. */
const LEAST_DAYS = 56;
/** A cycle that counts for nothing, and how far its waves must lie beyond chance to be one: 8 % of series without a cycle do. */
const NO_CYCLE = 0.001;
const BEYOND_CHANCE = 2.1;
/** Days by which a month is longer than the wave that stands for it here: a slow course must not look like a cycle. */
const HALF_MONTH = 15;

/** The season of last year about its mean; undefined where it is not known for each day. */
export function seasonOf(levels: readonly (number | undefined)[]): Regressor | undefined {
  const known = levels.filter((level) => level !== undefined);
  if (known.length < levels.length || known.length === 0) return undefined;
  const mean = known.reduce((sum, level) => sum + level, 0) / known.length;
  return { column: Float64Array.from(known, (level) => level - mean), ...SEASON };
}

/** How far through its month a day is, 0 … 2π. */
function phaseOf(time: number): number {
  const date = new Date(time * DAY_MS);
  const length = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate();
  return (2 * Math.PI * (date.getUTCDate() - 0.5)) / length;
}

/** Days without the slow course of a month around them, and without what lies far off. */
function detrended(values: Float64Array, doubt: Float64Array): Float64Array {
  const around = values.map((value, at) => {
    const near = values.subarray(Math.max(0, at - HALF_MONTH), at + HALF_MONTH + 1);
    return value - near.reduce((sum, other) => sum + other, 0) / near.length;
  });
  const most = 4 * (median(Array.from(around, Math.abs)) || 1);
  return around.map((value, at) => ((doubt[at] ?? 0) > 0 ? 0 : Math.max(-most, Math.min(most, value))));
}

/**
 * The cycle of a month as waves, whose prior is what their first estimates are beyond chance (empirical Bayes), as that of weekdays;
 * `deviations` are those of the days that teach. None where fewer than two months teach.
 */
export function monthCycle(times: Float64Array, deviations: Float64Array, doubt: Float64Array, variance: number): Regressor[] {
  const days = deviations.length;
  if (days < LEAST_DAYS) return [];
  const phases = times.map(phaseOf);
  const columns = HARMONICS.flatMap((harmonic) => [
    phases.map((phase) => Math.cos(harmonic * phase)),
    phases.map((phase) => Math.sin(harmonic * phase)),
  ]);
  const values = detrended(deviations, doubt);
  const squares = columns.map((column) => ((2 / days) * values.reduce((sum, value, at) => sum + value * (column[at] ?? 0), 0)) ** 2);
  const mean = squares.reduce((sum, square) => sum + square, 0) / squares.length;
  // What carries over from day to day lends to slow waves about twice the variance of independent days.
  const chance = (2 * 2 * variance) / days;
  if (mean < BEYOND_CHANCE * chance) return [];
  return columns.map((column) => ({ column, mean: 0, sd: Math.sqrt(Math.max(mean - chance, NO_CYCLE ** 2)) }));
}
