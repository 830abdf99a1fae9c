import { isoAt, rangeName } from '../../../lib/dates.ts';
import { counted, formatNumber } from '../../../lib/number-text.ts';
import { firstOf } from '../../../lib/sentences.ts';
import { type GapStudy, type Status, type StatusInterval, slotsOf } from './find-gaps.ts';

/** Statuses of a part that has no data and will get none by itself. */
export const GAPS: readonly Status[] = ['failed', 'missing', 'suspicious'];
/** Statuses that are gaps only where the question covers a time in which the job did not run. */
export const OUTSIDE: readonly Status[] = ['before', 'suspended'];

/** Statuses of a part that has no data now: a backfill that is under way may still bring them. */
const WITHOUT: readonly Status[] = [...GAPS, 'filling'];

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
  return CAUSES[status](firstOf(by, MOST_RUNS), visits);
}

/** A row for each interval that is not available, in order of time. */
export function gapRows({ intervals, timeZone, unit }: GapStudy) {
  return intervals
    .filter(({ status }) => status !== 'available')
    .map((interval) => ({
      range: rangeName(interval, timeZone),
      slots: slotsOf(interval, unit),
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

/** Days or hours of these statuses. */
function count({ intervals, unit }: Pick<GapStudy, 'intervals' | 'unit'>, statuses: readonly Status[]): number {
  return intervals.filter(({ status }) => statuses.includes(status)).reduce((sum, each) => sum + slotsOf(each, unit), 0);
}

/** Ranges that the first sentence names. */
const MOST_NAMED = 6;

/** The backfill jobs that are under way. */
function fillingJobs(intervals: readonly StatusInterval[]): (number | string)[] {
  return [...new Set(intervals.flatMap(({ status, by }) => (status === 'filling' ? by : [])))];
}

/** `backfill jobs 3141, 3142 are under way`. */
function fillingWords(jobs: readonly (number | string)[]): string {
  const [noun, verb] = jobs.length === 1 ? ['job', 'is'] : ['jobs', 'are'];
  return `backfill ${noun} ${firstOf(jobs, MOST_RUNS)} ${verb} under way`;
}

/** Sums intervals up: days or hours without data, of how many, where, what fills them, and how many had files that are gone. */
export function gapCounts(found: GapStudy) {
  const { intervals, unit, timeZone, range } = found;
  const gaps = intervals.filter(({ status }) => WITHOUT.includes(status));
  return {
    lost: count(found, WITHOUT),
    total: count(found, ['available', ...TOLD]),
    unit,
    since: new Date(range.startMs).toISOString().slice(0, 10),
    ranges: firstOf(
      gaps.map((gap) => `${rangeName(gap, timeZone)} (${gap.status})`),
      MOST_NAMED,
    ),
    expired: count(found, ['expired']),
    filling: fillingJobs(intervals),
  };
}

/** Jobs that the first sentence about all jobs names. */
const MOST_NAMED_JOBS = 3;

/** One sentence that answers which of these jobs lack days or hours; those that lack most come first. */
export function allGapsAnswer(jobs: readonly (ReturnType<typeof gapCounts> & { readonly name: string })[]): string {
  const lacking = jobs.filter(({ lost }) => lost > 0);
  const all = `${jobs.length} recurring ${jobs.length === 1 ? 'job' : 'jobs'} looked at`;
  if (lacking.length === 0) return `Of ${all} none lacks a day or an hour.`;
  const named = lacking.map(
    ({ name, lost, unit, filling }) =>
      `"${name}" (${[counted(lost, unit), ...(filling.length > 0 ? [fillingWords(filling)] : [])].join('; ')})`,
  );
  return `Of ${all} ${lacking.length} ${lacking.length === 1 ? 'has' : 'have'} gaps: ${firstOf(named, MOST_NAMED_JOBS)}.`;
}

/** One sentence that answers which days or hours have no data, and what fills them; one that counts the rest, and says why. */
export function gapAnswer(found: GapStudy, jobName: string): string {
  const { intervals, timeZone } = found;
  const { lost, total, unit, ranges, filling } = gapCounts(found);
  const of = `of ${counted(total, unit)} of "${jobName}"`;
  const since = intervals.find(({ status }) => status === 'suspended')?.startMs ?? 0;
  const reasons: Partial<Record<Status, string>> = {
    suspended: `not exported while suspended since ${isoAt(since, timeZone).slice(0, 10)}`,
    before: 'before the first run',
  };
  const others = TOLD.filter((status) => !WITHOUT.includes(status) && count(found, [status]) > 0);
  const rest = others.map((status) => `${count(found, [status])} ${reasons[status] ?? status}`).join(', ');
  const there = count(found, ['available']);
  // "None is missing" would be said of days of which there is no file.
  if (lost === 0 && others.some((status) => OUTSIDE.includes(status) || (status === 'expired' && there === 0)))
    return `${there} ${of} ${there === 1 ? 'is' : 'are'} available: ${rest}.`;
  const verb = `${count(found, GAPS) === 0 ? 'still ' : ''}${lost === 1 ? 'has' : 'have'}`;
  const way = filling.length > 0 ? `; ${fillingWords(filling)}` : '';
  const first = lost > 0 ? `${lost} ${of} ${verb} no data: ${ranges}${way}.` : `None ${of} is missing.`;
  return rest === '' ? first : `${first} Besides: ${rest}.`;
}
