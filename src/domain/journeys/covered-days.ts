import { ApiError, refuse } from '../../api/errors.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { hint } from '../../lib/hint.ts';

/** An interval of time in ms; the end is excluded. */
interface Span {
  readonly startMs: number;
  readonly endMs: number;
}

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

/** The day of an instant. */
function dayOf(instantMs: number): number {
  return Math.floor(instantMs / DAY_MS);
}

/** A day as `2026-11-09`. */
export function dayText(day: number): string {
  return new Date(day * DAY_MS).toISOString().slice(0, 10);
}

/** The day of `2026-11-09`. */
export function dayFrom(date: string): number {
  return dayOf(Date.parse(`${date.slice(0, 10)}T00:00:00Z`));
}

/** The days that intervals, which do not overlap, cover whole. */
export function wholeDays(spans: readonly Span[]): Set<number> {
  const days = new Set<number>();
  for (const { startMs, endMs } of spans) {
    // A range of the platform may end on its last millisecond.
    const last = dayOf(endMs + 1) - 1;
    for (let day = Math.ceil(startMs / DAY_MS); day <= last; day += 1) days.add(day);
  }
  return days;
}

/** Days as ranges: `2026-11-09 … 2026-11-15 (7 days, UTC)`. */
export function daysWords(days: Iterable<number>): string[] {
  const runs: [number, number][] = [];
  for (const day of [...days].toSorted((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last?.[1] === day - 1) last[1] = day;
    else runs.push([day, day]);
  }
  return runs.map(([first, last]) =>
    first === last ? `${dayText(first)} (1 day, UTC)` : `${dayText(first)} … ${dayText(last)} (${last - first + 1} days, UTC)`,
  );
}

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

function shared(files: readonly FileDays[]): number[] {
  const [first, ...others] = files;
  return [...(first?.days ?? [])].filter((day) => others.every(({ days }) => days.has(day))).toSorted((a, b) => a - b);
}

const PLANS_BOTH =
  hint('sync_exports', 'sync_exports fetches what the platform still has; ') +
  hint('plan_export', 'plan_export with fields ["journeys"] plans the missing days of both scopes.');
const PLANS_DAYS = hint(
  ['sync_exports', 'plan_export'],
  'sync_exports fetches what the platform still has; plan_export with fields ["journeys"] plans past days.',
);

/** Refuses days; where the call that brings them is named, no argument is wrong. */
function refuseDays(way: string | undefined, message: string): never {
  throw way === undefined ? new ApiError('invalid', message) : new ApiError('missing', message, { saysWayOn: true });
}

function coverWords(files: readonly FileDays[]): string {
  return files.map(({ name, days }) => `${name}: ${daysWords(days).join(', ') || 'no whole day'}`).join('; ');
}

/**
 * The days of an answer; throws where the files share no day of the range, with what each covers and what fills it: `way`, where the call
 * that does is known.
 */
export function chooseDays(
  { first, last, followDays = 0, usualDays = USUAL_DAYS }: DaysAsked,
  files: readonly FileDays[],
  way?: string,
): CoveredDays {
  const all = shared(files);
  const lastOfFiles = all.at(-1);
  if (lastOfFiles === undefined)
    refuse(`The downloaded files share no whole day (UTC). They cover ${coverWords(files)}. ${way ?? PLANS_BOTH}`);
  const end = last ?? lastOfFiles - followDays;
  const usual = all.filter((day) => day <= end).slice(-usualDays)[0] ?? end;
  const start = first ?? (last === undefined ? Math.min(usual, end) : Math.max(end - usualDays + 1, usual));
  const covered = all.filter((day) => day >= start && day <= end);
  if (covered.length === 0 && last === undefined && followDays > 0)
    refuse(
      `withinDays: no day has ${followDays} whole days after it that the files cover, so no window of a visitor is over. They cover ` +
        `${coverWords(files)}; name fewer days.`,
    );
  if (covered.length === 0) {
    const asked = start > end ? 'no day whose window is over' : `${dayText(start)} … ${dayText(end)}`;
    refuseDays(
      way,
      `startDate, endDate: the downloaded files cover no whole day (UTC) of ${asked}. They cover ${coverWords(files)}. ` +
        (way ?? PLANS_DAYS),
    );
  }
  const inRange = Array.from({ length: end - start + 1 }, (_, index) => start + index);
  const isCovered = new Set(all);
  return { first: start, last: end, covered, missing: inRange.filter((day) => !isCovered.has(day)), lastOfFiles, ofFiles: isCovered };
}
