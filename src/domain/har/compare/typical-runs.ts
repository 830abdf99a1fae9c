import { median, medianAbsoluteDeviation } from 'simple-statistics';
import { nth } from '../../../lib/nth.ts';
import type { PaintTimes } from '../analyse/largest-paint.ts';

/** A run of a step, as far as its choice depends on it. */
export interface RunFigures {
  /** Of the report, ms since 1970. */
  readonly date: number;
  readonly stepResultId: string;
  /** Null where the report does not say. */
  readonly requests: number | null;
  readonly loadTimeMs: number | null;
  readonly paints: PaintTimes;
}

/** Spreads below this share of the median count as equal. */
const LEAST_SPREAD = 0.02;

/** By how many spreads each value lies from the middle; 0 where it is unknown. */
function distances(values: readonly (number | null)[]): number[] {
  const known = values.filter((value) => value !== null);
  if (known.length === 0) return values.map(() => 0);
  const middle = median(known);
  const spread = Math.max(medianAbsoluteDeviation(known), LEAST_SPREAD * Math.abs(middle), 1);
  return values.map((value) => (value === null ? 0 : Math.abs(value - middle) / spread));
}

/** At most `most` runs whose number of requests, load time and LCP lie closest to the medians of all, the most typical first. */
export function typicalRuns<Run extends RunFigures>(runs: readonly Run[], most: number): Run[] {
  const all = [
    distances(runs.map(({ requests }) => requests)),
    distances(runs.map(({ loadTimeMs }) => loadTimeMs)),
    distances(runs.map(({ paints }) => paints.lcpMs)),
  ];
  const ranked = runs.map((run, index) => ({ run, distance: all.reduce((sum, each) => sum + nth(each, index), 0) }));
  return ranked
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, most)
    .map(({ run }) => run);
}

/** Runs on each side of a split at least. */
const LEAST_RUNS = 4;

/** Ranks from 0; equal values in their order. */
function ranksOf(values: readonly number[]): number[] {
  const ranks = values.map(() => 0);
  const order = values.map((value, index) => ({ value, index })).toSorted((a, b) => a.value - b.value);
  for (const [rank, { index }] of order.entries()) ranks[index] = rank;
  return ranks;
}

/** The date of the first run after a shift, and how clear it is as about a standard normal. */
interface Shift {
  readonly atMs: number;
  readonly score: number;
}

/**
 * Splits the runs where load times differ most before and after (CUSUM of ranks), whether or not the difference means anything; undefined
 * with fewer than eight runs.
 */
export function largestShift(runs: readonly RunFigures[]): Shift | undefined {
  const timed = runs
    .flatMap(({ date, loadTimeMs }) => (loadTimeMs === null ? [] : [{ date, loadTimeMs }]))
    .toSorted((a, b) => a.date - b.date);
  const middle = (timed.length - 1) / 2;
  const ranks = ranksOf(timed.map(({ loadTimeMs }) => loadTimeMs));
  // Of the ranks of as many runs.
  const spread = Math.max(1, timed.length) / Math.sqrt(12);
  let found: Shift | undefined;
  let sum = 0;
  for (const [index, rank] of ranks.entries()) {
    if (index >= LEAST_RUNS && index <= timed.length - LEAST_RUNS) {
      const score = Math.abs(sum) / Math.sqrt((index * (timed.length - index)) / timed.length) / spread;
      if (score > (found?.score ?? -1)) found = { atMs: timed[index]?.date ?? 0, score };
    }
    sum += rank - middle;
  }
  return found;
}
