import { ApiError } from '../api/errors.ts';
import { instantOf } from '../api/params.ts';
import { rangeText } from '../findings/wording.ts';
import { DAY_MS, dayText, MINUTE_MS } from '../lib/clock.ts';
import { type Interval, intersect, subtract, union } from '../lib/intervals.ts';
import { counted } from '../lib/number-text.ts';

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

/** The days that are asked about, as the boundary resolves them; the end of an export is an instant. */
export interface AskedDays {
  readonly startDate?: string | undefined;
  readonly endDate?: string | undefined;
}

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

/**
 * The range of a run, job or plan, without any time where it is not known. Whether the interface counts the end in is not documented, so
 * the last second of a minute means the next.
 */
export function rangeOf({ from, to }: { readonly from?: string | null | undefined; readonly to?: string | null | undefined }): Interval {
  const endMs = instantOf(to ?? '');
  const intoMinuteMs = endMs % MINUTE_MS;
  return { startMs: instantOf(from ?? ''), endMs: intoMinuteMs >= MINUTE_MS - 1_000 ? endMs - intoMinuteMs + MINUTE_MS : endMs };
}

/** After this a caller may ask again for what is being read or loaded. */
export const RETRY_MS = 5_000;

/** Days of a question: those that its files cover, the others, and of these the days whose downloads are still being read. */
interface DaysHeld extends Readonly<Record<'covered' | 'missing' | 'reading', readonly number[]>> {
  /** Whether the question names its days: else there is no number of which these are a part. */
  readonly areAsked: boolean;
}

/** Ranges of days that the first sentence names. */
const MOST_RANGES = 2;

/** UTC days in the middle of a sentence: `from 15 to 18 Nov and on 20 Nov`; undefined where they are none, or of many ranges. */
export function daysText(days: Iterable<number>): string | undefined {
  const ranges = union(timeOfDays(days)).map(({ startMs, endMs }) => [dayText(startMs / DAY_MS), dayText(endMs / DAY_MS - 1)] as const);
  const year = ranges.at(-1)?.[1].slice(0, 4) ?? '';
  if (ranges.length === 0 || ranges.length > MOST_RANGES) return undefined;
  return ranges.map(([from, to]) => rangeText(from, to, year)).join(' and ');
}

/**
 * The sentence that an answer begins with where it covers not all days; with a blank behind it, else empty. Throws where more of them are
 * still being read than are covered.
 */
export function coveredLead({ covered, missing, reading, areAsked }: DaysHeld): string {
  const count = covered.length + missing.length;
  const all = counted(count, 'day');
  const are = `${reading.length === 1 ? 'is' : 'are'} still being read`;
  if (reading.length > covered.length)
    throw new ApiError('busy', `${reading.length === count ? all : `${reading.length} of the ${all}`} ${are}.`, { retryAfterMs: RETRY_MS });
  const again = `ask again for ${reading.length === 1 ? 'it' : 'them'}`;
  if (!areAsked) return reading.length === 0 ? '' : `${counted(reading.length, 'more day')} ${are}, and not counted yet: ${again}. `;
  if (missing.length === 0) return '';
  const rest = reading.length === 0 ? '' : `; ${reading.length} more ${are}, ${again}`;
  const ranges = daysText(covered);
  const which = ranges === undefined ? '' : `, ${ranges}`;
  const own = count === 1 ? 'do not cover the day' : `cover none of the ${all}`;
  return `The downloads ${covered.length === 0 ? own : `cover only ${covered.length} of the ${all}${which}`}${rest}. `;
}
