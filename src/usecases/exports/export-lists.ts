import { allPages } from '../../api/all-pages.ts';
import { ApiError } from '../../api/errors.ts';
import type { InputOf, PayloadOf } from '../../api/operation.ts';
import {
  listCustomVariables,
  listDynamicVariableKeys,
  listExportableFields,
  listExportJobs,
  type listExportRuns,
} from '../../api/operations/data-export.ts';
import { instantOf, MAX_PAGE_SIZE } from '../../api/params.ts';
import type { FieldCatalogue } from '../../domain/exports/plan/field-catalogue.ts';
import type { ExportRange, JobBody } from '../../domain/exports/plan/job-bodies.ts';
import { equalRecurring, type JobRecord, type KnownSegments, lower } from '../../domain/exports/plan/similar-jobs.ts';
import { hint } from '../../lib/hint.ts';
import { nearest } from '../../lib/nearest.ts';
import { learnFileLife } from '../../workspace/download/file-life.ts';
import { type SuccessfulRun, successfulRunsOf } from '../../workspace/download/sync-plan.ts';
import type { ExportPlan, PlanStore } from '../../workspace/plans.ts';
import type { Context, Lists } from '../context.ts';

type Ask = Context['ask'];

/** All jobs of the project, the highest id first; `fresh`: as they are now, for a decision on what is sent. */
export async function readJobs(ask: Ask, how?: { fresh?: boolean }): Promise<JobRecord[]> {
  return allPages(
    (paging) => ask(listExportJobs, paging, how),
    ({ jobId }) => jobId,
    { inTurn: how?.fresh === true },
  );
}

/** The recurring jobs that deliver, or perhaps deliver, what this body would; none where they cannot be read. */
export async function equalJobs(body: JobBody, context: Pick<Context, 'ask' | 'workspace'>): Promise<JobRecord[]> {
  if (body.frequency.value === 'once') return [];
  try {
    const jobs = await readJobs(context.ask, { fresh: true });
    return equalRecurring(body, jobs, segmentsOf(await (await openPlansOf(context)).all()));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [];
  }
}

/** A sentence for each field that the platform does not list, with the closest that it does; none where the list cannot be read. */
export async function unknownFieldWords({ fields, scope = 'sessions' }: JobBody, { ask }: Pick<Lists, 'ask'>): Promise<string[]> {
  try {
    const names = (await ask(listExportableFields, { scope })).map(({ name }) => name);
    if (names.length === 0) return [];
    const unknown = fields.map(({ fieldName }) => fieldName).filter((fieldName) => !names.includes(fieldName));
    return unknown.map((fieldName) => {
      const close = nearest(fieldName, names);
      const other =
        close === undefined ? hint('list_exportable_fields', '; list_exportable_fields lists them') : `; the closest is ${close}`;
      return `"${fieldName}" is no field of scope ${scope}${other}.`;
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return [];
  }
}

/** The content of a list, or nothing with a note where it cannot be read: most exports need no variable. */
async function listedOr<T>(what: string, list: Promise<readonly T[]>, note: Context['note']): Promise<readonly T[]> {
  try {
    return await list;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    note(`${what} variables could not be read: ${error.message}`);
    return [];
  }
}

const iso = (ms: number) => new Date(ms).toISOString();

/** The custom variables of the project, and the dynamic ones, those of a range where one is given. */
export async function readVariables(
  ask: Ask,
  note: Context['note'],
  range?: ExportRange,
): Promise<Pick<FieldCatalogue, 'customVariables' | 'dynamicKeys'>> {
  const [custom, dynamic] = await Promise.all([
    listedOr('Custom', ask(listCustomVariables, {}), note),
    listedOr('Dynamic', ask(listDynamicVariableKeys, range ? { from: iso(range.fromMs), to: iso(range.toMs) } : {}), note),
  ]);
  return {
    customVariables: custom.map(({ position, key, values }) => ({ position, key: key ?? '', values: values ?? [] })),
    dynamicKeys: dynamic.map(({ key }) => key),
  };
}

/** The plans of the call's project. */
export async function openPlansOf({ workspace }: Pick<Context, 'workspace'>): Promise<PlanStore> {
  const [{ openPlans }, { plansDir, projectId }] = await Promise.all([import('../../workspace/plans.ts'), workspace()]);
  return openPlans(plansDir, projectId);
}

function rangeOf(from: string | null | undefined, to: string | null | undefined): ExportRange[] {
  const range = { fromMs: instantOf(from ?? ''), toMs: instantOf(to ?? '') };
  return range.fromMs < range.toMs ? [range] : [];
}

/** The segments that plans gave to the jobs that they made. */
export function segmentsOf(plans: readonly ExportPlan[]): KnownSegments {
  const made = plans.flatMap(({ parts }) => parts);
  return new Map(made.flatMap(({ jobId, body }) => (jobId === undefined ? [] : [[jobId, body.segmentId] as const])));
}

/** The ranges that plans gave to the once jobs that they made, by job. */
function plannedRanges(plans: readonly ExportPlan[]): Map<number | string, ExportRange[]> {
  const parts = plans.flatMap(({ parts: all }) => all);
  return new Map(
    parts.flatMap(({ jobId, body: { frequency } }) => {
      const range = rangeOf(frequency.dateRange?.from, frequency.dateRange?.to);
      return jobId === undefined || range.length === 0 ? [] : [[jobId, range] as const];
    }),
  );
}

/**
 * The coverage of each job: these successful runs, and of these jobs the next run of a once job and the range in its plan; the interface
 * shows no other range.
 */
export function coverageOf(
  jobs: readonly JobRecord[],
  runs: readonly SuccessfulRun[],
  plans: readonly ExportPlan[],
): (jobId: number | string) => readonly ExportRange[] {
  const planned = plannedRanges(plans);
  const exported = new Map<number, ExportRange[]>();
  for (const { jobId, from, to } of runs) exported.set(jobId, [...(exported.get(jobId) ?? []), ...rangeOf(from, to)]);
  const records = new Map(jobs.map((job) => [job.jobId, job]));
  return (jobId) => {
    const done = typeof jobId === 'number' ? (exported.get(jobId) ?? []) : [];
    const job = records.get(jobId);
    const next = job?.frequency?.toLowerCase() === 'once' ? rangeOf(job.nextFrom, job.nextTo) : [];
    return [...done, ...next, ...(job ? (planned.get(jobId) ?? []) : [])];
  };
}

type JobRun = PayloadOf<typeof listExportRuns>[number];
type RunQuery = InputOf<typeof listExportRuns>;

/**
 * Runs of a job in a state. How a platform compares states is not documented, so its answer is filtered here too, and where it holds none
 * the latest runs are looked through before that is said.
 */
export async function runsInState(
  { state, ...query }: RunQuery,
  read: (query: RunQuery) => Promise<JobRun[]>,
  note: Context['note'],
): Promise<JobRun[]> {
  if (state === undefined) return read(query);
  const isWanted = (run: JobRun) => lower(run.state) === lower(state);
  const runs = (await read({ ...query, state })).filter(isWanted);
  if (runs.length > 0) return runs;
  const latest = (await read({ ...query, page: undefined, limit: MAX_PAGE_SIZE })).filter(isWanted);
  if (latest.length === 0) return [];
  note(`Filtered by the platform, no run is ${state}; these are among the ${MAX_PAGE_SIZE} runs that it lists first without the filter.`);
  return latest;
}

/** Facts about a once job that its record does not show: its range, and whether it produced files. */
export interface OnceJob {
  readonly jobId: number | string;
  /** ISO in UTC; absent where neither the platform nor a plan says it. */
  readonly from?: string;
  readonly to?: string;
  /** Whether its run produced files; absent while the job is not completed. */
  readonly hasFiles?: boolean;
  /** The platform has deleted them since. */
  readonly expired?: true;
}

type ExportListsContext = Pick<Context, 'ask' | 'note' | 'workspace' | 'nowMs'>;

const isOnce = ({ frequency }: JobRecord): boolean => lower(frequency) === 'once';

/** The ranges and outcomes of the once jobs among these, from their successful runs and the plans that made them. */
export async function onceJobsAmong(jobs: readonly JobRecord[], context: ExportListsContext): Promise<OnceJob[]> {
  const once = jobs.filter(isOnce);
  if (once.length === 0) return [];
  try {
    const plans = await openPlansOf(context);
    const ids = once.flatMap(({ jobId }) => (typeof jobId === 'number' ? [jobId] : []));
    const [runs, made] = await Promise.all([successfulRunsOf(ids, context.ask), plans.all()]);
    const life = await learnFileLife(context.ask, runs);
    const coveredBy = coverageOf(jobs, runs, made);
    return once.map((job) => {
      const [range] = coveredBy(job.jobId);
      const own = runs.filter(({ jobId }) => jobId === job.jobId);
      const isOver = own.length > 0 && own.every(({ completedAt }) => Date.parse(completedAt) + life.ms <= context.nowMs);
      return {
        jobId: job.jobId,
        ...(range && { from: iso(range.fromMs), to: iso(range.toMs) }),
        ...(lower(job.state) === 'completed' && { hasFiles: own.length > 0 }),
        ...(isOver && { expired: true }),
      };
    });
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    context.note(`Ranges and outcomes of once jobs could not be read: ${error.message}`);
    return [];
  }
}
