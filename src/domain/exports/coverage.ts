import { DAY_MS } from '../../lib/clock.ts';
import { type Interval, intersect, subtract, union } from '../../lib/intervals.ts';

/** All time there is. */
export const EVER: readonly Interval[] = [{ startMs: Number.NEGATIVE_INFINITY, endMs: Number.POSITIVE_INFINITY }];

/** UTC days, as numbers since 1970, as time. */
export function timeOfDays(days: Iterable<number>): Interval[] {
  return Array.from(days, (day) => ({ startMs: day * DAY_MS, endMs: (day + 1) * DAY_MS }));
}

/**
 * The time whose rows answer, of them those with a column; what holds the visits of one device alone counts only for a question about that
 * device.
 */
export type Held = (column?: string, deviceIds?: readonly number[]) => readonly Interval[];

/** Time of a question that files do not answer. */
export interface Lack {
  readonly days: readonly Interval[];
  /** The column for want of which they do not; left out where there are no rows. */
  readonly column?: string;
}

/** The time of a question that files answer with all its columns, and the rest with the reason. */
export interface Coverage {
  readonly have: readonly Interval[];
  readonly lack: readonly Lack[];
}

/** The time that files do not answer, whyever. */
export const timeOfLack = (lack: Coverage['lack']) => union(lack.flatMap(({ days }) => days));

/** Holds a question against files. */
export function coverageOf(asked: readonly Interval[], columns: Iterable<string>, held: Held, deviceIds?: readonly number[]): Coverage {
  const rows = intersect(asked, held(undefined, deviceIds));
  const lack: Lack[] = [
    { days: subtract(asked, rows) },
    ...Array.from(new Set(columns), (column) => ({ days: subtract(rows, held(column, deviceIds)), column })),
  ].filter(({ days }) => days.length > 0);
  return { have: lack.reduce((left, { days }) => subtract(left, days), rows), lack };
}
