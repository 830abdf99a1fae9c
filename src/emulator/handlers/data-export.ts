import { DEFAULT_PAGE_SIZE, instantOf } from '../../api/params.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { type Handlers, type Place } from '../handler.ts';
import { Refusal } from '../responses.ts';
import { customVariablesOf, dynamicVariablesOf, isoTime } from '../world/exports/fields.ts';
import { jobRecord, newJob, runRecord, successfulRunRecord } from '../world/exports/job-records.ts';
import { type ExportJob, type Run, runState, runsOf, runWithId } from '../world/exports/schedule.ts';
import { scopeNamed, scopeNames } from '../world/exports/scopes.ts';
import { hash } from '../world/random.ts';

interface Paging {
  limit?: number | undefined;
  order?: 'ASC' | 'DESC' | undefined;
  page?: number | undefined;
}

/** Where a page of a list begins and how it is ordered; without a number it is the first. The reference does not number pages. */
function pagingOf({ limit = DEFAULT_PAGE_SIZE, order = 'DESC', page }: Paging, { deployment: { pagesFrom } }: Place) {
  const at = page ?? pagesFrom;
  if (at < pagesFrom) throw new Refusal(400, 'VALIDATION_ERROR', `page: pages begin at ${pagesFrom}`);
  const inOrder = <T>(ascending: readonly T[]) => (order === 'ASC' ? ascending : ascending.toReversed());
  return { limit, start: (at - pagesFrom) * limit, inOrder };
}

/** One page of a list that comes in ascending order. */
function pageOf<T>(ascending: readonly T[], paging: Paging, place: Place): T[] {
  const { limit, start, inOrder } = pagingOf(paging, place);
  return inOrder(ascending).slice(start, start + limit);
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

function successfulOf(job: ExportJob, nowMs: number): readonly Run[] {
  return runsOf(job, nowMs).filter((run) => !run.isEmpty && runState(run, nowMs) === 'SUCCESS');
}

/** One page of the successful runs of these jobs, which stand in the order of their ids; runs of other pages are only counted. */
function pageOfRuns(jobs: readonly ExportJob[], paging: Paging, place: Place): Run[] {
  const { limit, start, inOrder } = pagingOf(paging, place);
  const found: Run[] = [];
  let before = start;
  for (const job of inOrder(jobs)) {
    const count = settledSuccesses(job, place.nowMs);
    if (count !== undefined && count <= before) {
      before -= count;
      continue;
    }
    const runs = inListOrder(successfulOf(job, place.nowMs), place);
    found.push(...inOrder(runs).slice(before, before + limit - found.length));
    before = Math.max(0, before - runs.length);
    if (found.length >= limit) break;
  }
  return found;
}

/** Counts of jobs that will have no other run, kept because each page of a long list needs all of them. */
const counts = new WeakMap<ExportJob, number>();

function settledSuccesses(job: ExportJob, nowMs: number): number | undefined {
  const known = counts.get(job);
  if (known !== undefined || job.suspendedMs === undefined || job.suspendedMs + DAY_MS > nowMs) return known;
  const count = successfulOf(job, nowMs).length;
  counts.set(job, count);
  return count;
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

/** The handlers of data export. */
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
    const jobs = world.exports.jobs(project, nowMs);
    const recordOf = (job: ExportJob) => jobRecord(job, place);
    // The state takes a while to compute: where nothing is filtered, only the page needs it.
    if ([format, frequency, scope, state].every((filter) => filter === undefined)) return pageOf(jobs, paging, place).map(recordOf);
    const records = jobs.map(recordOf);
    // The reference words job states in lower case where it filters by them (section 3).
    const wanted = (job: (typeof records)[number]) =>
      matches(job.format, format, place) &&
      matches(job.frequency, frequency, place) &&
      matches(job.scope, scope, place) &&
      matches(job.state.toLowerCase(), state, place);
    return pageOf(records.filter(wanted), paging, place);
  },

  listSuccessfulExportRuns(paging, place) {
    const { world, project, nowMs } = place;
    const jobs = world.exports.jobs(project, nowMs);
    return pageOfRuns(jobs, paging, place).map((run) => successfulRunRecord(run, world.exports.files));
  },

  getExportJob: ({ jobId }, place) => jobRecord(jobWithId(place, jobId), place),

  listExportRuns({ jobId, state, ...paging }, place) {
    const runs = inListOrder(runsOf(jobWithId(place, jobId), place.nowMs), place);
    const records = runs.map((run) => runRecord(run, place.nowMs)).filter((run) => matches(run.state, state, place));
    return pageOf(records, paging, place);
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
