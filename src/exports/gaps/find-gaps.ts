import { shiftDays } from '../../lib/calendar.ts';
import { DAY_MS, dayText, HOUR_MS } from '../../lib/clock.ts';
import { isoAt, rangeName } from '../../lib/dates.ts';
import { runsOf } from '../../lib/grouped.ts';
import { hullOf, type Interval } from '../../lib/intervals.ts';
import { counted, inGroups } from '../../lib/number-text.ts';
import { firstOf } from '../../lib/sentences.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import { coverageOf, timeOfLack } from '../coverage.ts';

/** A run in the list of all runs of the job, which does not show its range. */
export interface JobRun {
  readonly runId: number | string;
  readonly startedMs?: number | undefined;
  /** In lower case. */
  readonly state: string;
}

/** A run that brought files, and what is left of them: in the workspace, on the platform, or nowhere. */
export interface Covering {
  readonly runId: number;
  readonly range: Interval;
  readonly state: 'downloaded' | 'available' | 'expired';
}

/** All that is known of a job whose data may have gaps. */
export interface ExportHistory {
  /** In lower case. */
  readonly frequency: string;
  /** In lower case. */
  readonly state: string;
  /** The range that its next run will cover, and when that begins. */
  readonly next?: Interval | undefined;
  readonly nextRunMs?: number | undefined;
  readonly createdMs?: number | undefined;
  readonly runs: readonly JobRun[];
  /** Successful runs of the job itself, by the beginning of their range. */
  readonly covering: readonly Covering[];
  /** Successful runs of the once jobs that backfill it. */
  readonly backfilled: readonly Covering[];
  /** Ranges of backfill jobs that are not done, with their ids. */
  readonly filling: readonly (Interval & { readonly jobId: number | string })[];
}

/** The status of a part of a range: it has data, or the reason why not. */
export type Status =
  /** Exported; the files are in the workspace or can be downloaded. */
  | 'available'
  /** Exported; the files are neither in the workspace nor at the platform. */
  | 'expired'
  /** A run succeeded without rows. */
  | 'empty'
  /** The same, although the platform counts visits there. */
  | 'suspicious'
  /** A run failed. */
  | 'failed'
  /** No run began although one was due. */
  | 'missing'
  /** A run is under way. */
  | 'running'
  /** A backfill job is under way. */
  | 'filling'
  /** The job was suspended. */
  | 'suspended'
  /** The job did not exist yet. */
  | 'before';

/** One day or hour, or several that follow one another. */
export interface StatusInterval extends Interval {
  readonly status: Status;
  /** Runs, or backfill jobs, that show it. */
  readonly by: readonly (number | string)[];
  /** Visits that the platform counts in a suspicious interval. */
  readonly visits?: number;
}

/** The history of a job over a range, every part of it with its status. */
export type GapStudy = ReturnType<typeof findGaps>;
type Unit = 'day' | 'hour';

/** How far back a job is examined by default. */
const USUAL_DAYS = { day: 92, hour: 14 } as const;

interface GapQuestion {
  readonly startMs?: number | undefined;
  readonly endMs?: number | undefined;
  readonly timeZone: string;
  readonly nowMs: number;
}

/** The rhythm of a job, inferred from the runs whose range is known, and the ranges that its runs were for. */
type Rhythm = ReturnType<typeof rhythmOf>;

function rhythmOf({ frequency, runs, covering, next, nextRunMs }: ExportHistory, timeZone: string) {
  const started = new Map(runs.map(({ runId, startedMs }) => [String(runId), startedMs]));

  const lags = covering.map(({ runId, range }) => (started.get(String(runId)) ?? Number.NaN) - range.endMs).filter(Number.isFinite);
  const usualMs = lags.toSorted((a, b) => a - b)[Math.floor(lags.length / 2)];
  const lagMs = usualMs ?? (nextRunMs === undefined || !next ? undefined : nextRunMs - next.endMs);
  const unit: Unit = frequency === 'hourly' ? 'hour' : 'day';
  const known = covering.at(-1)?.range ?? next;
  return {
    unit,
    periodMs: PERIOD_MS[unit],
    /** From the end of a range to the start of its run; undefined where it is not known. */
    lagMs,
    /** The zone whose midnights the ranges of the job begin at. */
    timeZone: known && isoAt(known.startMs, timeZone).slice(11, 16) === '00:00' ? timeZone : 'UTC',
    /** The middle of what a run was for, by when it began; undefined where that is not known. */
    middleOf: ({ startedMs }: JobRun) =>
      startedMs === undefined || lagMs === undefined ? undefined : startedMs - lagMs - PERIOD_MS[unit] / 2,
  };
}

/** The end of what is due at `nowMs`: the beginning of the next range, or as far as a run would have started. */
function dueEnd({ frequency, next, covering, state }: ExportHistory, { periodMs, lagMs = 0 }: Rhythm, nowMs: number): number {
  if (frequency === 'once') return nowMs;
  if (next) return Math.min(next.startMs, nowMs);
  const lastMs = covering.at(-1)?.range.endMs ?? 0;
  const doneMs = state === 'suspended' ? nowMs : nowMs - lagMs;
  return lastMs + Math.max(0, Math.floor((doneMs - lastMs) / periodMs)) * periodMs;
}

/** The beginning of the day or hour of the job that an instant lies in. */
function slotStart(instantMs: number, { covering, next }: ExportHistory, { unit, periodMs, timeZone }: Rhythm): number {
  const anchorMs = covering[0]?.range.startMs ?? next?.startMs ?? 0;
  const slots = Math.floor((instantMs - anchorMs) / periodMs);
  return unit === 'day' ? shiftDays(anchorMs, slots, timeZone) : anchorMs + slots * periodMs;
}

/** Cuts a range into days of a zone or into hours; the first and the last may be shorter. */
export function slotsIn({ startMs, endMs }: Interval, { unit, timeZone }: Pick<Rhythm, 'unit' | 'timeZone'>): Interval[] {
  const slots: Interval[] = [];
  for (let start = startMs; start < endMs; ) {
    const end = Math.min(endMs, unit === 'day' ? shiftDays(start, 1, timeZone) : start + HOUR_MS);
    slots.push({ startMs: start, endMs: end });
    start = end;
  }
  return slots;
}

/** States of runs that have not ended. */
export const UNDER_WAY: ReadonlySet<string> = new Set(['created', 'runnable', 'running']);

/** Says why a slot has no data: by what is on its way, by runs that were for it, by when the job ran. */
function causesIn(history: ExportHistory, { periodMs, middleOf }: Rhythm) {
  const { runs, covering, filling, state } = history;
  const withFiles = new Set<number | string>(covering.map(({ runId }) => runId));
  const attempts = runs.map((run) => ({ ...run, atMs: middleOf(run) ?? Number.NaN, hasFiles: withFiles.has(run.runId) }));
  const lifetime = hullOf([
    ...covering.map(({ range }) => range),
    ...attempts.map(({ atMs }) => ({ startMs: atMs - periodMs / 2, endMs: atMs + periodMs / 2 })),
  ]);
  const evidence: readonly (readonly [Status, (state: string) => boolean])[] = [
    ['running', (own) => UNDER_WAY.has(own)],
    ['empty', (own) => own === 'success'],
    ['failed', () => true],
  ];
  return ({ startMs, endMs }: Interval): Pick<StatusInterval, 'status' | 'by'> => {
    const filled = filling.find((range) => range.startMs <= startMs && range.endMs >= endMs);
    if (filled) return { status: 'filling', by: [filled.jobId] };
    const isFor = ({ atMs }: (typeof attempts)[number]) => history.frequency === 'once' || (atMs >= startMs && atMs < endMs);
    const own = attempts.filter((run) => !run.hasFiles && isFor(run));
    const found = evidence.find(([, isIt]) => own.some((run) => isIt(run.state)));
    if (found) return { status: found[0], by: own.filter((run) => found[1](run.state)).map(({ runId }) => runId) };
    if (lifetime && endMs <= lifetime.startMs) return { status: 'before', by: [] };
    const isAfter = !lifetime || startMs >= lifetime.endMs;
    return { status: state === 'suspended' && isAfter ? 'suspended' : 'missing', by: [] };
  };
}

/** Statuses that a run without files shows, whose range is inferred. */
const INFERRED: ReadonlySet<Status> = new Set(['failed', 'empty', 'running']);

/** Joins neighbours of the same status. */
export function joined(intervals: readonly StatusInterval[]): StatusInterval[] {
  const alike = runsOf(intervals, (run, next) => run[0]?.status === next.status && run.at(-1)?.endMs === next.startMs);
  return alike.flatMap((run) => {
    const visits = sumOfKnown(run, (each) => each.visits);
    const by = [...new Set(run.flatMap((each) => each.by))];
    return run.slice(-1).map((last) => ({ ...last, startMs: run[0]?.startMs ?? last.startMs, by, ...(visits > 0 && { visits }) }));
  });
}

const PERIOD_MS = { day: DAY_MS, hour: HOUR_MS };

/** Days or hours of an interval. */
export function slotsOf({ startMs, endMs }: Interval, unit: Unit): number {
  return Math.max(1, Math.round((endMs - startMs) / PERIOD_MS[unit]));
}

/** The delivered and the missing parts of a range, each missing part with its reason: what was asked for, else from the first run on. */
export function findGaps(history: ExportHistory, { startMs, endMs, timeZone, nowMs }: GapQuestion) {
  const rhythm = rhythmOf(history, timeZone);
  const { unit, middleOf } = rhythm;
  const delivered = [...history.covering, ...history.backfilled];
  const begins = [...history.covering.map(({ range }) => range.startMs), ...history.runs.flatMap((run) => middleOf(run) ?? [])];
  const firstMs = begins.length > 0 ? Math.min(...begins) : (history.createdMs ?? nowMs);
  const usualMs = nowMs - USUAL_DAYS[unit] * DAY_MS;
  const range = {
    startMs: startMs ?? slotStart(Math.max(firstMs, usualMs), history, rhythm),
    endMs: Math.min(endMs ?? nowMs, dueEnd(history, rhythm, nowMs)),
  };
  const rangesOf = (isMeant: (covering: Covering) => boolean) => delivered.filter(isMeant).map((each) => each.range);
  const here = coverageOf([range], [], () => rangesOf(({ state }) => state !== 'expired'));
  const gone = coverageOf(timeOfLack(here.lack), [], () => rangesOf(({ state }) => state === 'expired'));
  const lacking = timeOfLack(gone.lack).flatMap((piece) => slotsIn(piece, rhythm));
  const causeOf = causesIn(history, rhythm);
  const told = (status: Status) => (part: Interval) => ({ ...part, status, by: [] });
  const parts = [
    ...here.have.map(told('available')),
    ...gone.have.map(told('expired')),
    ...lacking.map((slot) => ({ ...slot, ...causeOf(slot) })),
  ];
  const intervals = joined(parts.toSorted((a, b) => a.startMs - b.startMs));
  return {
    unit,
    timeZone: rhythm.timeZone,
    /** That was studied, up to the last run that is due. */
    range,
    /** In order, without a gap; equal neighbours are one. */
    intervals,
    /** Ranges of runs without files follow from when they began. */
    isInferred: history.frequency !== 'once' && intervals.some(({ status }) => INFERRED.has(status)),
    /** How many days back were looked at, where the job has run longer. */
    ...(startMs === undefined && firstMs < usualMs && { cutToDays: USUAL_DAYS[unit] }),
  };
}

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
  suspicious: (by, visits) => `run ${by} (inferred) succeeded without rows although there were ${inGroups(visits)} visits`,
  running: (by) => `run ${by} is under way`,
  filling: (by) => `backfill job ${by} is under way`,
};

/** Runs that a row names. */
const MOST_RUNS = 4;

/** A row for each interval that is not available, in order of time. */
export function gapRows({ intervals, timeZone, unit }: GapStudy) {
  return intervals
    .filter(({ status }) => status !== 'available')
    .map((interval) => ({
      range: rangeName(interval, timeZone),
      slots: slotsOf(interval, unit),
      status: interval.status,
      cause: CAUSES[interval.status](firstOf(interval.by, MOST_RUNS), interval.visits ?? 0),
    }));
}

/** As many rows as fit, those of gaps before the others, in order of time. */
export function mostTelling(rows: ReturnType<typeof gapRows>, most: number): ReturnType<typeof gapRows> {
  const isOther = ({ status }: (typeof rows)[number]) => Number(!GAPS.includes(status));
  const kept = new Set(rows.toSorted((a, b) => isOther(a) - isOther(b)).slice(0, most));
  return rows.filter((row) => kept.has(row));
}

/** The intervals of these statuses. */
export function partsOf({ intervals }: GapStudy, statuses: readonly Status[]): StatusInterval[] {
  return intervals.filter(({ status }) => statuses.includes(status));
}

/** Days or hours of these statuses. */
function count(found: GapStudy, statuses: readonly Status[]): number {
  return sumOfKnown(partsOf(found, statuses), (each) => slotsOf(each, found.unit));
}

/** Ranges that the first sentence names. */
const MOST_NAMED = 6;

/** `backfill jobs 3141, 3142 are under way`. */
function fillingWords(jobs: readonly (number | string)[]): string {
  const [noun, verb] = jobs.length === 1 ? ['job', 'is'] : ['jobs', 'are'];
  return `backfill ${noun} ${firstOf(jobs, MOST_RUNS)} ${verb} under way`;
}

/** Sums intervals up: days or hours without data, of how many, where, what fills them, and how many had files that are gone. */
export function gapCounts(found: GapStudy) {
  const { unit, timeZone, range } = found;
  const gaps = partsOf(found, WITHOUT);
  return {
    lost: count(found, WITHOUT),
    total: count(found, ['available', ...TOLD]),
    unit,
    since: dayText(range.startMs / DAY_MS),
    ranges: firstOf(
      gaps.map((gap) => `${rangeName(gap, timeZone)} (${gap.status})`),
      MOST_NAMED,
    ),
    expired: count(found, ['expired']),
    filling: [...new Set(partsOf(found, ['filling']).flatMap(({ by }) => by))],
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
  const { timeZone } = found;
  const { lost, total, unit, ranges, filling } = gapCounts(found);
  const of = `of ${counted(total, unit)} of "${jobName}"`;
  const since = partsOf(found, ['suspended'])[0]?.startMs ?? 0;
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
