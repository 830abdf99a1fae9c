import pLimit from 'p-limit';
import { onApiError } from '../../api/errors.ts';
import type { InputOf } from '../../api/operation.ts';
import { type listExportJobs, listExportRuns } from '../../api/operations/data-export.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../../api/params.ts';
import { HEALTH_DAYS, healthOf, type JobHealth, stateNotes, suspendedWords } from '../../domain/exports/gaps/job-health.ts';
import type { OnceJob } from '../../domain/exports/gaps/jobs-answer.ts';
import { type JobRecord, lower, numericIds } from '../../domain/exports/plan/similar-jobs.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { hint } from '../../lib/hint.ts';
import { successfulRuns } from '../../workspace/download/run-rows.ts';
import { deliveriesAmong, readRunRows } from './deliveries.ts';
import { comingRanges, type ExportContext, openPlansOf, readJobs } from './export-lists.ts';
import { emptyRunWords, withEmptyRuns } from './runs-without-files.ts';

/** Jobs whose runs are asked for at once: as many calls as are in flight by default. */
const AT_ONCE = 8;

/** A list of jobs waits no longer for their runs. */
const PATIENCE_MS = 10_000;

/** A once job of all devices that is over: its state says as much. */
const saysNothing = ({ stateWords, device }: JobHealth) => stateWords === 'over' && (device === undefined || device === 'all devices');

/** The ranges and outcomes of the once jobs among these, from their successful runs and the plans that made them. */
async function onceJobsAmong(jobs: readonly JobRecord[], context: ExportContext): Promise<OnceJob[]> {
  const once = jobs.filter(({ frequency }) => lower(frequency) === 'once');
  if (once.length === 0) return [];
  const plans = await openPlansOf(context);
  const [rows, made] = await Promise.all([readRunRows(numericIds(once), undefined, context.ask), plans.all()]);
  const { runs } = await deliveriesAmong(rows, context);
  const iso = (ms: number) => new Date(ms).toISOString();
  return once.map((job) => {
    const own = runs.filter(({ jobId }) => jobId === job.jobId);
    const [range] = [...own.map((run) => run.range).filter(({ startMs, endMs }) => startMs < endMs), ...comingRanges(job, made)];
    return {
      jobId: job.jobId,
      ...(range && { from: iso(range.startMs), to: iso(range.endMs) }),
      hasFiles: lower(job.state) === 'completed' ? own.length > 0 : undefined,
      expired: (own.length > 0 && own.every(({ untilMs }) => untilMs <= context.nowMs)) || undefined,
    };
  });
}

/** Of more jobs only those of the page are held against their files, which takes requests. */
const MOST_COUNTED = 50;

/** The once jobs that an answer counts: among all jobs where they are few, else those of the page. */
export async function onceCounted(jobs: readonly JobRecord[], all: readonly JobRecord[] | undefined, context: ExportContext) {
  const countedAll = all !== undefined && all.length <= MOST_COUNTED;
  const once = await onceJobsAmong(countedAll ? all : jobs, context).catch(
    onApiError(({ message }) => context.note(`Ranges and outcomes of once jobs could not be read: ${message}`)),
  );
  return { once: once ?? [], countedAll };
}

/** The latest page of runs of each recurring job, a request each; notes how many were not reached in time or could not be read. */
async function readRuns(jobs: readonly JobRecord[], { ask, clock, note }: ExportContext) {
  const untilMs = clock.now() + PATIENCE_MS;
  let reason: string | undefined;
  const read = await pLimit(AT_ONCE).map(jobs, async (job) => {
    const jobId = Number(job.jobId);
    if (lower(job.frequency) === 'once' || !Number.isSafeInteger(jobId)) return [{ job, runs: [] }];
    if (clock.now() >= untilMs) return [];
    const runs = await ask(listExportRuns, { jobId, limit: MAX_PAGE_SIZE }).catch(onApiError(({ message }) => void (reason ??= message)));
    return runs ? [{ job, runs }] : [];
  });
  const found = read.flat();
  const left = jobs.length - found.length;
  if (left > 0) note(`The runs of ${left} of ${jobs.length} jobs are not counted: ${reason ?? 'time ran out'}.`);
  return found;
}

/** How the jobs of a page do; where their runs cannot be read, which is noted, none. */
export async function healthAmong(jobs: readonly JobRecord[], context: ExportContext): Promise<JobHealth[]> {
  const { nowMs, note } = context;
  const read = await readRuns(jobs, context);
  const active = read.filter(({ job, runs }) => lower(job.state) === 'active' && runs.length > 0);
  const ids = active.map(({ job }) => Number(job.jobId));
  const listed = await successfulRuns(context.ask, ids).catch(onApiError(() => undefined));
  const empty = active.flatMap(({ job, runs }) => (listed ? withEmptyRuns(job, runs, listed, [nowMs - HEALTH_DAYS * DAY_MS, nowMs]) : []));
  const emptyOf = new Map(empty.map(({ jobId, days }) => [jobId, { emptyRuns: days.length }]));
  const health = read.map(({ job, runs }) => ({ ...healthOf(job, runs, nowMs), ...emptyOf.get(job.jobId) }));
  if (health.some(({ runs }) => runs !== undefined))
    note(
      'goodRuns, missing: last 30 days (hourly jobs: latest 100 runs)' +
        hint('find_export_gaps', '; find_export_gaps says which days') +
        '.',
    );
  for (const sentence of [...emptyRunWords(empty), ...stateNotes(jobs), ...suspendedWords(jobs)]) note(sentence);
  return health.filter((own) => !saysNothing(own));
}

/**
 * The jobs that these filters let through, with those of the page. Undefined where all cannot be listed, and for a caller who turns pages
 * or takes the largest: the list is not read again for each of them.
 */
export async function jobsThatFit(
  { page, limit = DEFAULT_PAGE_SIZE, ...wanted }: InputOf<typeof listExportJobs>,
  shown: readonly JobRecord[],
  { ask }: ExportContext,
): Promise<readonly JobRecord[] | undefined> {
  if (page !== undefined) return undefined;
  if (shown.length < limit) return shown;
  if (limit >= MAX_PAGE_SIZE) return undefined;
  const members = ['state', 'scope', 'frequency', 'format'] as const;
  const jobs = await readJobs(ask).catch(onApiError(() => undefined));
  const isLike = (job: JobRecord) => members.every((each) => wanted[each] === undefined || lower(job[each]) === lower(wanted[each]));
  return jobs?.filter(isLike);
}
