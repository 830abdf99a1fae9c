import type { InputOf } from '../../api/operation.ts';
import type * as dataExport from '../../api/operations/data-export.ts';
import { DEFAULT_PAGE_SIZE, instantOf } from '../../api/params.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Handlers, Place } from '../handler.ts';
import { invalid, Refusal } from '../responses.ts';
import { customVariablesOf, dynamicVariablesOf } from '../world/exports/fields.ts';
import { filterDeviceId } from '../world/exports/files.ts';
import {
  COMPUTE_MS,
  completionRate,
  type ExportJob,
  type JobDraft,
  type JobInput,
  jobStatus,
  type Run,
  runState,
  runsOf,
  runWithId,
} from '../world/exports/schedule.ts';
import { columnName, scopeNamed, scopeNames } from '../world/exports/scopes.ts';
import { hash } from '../world/random.ts';
import { retentionStartMs } from '../world/sessions/index.ts';

/** One page of a list that comes in ascending order. The reference does not number pages; without a number it is the first. */
function pageOf<T>(
  ascending: readonly T[],
  { limit = DEFAULT_PAGE_SIZE, order, page }: InputOf<typeof dataExport.listSuccessfulExportRuns>,
  { deployment }: Place,
): T[] {
  const { pagesFrom } = deployment;
  const at = (page ?? pagesFrom) - pagesFrom;
  if (at < 0) throw invalid(`page: pages begin at ${pagesFrom}`);
  return (order === 'ASC' ? ascending : ascending.toReversed()).slice(at * limit, (at + 1) * limit);
}

/** Whether a record has the wanted value, written as the reference writes it unless the deployment takes any case. */
function matches(value: string, wanted: string | undefined, { deployment: { letterCase } }: Place): boolean {
  return wanted === undefined || value === wanted || (letterCase === 'any' && value.toLowerCase() === wanted.toLowerCase());
}

/** Runs of all or one job in the order of the list, which is that of the jobs. */
function inListOrder(runs: readonly Run[], { deployment: { runOrder } }: Place): readonly Run[] {
  if (runOrder === 'by id') return runs;
  const place = ({ runId }: Run) => hash(runId);
  return runs.toSorted((a, b) => a.job.jobId - b.job.jobId || place(a) - place(b));
}

function jobWithId({ world, project, nowMs }: Place, jobId: number): ExportJob {
  const job = world.exports.jobs(project, nowMs).find((candidate) => candidate.jobId === jobId);
  if (!job) throw new Refusal(404, 'NOT_FOUND', `Project ${project.id} has no export job ${jobId}.`);
  return job;
}

async function filesOf(run: Run, { world, storeUrl, nowMs, deployment: { fileLifeMs } }: Place) {
  if (runState(run, nowMs) !== 'SUCCESS') return [];
  const { files, addresses } = world.exports;
  const expiresMs = run.endMs + fileLifeMs;
  const count = files.count(run);
  const records = [];
  for (let partId = 1; partId <= count; partId += 1) {
    const { bytes } = await files.part(run, partId);
    const url = `${storeUrl}${addresses.sign(run, partId, expiresMs)}`;
    records.push({ partId, fileSize: bytes.length, url, expirationDate: isoTime(expiresMs) });
  }
  return records;
}

const OWNER_ID = 7009;

/** The scope of that name; refuses one that cannot be exported. */
function scopeOf(name: string) {
  const known = scopeNamed(name);
  if (!known) throw invalid(`scope: "${name}" is not known; there are ${scopeNames.join(', ')}.`);
  return known;
}

/** Refuses columns that only the platform knows not to exist, or that would have one name. */
function checkColumns({ fields, scope = 'sessions' }: JobInput, { world, project }: Place): void {
  const known = scopeOf(scope).fields;
  const keys = dynamicVariablesOf(project, world.origin.startMs);
  const columns = fields.map(columnName);
  for (const [index, selector] of fields.entries()) {
    const { fieldName, dynamicVarKey } = selector;
    const column = columnName(selector);
    if (!known.some(({ name }) => name === fieldName))
      throw invalid(`fields[${index}].fieldName: scope ${scope} has no field "${fieldName}"; see exportable-fields.`);
    if (dynamicVarKey !== undefined && !keys.some(({ key }) => key === dynamicVarKey))
      throw invalid(`fields[${index}].dynamicVarKey: "${dynamicVarKey}" is not known; see dynamic-var-keys.`);
    if (columns.indexOf(column) < index) throw invalid(`fields[${index}]: two columns would be named "${column}"; give one an aliasName.`);
  }
}

function rangeOf({ frequency: { dateRange } }: JobInput, nowMs: number): JobDraft['range'] {
  if (!dateRange) return undefined;
  const [fromMs, toMs] = [instantOf(dateRange.from), instantOf(dateRange.to)];
  const earliestMs = retentionStartMs(nowMs);
  if (fromMs >= earliestMs) return { fromMs, toMs };
  throw invalid(`frequency.dateRange.from: ${dateRange.from} is before the data retention, which begins ${isoTime(earliestMs)}.`);
}

function segmentOf({ segmentId }: JobInput, { project, world }: Place): JobDraft['segmentId'] {
  if (segmentId === undefined) return undefined;
  const segment = world.account.lists(project.id).segments.find(({ id }) => id === Number(segmentId));
  if (!segment) throw invalid(`segmentId: project ${project.id} has no segment ${segmentId}.`);
  return segment.id;
}

/** The job that a checked request asks for; refuses what only the platform can know. */
function newJob(input: JobInput, place: Place): JobDraft {
  const range = rangeOf(input, place.nowMs);
  checkColumns(input, place);
  return {
    projectId: place.project.id,
    name: input.name,
    ownerId: OWNER_ID,
    createdMs: place.nowMs,
    format: input.format,
    scope: input.scope ?? 'sessions',
    frequency: input.frequency.value,
    range,
    fields: input.fields,
    device: input.deviceLabel,
    segmentId: segmentOf(input, place),
    computeMs: COMPUTE_MS,
  };
}

const ACCOUNT_ID = 88;

function isoOrNull(instantMs: number | undefined): string | null {
  return instantMs === undefined ? null : isoTime(instantMs);
}

/** A job as section 2.2 lists it; a member is null where there is no such instant. */
function jobRecord(job: ExportJob, { project, nowMs, deployment: { jobFilters } }: Place) {
  const { state, last, next } = jobStatus(job, nowMs);
  const changesMs = [job.createdMs, job.suspendedMs, last?.startMs, last?.endMs];
  return {
    jobId: job.jobId,
    name: job.name,
    ownerId: job.ownerId,
    lastUpdatorId: job.ownerId,
    accountId: ACCOUNT_ID,
    nextFrom: isoOrNull(next?.fromMs),
    nextTo: isoOrNull(next?.toMs),
    projectIds: [job.projectId],
    state,
    createdAt: isoTime(job.createdMs),
    format: job.format,
    scope: job.scope,
    frequency: job.frequency,
    fields: job.fields.map(({ fieldName, aliasName }) => (aliasName === undefined ? { fieldName } : { fieldName, aliasName })),
    lastRunTime: isoOrNull(last?.startMs),
    nextRunTime: isoOrNull(next?.startMs),
    updatedAt: isoTime(Math.max(...changesMs.filter((changeMs) => changeMs !== undefined && changeMs <= nowMs).map(Number))),
    ...(jobFilters !== 'absent' && { filters: jobFilters === 'empty' ? {} : { deviceId: filterDeviceId(project, job.device) } }),
  };
}

/** A run as lists show it; `endDate` is null until it has ended. */
function runRecord(run: Run, nowMs: number) {
  return {
    jobRunId: run.runId,
    startDate: isoTime(run.startMs),
    state: runState(run, nowMs),
    endDate: nowMs >= run.endMs ? isoTime(run.endMs) : null,
    completionRate: completionRate(run, nowMs),
  };
}

/** A successful run with the range that it extracted. */
function successfulRunRecord(run: Run, { world }: Place) {
  const { job } = run;
  return {
    jobId: job.jobId,
    jobRunId: run.runId,
    name: job.name,
    projectIds: [job.projectId],
    from: isoTime(run.fromMs),
    to: isoTime(run.toMs),
    completionTime: isoTime(run.endMs),
    format: job.format,
    scope: job.scope,
    frequency: job.frequency,
    nbOfFiles: world.exports.files.count(run),
  };
}

/** The handlers of data export. */
export const exportHandlers: Handlers<keyof typeof dataExport> = {
  createExportJob: (input, place) => ({ jobId: place.world.exports.add(newJob(input, place)).jobId }),

  listExportJobs({ format, frequency, scope, state, ...paging }, place) {
    const { world, project, nowMs } = place;
    const jobs = world.exports.jobs(project, nowMs).filter(
      (job) =>
        matches(job.format, format, place) &&
        matches(job.frequency, frequency, place) &&
        matches(job.scope, scope, place) &&
        // The reference words job states in lower case where it filters by them (section 3); each takes a while to compute.
        (state === undefined || matches(jobStatus(job, nowMs).state.toLowerCase(), state, place)),
    );
    return pageOf(jobs, paging, place).map((job) => jobRecord(job, place));
  },

  listSuccessfulExportRuns(paging, place) {
    const { world, project, nowMs } = place;
    const all = world.exports.jobs(project, nowMs).flatMap((job) => runsOf(job, nowMs));
    const runs = inListOrder(
      all.filter((run) => !run.isEmpty && runState(run, nowMs) === 'SUCCESS'),
      place,
    );
    return pageOf(runs, paging, place).map((run) => successfulRunRecord(run, place));
  },

  getExportJob: ({ jobId }, place) => jobRecord(jobWithId(place, jobId), place),

  listExportRuns({ jobId, state, ...paging }, place) {
    const all = inListOrder(runsOf(jobWithId(place, jobId), place.nowMs), place);
    const runs = all.filter((run) => matches(runState(run, place.nowMs), state, place));
    return pageOf(runs, paging, place).map((run) => runRecord(run, place.nowMs));
  },

  async getExportRun({ jobId, runId }, place) {
    const run = runWithId(jobWithId(place, jobId), runId, place.nowMs);
    if (!run) throw new Refusal(404, 'NOT_FOUND', `Export job ${jobId} has no run ${runId}.`);
    return { ...runRecord(run, place.nowMs), files: await filesOf(run, place) };
  },

  listExportableFields: ({ scope }) => scopeOf(scope).fields.map(({ read: _, ...field }) => field),

  listCustomVariables: (_input, { project }) =>
    customVariablesOf(project).map(({ position, key, values }) => ({ position, key, values: [...values] })),

  listDynamicVariableKeys({ from, to }, { world, project, nowMs }) {
    const fromMs = from === undefined ? Number.NEGATIVE_INFINITY : instantOf(from);
    const toMs = to === undefined ? nowMs : instantOf(to);
    return dynamicVariablesOf(project, world.origin.startMs)
      .filter((variable) => variable.fromMs < toMs && variable.toMs > fromMs)
      .map(({ key, type }) => ({ key, type }));
  },
};
