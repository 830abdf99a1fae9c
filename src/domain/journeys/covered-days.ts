import { ApiError, refuse } from '../../api/errors.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { rangeTexts } from '../../lib/dates.ts';
import { hint } from '../../lib/hint.ts';
import { union } from '../../lib/intervals.ts';

/** UTC days as numbers since 1970. */
export interface CoveredDays {
  /** First and last day of the range that is asked for, or that was chosen. */
  readonly first: number;
  readonly last: number;
  /** Days of it that all needed files cover whole, in order. */
  readonly covered: readonly number[];
  /** The other days of it, in order. */
  readonly missing: readonly number[];
  /** The last day that the files cover whole, which may lie behind the range. */
  readonly lastOfFiles: number;
  /** All days that the files cover whole. */
  readonly ofFiles: ReadonlySet<number>;
}

/** A day as `2026-11-09`. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The day of `2026-11-09`. */
export function dayFrom(date: string): number {
  return Date.parse(`${date.slice(0, 10)}T00:00:00Z`) / DAY_MS;
}

/** Days as ranges. */
export const rangesOf = (days: Iterable<number>) =>
  union(Array.from(days, (day) => ({ startMs: day * DAY_MS, endMs: (day + 1) * DAY_MS })));

/** The same in words: `2026-11-09 … 2026-11-15 (7 days, UTC)`. */
export const daysWords = (days: Iterable<number>) => rangeTexts(rangesOf(days), 'UTC');

/** Days that most answers take where the caller names none. */
export const USUAL_DAYS = 7;

/** A question about days; `files` says which files cover which days. */
export interface DaysAsked {
  readonly first?: number | undefined;
  readonly last?: number | undefined;
  /** Days after the range that the files must cover too for a whole window. */
  readonly followDays?: number | undefined;
  /** Days that an answer takes where the caller names none. */
  readonly usualDays?: number | undefined;
}

/** A file of a scope, or its column, and the days that it covers whole. */
export interface FileDays {
  readonly name: string;
  readonly days: ReadonlySet<number>;
  /** The fields for want of which it does not cover some days, of which it holds all rows; none where rows are missing. */
  readonly lackingOn?: (days: readonly number[]) => readonly string[];
}

/** The days that all of these share, in order. */
export function sharedDays([first, ...others]: readonly ReadonlySet<number>[]): number[] {
  return [...(first ?? [])].filter((day) => others.every((days) => days.has(day))).toSorted((a, b) => a - b);
}

/** The usual way to days that lack. */
const PLANS =
  hint('sync_exports', 'sync_exports fetches what the platform still has; ') +
  hint('plan_export', 'plan_export with fields ["journeys"] plans the missing days of both scopes.');

function coverWords(files: readonly FileDays[]): string {
  return `They cover ${files.map(({ name, days }) => `${name}: ${daysWords(days).join(', ') || 'no whole day'}`).join('; ')}`;
}

/** Where the call that brings the days is named, no argument is wrong. */
function lacksDays(words: string, way: string | undefined): ApiError {
  const told = `startDate, endDate: ${words} ${way ?? PLANS}`;
  return way === undefined ? new ApiError('invalid', told) : new ApiError('missing', told, { saysWayOn: true });
}

/** The days of an answer; throws where the files share none of the range, with what each covers and `wayOn`, the call that brings more. */
export async function chooseDays(
  { first, last, followDays = 0, usualDays = USUAL_DAYS }: DaysAsked,
  files: readonly FileDays[],
  wayOn: () => Promise<string | undefined>,
): Promise<CoveredDays> {
  const all = sharedDays(files.map(({ days }) => days));
  const cover = coverWords(files);
  const lastOfFiles = all.at(-1);
  if (lastOfFiles === undefined) refuse(`The downloaded files share no whole day (UTC). ${cover}. ${(await wayOn()) ?? PLANS}`);
  const end = last ?? lastOfFiles - followDays;
  const usual = all.filter((day) => day <= end).slice(-usualDays)[0] ?? end;
  const start = first ?? Math.max(usual, last === undefined ? usual : end - usualDays + 1);
  const covered = all.filter((day) => day >= start && day <= end);
  if (covered.length === 0 && last === undefined && followDays > 0)
    refuse(
      `withinDays: no day has ${followDays} whole days after it that the files cover, so no window of a visitor is over. ${cover}; ` +
        'name fewer days.',
    );
  if (covered.length === 0) {
    const asked = start > end ? 'no day whose window is over' : `${dayText(start)} … ${dayText(end)}`;
    throw lacksDays(`the downloaded files cover no whole day (UTC) of ${asked}. ${cover}.`, await wayOn());
  }
  const ofFiles = new Set(all);
  const inRange = Array.from({ length: end - start + 1 }, (_, index) => start + index);
  return { first: start, last: end, covered, missing: inRange.filter((day) => !ofFiles.has(day)), lastOfFiles, ofFiles };
}
