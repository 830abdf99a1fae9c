import { allPages } from '../api/all-pages.ts';
import { onApiError, orNone } from '../api/errors.ts';
import type { InputOf, PayloadOf } from '../api/operation.ts';
import {
  listCustomVariables,
  listDynamicVariableKeys,
  listExportableFields,
  listExportJobs,
  type listExportRuns,
} from '../api/operations/data-export.ts';
import { MAX_PAGE_SIZE } from '../api/params.ts';
import { isoTime } from '../lib/clock.ts';
import { hint } from '../lib/hint.ts';
import { type Interval, isSpan } from '../lib/intervals.ts';
import { nearest } from '../lib/nearest.ts';
import type { Context, Lists } from '../names/context.ts';
import { rangeOf } from './coverage.ts';
import type { JobBody } from './plan/job-bodies.ts';
import type { Variable } from './plan/resolve-fields.ts';
import { equalRecurring, isOnce, type JobRecord, type KnownSegments, lower } from './plan/similar-jobs.ts';
import { type ExportPlan, type PlanStore, requestOf } from './plans.ts';
import type { ProjectWorkspace } from './project-workspace.ts';

/** Where a call finds what is downloaded. */
export interface WithWorkspace {
  /** Downloaded exports of the project of the call. */
  readonly workspace: () => Promise<ProjectWorkspace>;
}

/** The parts of a call that exports use. */
export type ExportContext = Pick<
  Context,
  'ask' | 'clock' | 'covers' | 'lists' | 'note' | 'nowMs' | 'progress' | 'signal' | 'timeZone' | 'whole'
> &
  WithWorkspace;

/** The complete runs here, by their ranges. */
export const runsHere = ({ workspace }: WithWorkspace) => workspace().then((opened) => opened.runs());

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
export async function equalJobs(body: JobBody, context: ExportContext): Promise<JobRecord[]> {
  if (body.frequency.value === 'once') return [];
  return readExports(context, { fresh: true })
    .then(({ jobs, plans }) => equalRecurring(body, jobs, segmentsOf(plans)))
    .catch(orNone);
}

/** A sentence for each field that the platform does not list, with the closest that it does; none where the list cannot be read. */
export async function unknownFieldWords({ fields, scope = 'sessions' }: JobBody, { ask }: Pick<Lists, 'ask'>): Promise<string[]> {
  const names = (await ask(listExportableFields, { scope }).catch(orNone)).map(({ name }) => name);
  if (names.length === 0) return [];
  const unknown = fields.map(({ fieldName }) => fieldName).filter((fieldName) => !names.includes(fieldName));
  return unknown.map((fieldName) => {
    const close = nearest(fieldName, names);
    const other = close === undefined ? hint('list_exportable_fields', '; list_exportable_fields lists them') : `; the closest is ${close}`;
    return `"${fieldName}" is no field of scope ${scope}${other}.`;
  });
}

/** The content of a list, or nothing with a note where it cannot be read: most exports need no variable. */
function listedOr<T>(what: string, list: Promise<readonly T[]>, note: Context['note']): Promise<readonly T[]> {
  return list.catch(
    onApiError(({ message }) => {
      note(`${what} variables could not be read: ${message}`);
      return [];
    }),
  );
}

/** The custom variables of the project, and the dynamic ones, those of a range where one is given. */
export async function readVariables(ask: Ask, note: Context['note'], range?: Interval): Promise<readonly Variable[]> {
  const [custom, dynamic] = await Promise.all([
    listedOr('Custom', ask(listCustomVariables, {}), note),
    listedOr('Dynamic', ask(listDynamicVariableKeys, range ? { from: isoTime(range.startMs), to: isoTime(range.endMs) } : {}), note),
  ]);
  return [
    ...custom.map(({ position, key, values }) => ({ kind: 'custom' as const, position, key: key ?? '', values: values ?? [] })),
    ...dynamic.map(({ key }) => ({ kind: 'dynamic' as const, key })),
  ];
}

/** The unfinished runs here, with the names of their jobs as far as the platform lists them. */
export async function namedUnfinished({ lists, workspace }: Pick<ExportContext, 'lists' | 'workspace'>) {
  const runs = await (await workspace()).unfinished();
  const read = async () => (runs.length === 0 ? [] : (await lists()).of('export job'));
  const jobs = await read().catch(orNone);
  return runs.map((run) => ({ ...run, jobName: jobs.find(({ id }) => id === run.jobId)?.path[0] }));
}

/** The plans of the call's project. */
export async function openPlansOf({ workspace }: ExportContext): Promise<PlanStore> {
  const [{ openPlans }, { plansDir, projectId }] = await Promise.all([import('./plans.ts'), workspace()]);
  return openPlans(plansDir, projectId);
}

/** The jobs of the call's project, its plans, and where these are kept; `fresh`: the jobs as they are now. */
export async function readExports(context: ExportContext, how?: { fresh?: boolean }) {
  const store = await openPlansOf(context);
  const [jobs, plans] = await Promise.all([readJobs(context.ask, how), store.all()]);
  return { store, jobs, plans };
}

/** The jobs of a project, the plans that made some of them, and where these are kept. */
export type Exports = Awaited<ReturnType<typeof readExports>>;

/** The segments that plans gave to the jobs that they made. */
export function segmentsOf(plans: readonly ExportPlan[]): KnownSegments {
  const made = plans.flatMap(({ parts }) => parts);
  return new Map(made.flatMap(({ jobId, body }) => (jobId === undefined ? [] : [[jobId, body.segmentId] as const])));
}

/** The ranges that a job will still export: the next run of a once job, and that which its plan gave it; the interface shows no other. */
export function comingRanges(job: JobRecord, plans: readonly ExportPlan[]): Interval[] {
  const planned = requestOf(job.jobId, plans)?.frequency.dateRange ?? [];
  const next = isOnce(job) ? [{ from: job.nextFrom, to: job.nextTo }] : [];
  return [next, planned].flat().map(rangeOf).filter(isSpan);
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
