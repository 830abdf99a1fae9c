import { formatNumber } from '../../../lib/number-text.ts';
import { rangeName } from '../plan/job-bodies.ts';
import type { GapStudy } from './find-gaps.ts';
import type { Status, StatusInterval } from './run-coverage.ts';

/** Statuses of a part that has no data and will get none by itself. */
export const GAPS: readonly Status[] = ['failed', 'missing', 'suspicious'];
/** Statuses that are gaps only where the question covers a time in which the job did not run. */
export const OUTSIDE: readonly Status[] = ['before', 'suspended'];

/** The order in which an answer lists them; available ranges are not listed. */
const TOLD: readonly Status[] = ['failed', 'missing', 'suspicious', 'suspended', 'before', 'expired', 'empty', 'running', 'filling'];

const CAUSES: Readonly<Record<Status, (by: string, visits: number) => string>> = {
  available: () => '',
  failed: (by) => `run ${by} failed (inferred)`,
  missing: () => 'no run began for it',
  suspended: () => 'the job is suspended (inferred since when)',
  before: () => 'before the first run of the job',
  expired: () => 'exported, but the files are gone (inferred) and not in the workspace',
  empty: (by) => `run ${by} (inferred) succeeded without rows: no data, no gap`,
  suspicious: (by, visits) =>
    `run ${by} (inferred) succeeded without rows although there were ${formatNumber(visits, { group: true })} visits`,
  running: (by) => `run ${by} is under way`,
  filling: (by) => `backfill job ${by} is under way`,
};

/** Runs that a row names. */
const MOST_RUNS = 4;

function causeWords({ status, by, visits = 0 }: StatusInterval): string {
  const more = by.length > MOST_RUNS ? ` and ${by.length - MOST_RUNS} more` : '';
  return CAUSES[status](`${by.slice(0, MOST_RUNS).join(', ')}${more}`, visits);
}

/** A row for each interval that is not available, in order of time. */
export function gapRows({ intervals, timeZone }: GapStudy) {
  return intervals
    .filter(({ status }) => status !== 'available')
    .map((interval) => ({
      range: rangeName(interval, timeZone),
      slots: interval.slots,
      status: interval.status,
      cause: causeWords(interval),
    }));
}

/** As many rows as fit, those of gaps before the others, in order of time. */
export function mostTelling(rows: ReturnType<typeof gapRows>, most: number): ReturnType<typeof gapRows> {
  const isGap = ({ status }: (typeof rows)[number]) => GAPS.includes(status);
  const kept = new Set([...rows.filter(isGap), ...rows.filter((row) => !isGap(row))].slice(0, most));
  return rows.filter((row) => kept.has(row));
}

function count(intervals: readonly StatusInterval[], status: Status): number {
  return intervals.filter((each) => each.status === status).reduce((sum, { slots }) => sum + slots, 0);
}

/** Ranges that the first sentence names. */
const MOST_NAMED = 6;

/** Sums intervals up: days or hours without data, of how many, where, and how many had files that are gone. */
export function gapCounts({ intervals, unit, timeZone, range }: GapStudy) {
  const gaps = intervals.filter(({ status }) => GAPS.includes(status));
  const more = gaps.length > MOST_NAMED ? ` and ${gaps.length - MOST_NAMED} more` : '';
  return {
    lost: gaps.reduce((sum, { slots }) => sum + slots, 0),
    total: intervals.reduce((sum, { slots }) => sum + slots, 0),
    unit,
    since: new Date(range.fromMs).toISOString().slice(0, 10),
    ranges: `${gaps
      .slice(0, MOST_NAMED)
      .map((gap) => `${rangeName(gap, timeZone)} (${gap.status})`)
      .join(', ')}${more}`,
    expired: count(intervals, 'expired'),
  };
}

/** Jobs that the first sentence about all jobs names. */
const MOST_NAMED_JOBS = 3;

/** One sentence that answers which jobs lack days or hours. */
export function allGapsAnswer(jobs: readonly (ReturnType<typeof gapCounts> & { readonly name: string })[]): string {
  const lacking = jobs.filter(({ lost }) => lost > 0).toSorted((a, b) => b.lost / b.total - a.lost / a.total);
  const all = `${jobs.length} recurring ${jobs.length === 1 ? 'job' : 'jobs'} looked at`;
  if (lacking.length === 0) return `Of ${all} none lacks a day or an hour.`;
  const named = lacking.slice(0, MOST_NAMED_JOBS).map(({ name, lost, unit }) => `"${name}" (${lost} ${unit}${lost === 1 ? '' : 's'})`);
  const more = lacking.length > MOST_NAMED_JOBS ? ` and ${lacking.length - MOST_NAMED_JOBS} more` : '';
  return `Of ${all} ${lacking.length} ${lacking.length === 1 ? 'has' : 'have'} gaps: ${named.join(', ')}${more}.`;
}

/** One sentence that answers which days or hours have no data, and one that counts the rest. */
export function gapAnswer({ intervals, unit, timeZone }: GapStudy, jobName: string): string {
  const total = intervals.reduce((sum, { slots }) => sum + slots, 0);
  const units = (number: number) => `${number} ${unit}${number === 1 ? '' : 's'}`;
  const gaps = intervals.filter(({ status }) => GAPS.includes(status));
  const lost = gaps.reduce((sum, { slots }) => sum + slots, 0);
  const named = gaps.slice(0, MOST_NAMED).map((gap) => `${rangeName(gap, timeZone)} (${gap.status})`);
  const more = gaps.length > MOST_NAMED ? ` and ${gaps.length - MOST_NAMED} more` : '';
  const first =
    lost === 0
      ? `None of ${units(total)} of "${jobName}" is missing.`
      : `${lost} of ${units(total)} of "${jobName}" ${lost === 1 ? 'has' : 'have'} no data: ${named.join(', ')}${more}.`;
  const others = TOLD.filter((status) => !GAPS.includes(status) && count(intervals, status) > 0).map(
    (status) => `${count(intervals, status)} ${status}`,
  );
  return others.length > 0 ? `${first} Besides: ${others.join(', ')}.` : first;
}
