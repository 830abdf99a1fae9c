import { DEFAULT_PAGE_SIZE, FILE_LIFE_MS, instantOf } from '../../api/params.ts';
import { type Handlers, type Place } from '../handler.ts';
import { Refusal } from '../responses.ts';
import { customVariablesOf, dynamicVariablesOf, isoTime } from '../world/exports/fields.ts';
import { jobRecord, newJob, runRecord, successfulRunRecord } from '../world/exports/job-records.ts';
import { type ExportJob, type Run, runState, runsOf, runWithId } from '../world/exports/schedule.ts';
import { scopeNamed, scopeNames } from '../world/exports/scopes.ts';

interface Paging {
  limit?: number | undefined;
  order?: 'ASC' | 'DESC' | undefined;
  page?: number | undefined;
}

/** One page of a list that comes in ascending order; without a number the first. The reference does not say which number that has. */
function pageOf<T>(ascending: readonly T[], paging: Paging, { pagesFrom = 1 }: Place): T[] {
  const { limit = DEFAULT_PAGE_SIZE, order = 'DESC', page = pagesFrom } = paging;
  if (page < pagesFrom) throw new Refusal(400, 'VALIDATION_ERROR', `page: pages begin at ${pagesFrom}`);
  const start = (page - pagesFrom) * limit;
  return (order === 'ASC' ? ascending : ascending.toReversed()).slice(start, start + limit);
}

function matches(value: string, wanted: string | undefined): boolean {
  return wanted === undefined || value.toLowerCase() === wanted.toLowerCase();
}

function jobWithId({ world, project, nowMs }: Place, jobId: number): ExportJob {
  const job = world.exports.jobs(project, nowMs).find((candidate) => candidate.jobId === jobId);
  if (!job) throw new Refusal(404, 'NOT_FOUND', `Project ${project.id} has no export job ${jobId}.`);
  return job;
}

async function filesOf(run: Run, { world, storeUrl, nowMs }: Place) {
  if (runState(run, nowMs) !== 'SUCCESS') return [];
  const { files, addresses } = world.exports;
  const expiresMs = run.endMs + FILE_LIFE_MS;
  const count = files.count(run);
  const records = [];
  for (let partId = 1; partId <= count; partId += 1) {
    const { bytes } = await files.part(run, partId);
    const url = `${storeUrl}${addresses.sign(run, partId, expiresMs)}`;
    records.push({ partId, fileSize: bytes.length, url, expirationDate: isoTime(expiresMs) });
  }
  return records;
}

export const exportHandlers: Handlers<
  | 'createExportJob'
  | 'listExportJobs'
  | 'listSuccessfulExportRuns'
  | 'getExportJob'
  | 'listExportRuns'
  | 'getExportRun'
  | 'listExportableFields'
  | 'listCustomVariables'
  | 'listDynamicVariableKeys'
> = {
  createExportJob: (input, place) => ({ jobId: place.world.exports.add(newJob(input, place)).jobId }),

  listExportJobs({ format, frequency, scope, state, ...paging }, place) {
    const { world, project, nowMs } = place;
    const records = world.exports.jobs(project, nowMs).map((job) => jobRecord(job, project, nowMs));
    const found = records.filter(
      (job) => matches(job.format, format) && matches(job.frequency, frequency) && matches(job.scope, scope) && matches(job.state, state),
    );
    return pageOf(found, paging, place);
  },

  listSuccessfulExportRuns(paging, place) {
    const { world, project, nowMs } = place;
    const runs = world.exports.jobs(project, nowMs).flatMap((job) => runsOf(job, nowMs));
    const successful = runs.filter((run) => runState(run, nowMs) === 'SUCCESS' && !run.isEmpty);
    return pageOf(successful, paging, place).map((run) => successfulRunRecord(run, world.exports.files));
  },

  getExportJob: ({ jobId }, place) => jobRecord(jobWithId(place, jobId), place.project, place.nowMs),

  listExportRuns({ jobId, state, ...paging }, place) {
    const records = runsOf(jobWithId(place, jobId), place.nowMs).map((run) => runRecord(run, place.nowMs));
    return pageOf(
      records.filter((run) => matches(run.state, state)),
      paging,
      place,
    );
  },

  async getExportRun({ jobId, runId }, place) {
    const run = runWithId(jobWithId(place, jobId), runId, place.nowMs);
    if (!run) throw new Refusal(404, 'NOT_FOUND', `Export job ${jobId} has no run ${runId}.`);
    return { ...runRecord(run, place.nowMs), files: await filesOf(run, place) };
  },

  listExportableFields({ scope }) {
    const known = scopeNamed(scope);
    if (!known) throw new Refusal(400, 'VALIDATION_ERROR', `scope: "${scope}" is not known; there are ${scopeNames.join(', ')}.`);
    return known.fields.map(({ name, description, example, aliases, parameters }) => ({ name, description, example, aliases, parameters }));
  },

  listCustomVariables: (_input, { project }) =>
    customVariablesOf(project).map(({ position, key, values }) => ({ position, key, values: [...values] })),

  listDynamicVariableKeys({ from, to }, { world, project, nowMs }) {
    const fromMs = from === undefined ? Number.NEGATIVE_INFINITY : instantOf(from);
    const toMs = to === undefined ? nowMs : instantOf(to);
    return dynamicVariablesOf(project, world.exports.origin.startMs)
      .filter((variable) => variable.fromMs < toMs && variable.toMs > fromMs)
      .map(({ key, type }) => ({ key, type }));
  },
};
