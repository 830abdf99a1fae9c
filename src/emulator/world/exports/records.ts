import type { Project } from '../../projects.ts';
import { isoTime } from './fields.ts';
import type { ExportFiles } from './files.ts';
import type { ExportJob } from './job.ts';
import { completionRate, jobStanding, type Run, runState } from './schedule.ts';
import { filterDeviceId } from './selection.ts';

const ACCOUNT_ID = 88;

function isoOrNull(instantMs: number | undefined): string | null {
  return instantMs === undefined ? null : isoTime(instantMs);
}

/** A job as section 2.2 lists it; a member is null where there is no such instant. */
export function jobRecord(job: ExportJob, project: Project, nowMs: number) {
  const { state, last, next } = jobStanding(job, nowMs);
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
    filters: { deviceId: filterDeviceId(project, job.device) },
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
