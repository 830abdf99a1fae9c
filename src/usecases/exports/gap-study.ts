import { allPages } from '../../api/all-pages.ts';
import { ApiError, onApiError } from '../../api/errors.ts';
import { listExportRuns } from '../../api/operations/data-export.ts';
import { instantOf, MAX_METRICS_RANGE_MS } from '../../api/params.ts';
import { rangeOf } from '../../domain/exports/deliveries.ts';
import { type BackfillContent, contentOf, isBackfillOf } from '../../domain/exports/gaps/backfill.ts';
import { type ExportHistory, findGaps, type GapStudy, joined, type StatusInterval, slotsIn } from '../../domain/exports/gaps/find-gaps.ts';
import { isRunning, type JobRecord, lower, numericIds } from '../../domain/exports/plan/similar-jobs.ts';
import type { Interval } from '../../lib/intervals.ts';
import type { ExportPlan } from '../../workspace/plans.ts';
import { rowsOf } from '../../workspace/store/manifest.ts';
import { fetchMetrics } from '../metrics/fetch-metrics.ts';
import { deliveriesAmong, readRunRows } from './deliveries.ts';
import { comingRanges, type ExportContext, openPlansOf, readJobs, readVariables } from './export-lists.ts';

/** The days that are asked about. */
export interface AskedDays {
  readonly startDate?: string | undefined;
  /** The instant at which the range ends. */
  readonly endDate?: string | undefined;
}

/** The jobs of the call's project, its plans, and where these are kept. */
export async function readExports(context: ExportContext) {
  const store = await openPlansOf(context);
  const [jobs, plans] = await Promise.all([readJobs(context.ask), store.all()]);
  return { store, jobs, plans };
}

/** The jobs of a project, the plans that made some of them, and where these are kept. */
export type Exports = Awaited<ReturnType<typeof readExports>>;

/** An instant of the interface in ms; undefined where there is none. */
function msOf(text: string | null | undefined): number | undefined {
  const ms = instantOf(text ?? '');
  return Number.isNaN(ms) ? undefined : ms;
}

/** The once jobs that fill gaps of a job: made by a plan for it, or called as such. */
function backfillsOf(job: JobRecord, { jobs, plans }: Exports): JobRecord[] {
  const made = new Set(plans.filter(({ fills }) => fills === job.jobId).flatMap(({ parts }) => parts.map(({ jobId }) => jobId)));
  return jobs.filter((each) => made.has(each.jobId) || (each.scope === job.scope && isBackfillOf(job, each)));
}

/** Everything that shows what a job has delivered. */
async function readHistory(job: JobRecord, exports: Exports, context: ExportContext) {
  const { ask, workspace } = context;
  // Before the list of successful runs: a run that ends in between is then in both.
  const runs = await allPages(
    (paging) => ask(listExportRuns, { jobId: Number(job.jobId), ...paging }),
    ({ jobRunId }) => jobRunId,
  );
  context.progress(1, 2, `${runs.length} runs of the job listed`);
  const backfills = backfillsOf(job, exports);
  const { runs: listed, life } = await deliveriesAmong(await readRunRows(numericIds([job, ...backfills]), undefined, ask), context);
  const frequency = lower(job.frequency);
  // Files without a row hold no more than no files; a once job has only their range.
  const kept = frequency === 'once' ? [] : await workspace().then((opened) => opened.runs());
  const withoutRows = new Set(kept.filter((run) => rowsOf(run) === 0).map(({ runId }) => runId));
  const known = listed.filter(({ range }) => range.startMs < range.endMs).toSorted((a, b) => a.range.startMs - b.range.startMs);
  const next = rangeOf({ from: job.nextFrom, to: job.nextTo });
  return {
    life,
    frequency,
    state: lower(job.state),
    next: next.startMs < next.endMs ? next : undefined,
    nextRunMs: msOf(job.nextRunTime),
    createdMs: msOf(job.createdAt),
    runs: runs.map(({ jobRunId: runId, startDate, state }) => ({
      runId: runId ?? 'unknown id',
      state: lower(state),
      startedMs: msOf(startDate),
    })),
    covering: known.filter(({ jobId, runId }) => jobId === job.jobId && !withoutRows.has(runId)),
    backfilled: known.filter(({ jobId }) => jobId !== job.jobId),
    filling: backfills
      .filter(isRunning)
      .flatMap((each) => comingRanges(each, exports.plans).map((range) => ({ ...range, jobId: each.jobId }))),
  };
}

/** The fate of a once job without files, in one sentence. */
function onceWords({ jobId, name }: JobRecord, { runs, state }: ExportHistory): string {
  const job = `Job ${jobId} "${name ?? ''}" runs once`;
  const [run] = runs;
  return run ? `${job}: its run ${run.runId} is in state ${run.state} and has no files.` : `${job} and has no run yet (state ${state}).`;
}

function study(
  job: JobRecord,
  history: ExportHistory,
  plans: readonly ExportPlan[],
  { startDate, endDate }: AskedDays,
  { timeZone, nowMs }: ExportContext,
): GapStudy {
  const asked = { startMs: msOf(startDate), endMs: msOf(endDate), timeZone, nowMs };
  if (history.frequency !== 'once') return findGaps(history, asked);
  // No run follows it, so its range comes from its run, from a plan, or from the caller.
  const own = history.covering[0]?.range ?? comingRanges(job, plans)[0];
  const [startMs, endMs] = [asked.startMs ?? own?.startMs, asked.endMs ?? own?.endMs];
  if (startMs === undefined || endMs === undefined)
    throw new ApiError(
      'invalid',
      `${onceWords(job, history)} The interface does not show the range of a once job without files: give startDate and endDate to ` +
        'plan the export again.',
    );
  return findGaps({ ...history, next: undefined }, { ...asked, startMs, endMs });
}

/** The range that is asked for: of days all that fit into one request, of hours the latest ones, because visits come by day or as a sum. */
function rangeToAsk(empty: readonly StatusInterval[], unit: GapStudy['unit']): Interval | undefined {
  const last = empty.at(-1);
  const first = unit === 'hour' ? last : empty.find(({ startMs }) => last && last.endMs - startMs <= MAX_METRICS_RANGE_MS);
  return last && { startMs: (first ?? last).startMs, endMs: last.endMs };
}

/** The days of an interval without data, or its hours together, each with the visits that the platform counts for it. */
function weighed(interval: StatusInterval, visits: ReadonlyMap<number, unknown>, found: GapStudy): StatusInterval[] {
  const slots = found.unit === 'day' ? slotsIn(interval, found) : [interval];
  return slots.map(({ startMs, endMs }, index) => {
    // A day whose visits are not known stays as it was found.
    const count = Number(visits.get(startMs) ?? 0);
    const by = interval.by.length === slots.length ? interval.by.slice(index, index + 1) : interval.by;
    const own = { startMs, endMs, by };
    return count > 0 ? { ...own, status: 'suspicious', visits: count } : { ...own, status: 'empty' };
  });
}

/** Holds runs that succeeded without rows against the visits of their days: where there were some, the data are missing all the same. */
async function checkEmptyRuns(
  found: GapStudy,
  { device, segmentId }: Pick<BackfillContent, 'device' | 'segmentId'>,
  context: ExportContext,
): Promise<GapStudy> {
  const empty = found.intervals.filter(({ status }) => status === 'empty');
  const range = rangeToAsk(empty, found.unit);
  if (!range) return found;
  const grid = {
    metrics: ['visits'],
    ranges: [{ startMs: range.startMs, endMs: range.endMs - 1 }],
    daily: found.unit === 'day',
    devices: [device],
    segmentSets: [segmentId === undefined ? [] : [segmentId]],
  };
  const read = await fetchMetrics(grid, { ...context, timeZone: found.timeZone }).catch(
    onApiError(({ message }) => context.note(`Whether the days of empty runs had visits could not be found out: ${message}`)),
  );
  if (!read) return found;
  const visits = new Map(read.rows.map(({ interval, values }) => [interval.startMs, values['visits']]));
  if (empty.some(({ startMs }) => startMs < range.startMs))
    context.note('Earlier empty runs were not held against visits, for which one request has no room: startDate and endDate choose them.');
  return {
    ...found,
    intervals: joined(found.intervals.flatMap((each) => (each.status === 'empty' ? weighed(each, visits, found) : [each]))),
  };
}

/** The once job that delivers what a job did, and what of that is not known. */
export async function contentFor(job: JobRecord, plans: readonly ExportPlan[], { ask, note }: ExportContext) {
  const made = plans.flatMap(({ parts }) => parts).find(({ jobId }) => jobId === job.jobId)?.body;
  return contentOf(job, made, await readVariables(ask, note));
}

/** Studies what a job has delivered and lacks; runs without rows are compared with the visits of their days. */
export async function studyJob(job: JobRecord, exports: Exports, asked: AskedDays, context: ExportContext) {
  const { life, ...history } = await readHistory(job, exports, context);
  const found = study(job, history, exports.plans, asked, context);
  const hasEmpty = found.intervals.some(({ status }) => status === 'empty');
  return { life, found: hasEmpty ? await checkEmptyRuns(found, await contentFor(job, exports.plans, context), context) : found };
}
