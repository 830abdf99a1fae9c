import { ApiError, refuse } from '../api/errors.ts';
import { type Coverage, coveredLead, EVER, timeOfDays } from '../exports/coverage.ts';
import { planCalls } from '../exports/plan/journey-fields.ts';
import { DAY_MS, dayText } from '../lib/clock.ts';
import { rangeTexts } from '../lib/dates.ts';
import { daysIn, type Interval, intersect, union } from '../lib/intervals.ts';

/** UTC days as numbers since 1970. */
export type CoveredDays = Readonly<Awaited<ReturnType<typeof chooseDays>>>;

/** The day of `2026-11-09`. */
export function dayFrom(date: string): number {
  return Date.parse(`${date.slice(0, 10)}T00:00:00Z`) / DAY_MS;
}

/** The days from one to another; none where that comes before it. */
export function daysFromTo(first: number, last: number): number[] {
  return Array.from({ length: Math.max(0, last - first + 1) }, (_, after) => first + after);
}

/** Days as ranges. */
export const rangesOf = (days: Iterable<number>) => union(timeOfDays(days));

/** The same in words: `2026-11-09 … 2026-11-15 (7 days, UTC)`. */
export const daysWords = (days: Iterable<number>) => rangeTexts(rangesOf(days), 'UTC');

/** Days that most answers take where the caller names none. */
export const USUAL_DAYS = 7;

/** A question about days; `files` says which files cover which days. */
interface DaysAsked {
  readonly first?: number | undefined;
  readonly last?: number | undefined;
  /** Days after the range that the files must cover too for a whole window. */
  readonly followDays?: number | undefined;
  /** Days that an answer takes where the caller names none. */
  readonly usualDays?: number | undefined;
  /** The day that is not over. */
  readonly today: number;
}

/** A scope that is read, and what its files answer of a time, now and when all of them have been read. */
export interface ScopeFiles {
  readonly name: string;
  readonly over: (asked: readonly Interval[]) => Coverage;
  readonly soon: ScopeFiles['over'];
}

/** The first and the last day of an answer, of which the files cover `all`. */
function endsOf({ first, last, followDays = 0, usualDays = USUAL_DAYS, today }: DaysAsked, all: readonly number[]) {
  // Days that are named are counted as far as they are over, whatever has arrived of them by now.
  const open = first === undefined || followDays > 0 ? (all.at(-1) ?? 0) - followDays : today - 1;
  const end = last === undefined ? open : Math.min(last, Math.max(today - 1, first ?? 0));
  const usual = all.filter((day) => day <= end).slice(-usualDays)[0] ?? end;
  return { start: first ?? Math.max(usual, last === undefined ? usual : end - usualDays + 1), end };
}

/** The days of an answer; throws where the files share none of the range, with what each covers and `wayOn`, the call that brings more. */
export async function chooseDays(asked: DaysAsked, files: readonly ScopeFiles[], wayOn: () => Promise<string | undefined>) {
  const { first, last, followDays = 0 } = asked;
  const sharedBy = (when: 'over' | 'soon') => daysIn(files.reduce((shared, each) => intersect(shared, each[when](EVER).have), EVER));
  const [ofFiles, ofSoon] = [sharedBy('over'), sharedBy('soon')];
  const all = [...new Set([...ofFiles, ...ofSoon])].toSorted((a, b) => a - b);
  const held = files.map(({ name, over }) => `${name}: ${daysWords(daysIn(over(EVER).have)).join(', ') || 'no whole day'}`);
  const cover = `They cover ${held.join('; ')}`;
  const { start, end } = endsOf(asked, all);
  const inRange = daysFromTo(start, end);
  const covered = inRange.filter((day) => ofFiles.has(day));
  const missing = inRange.filter((day) => !ofFiles.has(day));
  const reading: readonly number[] = missing.filter((day) => ofSoon.has(day));
  const areAsked = first !== undefined || last !== undefined;
  const lead = coveredLead({ covered, missing, reading, areAsked });
  if (covered.length === 0 && all.length > 0 && last === undefined && followDays > 0)
    refuse(
      `withinDays: no day has ${followDays} whole days after it that the files cover, so no window of a visitor is over. ${cover}; ` +
        'name fewer days.',
    );
  if (covered.length === 0) {
    const range = areAsked ? ` of ${[first, last].map((day) => day && dayText(day)).join(' … ')}` : '';
    const words = `The downloaded files cover no whole day (UTC)${range}. ${cover}`;
    throw new ApiError('missing', `${words}. ${(await wayOn()) ?? planCalls().join(' ')}`);
  }
  return {
    /** First and last day of the range that is asked for, or that was chosen. */
    first: start,
    last: end,
    /** Days of it that all needed files cover whole, the others, and of these those that are downloaded and still being read; in order. */
    covered,
    missing,
    reading,
    /** All days that the files cover whole. */
    ofFiles,
    /** The covered days as ranges, and the sentence that an answer begins with where they are not all. */
    words: daysWords(covered),
    lead,
  };
}

/** The days and filters of the visits of a picture, and the words of the answer, whose first sentence is the title. */
export interface VisitsDrawn {
  readonly covered: readonly number[];
  readonly filters: readonly string[];
  readonly answer: string;
}
