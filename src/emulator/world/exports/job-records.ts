import { instantOf } from '../../../api/params.ts';
import type { Place } from '../../handler.ts';
import { Refusal } from '../../responses.ts';
import { retentionStartMs } from '../sessions/index.ts';
import { dynamicVariablesOf, isoTime } from './fields.ts';
import { type ExportFiles, filterDeviceId } from './files.ts';
import { COMPUTE_MS, completionRate, type ExportJob, type JobDraft, type JobInput, jobStatus, type Run, runState } from './schedule.ts';
import { columnName, type FieldSelector, scopeNamed, scopeNames } from './scopes.ts';

const OWNER_ID = 7009;

function refuse(message: string): never {
  throw new Refusal(400, 'VALIDATION_ERROR', message);
}

function selectorsOf({ fields, scope = 'sessions' }: JobInput, { world, project }: Place): FieldSelector[] {
  const known = scopeNamed(scope) ?? refuse(`scope: "${scope}" is not known; there are ${scopeNames.join(', ')}.`);
  const keys = new Set(dynamicVariablesOf(project, world.origin.startMs).map(({ key }) => key));
  const columns = new Set<string>();
  return fields.map(({ fieldName, aliasName, customVarPosition, dynamicVarKey }, index) => {
    if (!known.fields.some(({ name }) => name === fieldName))
      refuse(`fields[${index}].fieldName: scope ${scope} has no field "${fieldName}"; see exportable-fields.`);
    if (dynamicVarKey !== undefined && !keys.has(dynamicVarKey))
      refuse(`fields[${index}].dynamicVarKey: "${dynamicVarKey}" is not known; see dynamic-var-keys.`);
    const selector = {
      fieldName,
      ...(aliasName !== undefined && { aliasName }),
      ...(customVarPosition !== undefined && { customVarPosition: Number(customVarPosition) }),
      ...(dynamicVarKey !== undefined && { dynamicVarKey }),
    };
    const column = columnName(selector);
    if (columns.has(column)) refuse(`fields[${index}]: two columns would be named "${column}"; give one an aliasName.`);
    columns.add(column);
    return selector;
  });
}

function rangeOf({ frequency: { dateRange } }: JobInput, nowMs: number): Pick<JobDraft, 'range'> {
  if (!dateRange) return {};
  const [fromMs, toMs] = [instantOf(dateRange.from), instantOf(dateRange.to)];
  const earliestMs = retentionStartMs(nowMs);
  if (fromMs < earliestMs)
    refuse(`frequency.dateRange.from: ${dateRange.from} is before the data retention, which begins ${isoTime(earliestMs)}.`);
  return { range: { fromMs, toMs } };
}

function segmentOf({ segmentId }: JobInput, { project, world }: Place): Pick<JobDraft, 'segmentId'> {
  if (segmentId === undefined) return {};
  const segment = world.account.segments(project.id).find(({ id }) => id === Number(segmentId));
  return { segmentId: segment?.id ?? refuse(`segmentId: project ${project.id} has no segment ${segmentId}.`) };
}

/** The job that a checked request asks for; refuses what only the platform can know. */
export function newJob(input: JobInput, place: Place): JobDraft {
  return {
    projectId: place.project.id,
    name: input.name,
    ownerId: OWNER_ID,
    createdMs: place.nowMs,
    format: input.format,
    scope: input.scope ?? 'sessions',
    frequency: input.frequency.value,
    ...rangeOf(input, place.nowMs),
    fields: selectorsOf(input, place),
    device: input.deviceLabel,
    ...segmentOf(input, place),
    computeMs: COMPUTE_MS,
  };
}

const ACCOUNT_ID = 88;

function isoOrNull(instantMs: number | undefined): string | null {
  return instantMs === undefined ? null : isoTime(instantMs);
}

/** A job as section 2.2 lists it; a member is null where there is no such instant. */
export function jobRecord(job: ExportJob, { project, nowMs, deployment: { jobFilters } }: Place) {
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
export function runRecord(run: Run, nowMs: number) {
  return {
    jobRunId: run.runId,
    startDate: isoTime(run.startMs),
    state: runState(run, nowMs),
    endDate: nowMs >= run.endMs ? isoTime(run.endMs) : null,
    completionRate: completionRate(run, nowMs),
  };
}

/** A successful run with the range that it extracted. */
export function successfulRunRecord(run: Run, files: ExportFiles) {
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
    nbOfFiles: files.count(run),
  };
}
