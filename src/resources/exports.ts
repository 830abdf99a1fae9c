import { ApiError } from '../api/errors.ts';
import type { ProjectWorkspace } from '../exports/project-workspace.ts';
import { rowsOf } from '../exports/store/manifest.ts';
import { grouped } from '../lib/grouped.ts';
import { hint } from '../lib/hint.ts';
import { defineResource } from '../tooling/resource.ts';
import { complete, integer } from './variables.ts';

/** A run that is becoming a table is waited for so long. */
const READY_MS = 20_000;

/** The loads of the warehouse, or in words why they are not known; undefined without a warehouse. */
async function loadsOf({ warehouse }: ProjectWorkspace) {
  if (!warehouse) return undefined;
  const { recordsOrReason } = await import('../exports/export-data.ts');
  return recordsOrReason(warehouse);
}

/** When loads of the project ended, ms since 1970 by the clock of the warehouse; none where it is away. */
async function loadedAt(workspace: ProjectWorkspace): Promise<number[]> {
  const records = await loadsOf(workspace);
  if (records === undefined || typeof records === 'string') return [];
  return records.flatMap(({ state, written }) => (state === 'loaded' ? [Date.parse(`${written.replace(' ', 'T')}Z`)] : []));
}

/** The downloaded exports of a project. */
export const exportsResource = defineResource({
  name: 'exports',
  title: 'Downloaded exports',
  description:
    'All runs of exports on disk or in the warehouse, by job, JSON: range of the data, rows, bytes, and the address of each run. ' +
    'Subscribe to be notified of new runs of the platform, and of downloads and loads that ended.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/exports',
  complete: { projectId: complete.projectId },
  list: ({ projectId, projectName }) => [
    { variables: { projectId }, name: `exports_${projectId}`, title: `Downloaded exports of ${projectName || `project ${projectId}`}` },
  ],
  async newest({ projectId }, { ask, session }) {
    const { successfulRuns } = await import('../exports/download/run-rows.ts');
    const workspace = await session.workspace(integer('projectId', projectId));
    const [runs, downloaded] = await Promise.all([successfulRuns(ask), workspace.runs()]);
    const instants = [...runs.map(({ completedAt }) => completedAt), ...downloaded.map(({ downloadedAt }) => downloadedAt)];
    const times = instants.map((instant) => Date.parse(instant)).filter((ms) => !Number.isNaN(ms));
    const loads = await loadedAt(workspace);
    // Their clocks differ: the sum changes with either.
    return times.length + loads.length > 0 ? Math.max(0, ...times) + Math.max(0, ...loads) : undefined;
  },
  async read({ projectId }, { session }) {
    const workspace = await session.workspace(integer('projectId', projectId));
    const runs = await workspace.runs();
    const unfinished = await workspace.unfinished();
    const jobs = [...grouped(runs, ({ jobId }) => jobId)].map(([jobId, own]) => {
      const listed = own.map((run) => ({
        runId: run.runId,
        from: run.from,
        to: run.to,
        exportedAt: run.exportedAt,
        rows: rowsOf(run) ?? null,
        bytes: run.files.reduce((sum, { bytes }) => sum + bytes, 0),
        uri: exportRun.uri({ projectId, jobId, runId: run.runId }),
      }));
      const { jobName: job, scope, format } = own.at(-1) ?? { jobName: '', scope: '', format: '' };
      return { jobId, job, scope, format, runs: listed };
    });
    const records = await loadsOf(workspace);
    const loaded =
      typeof records === 'string' ? records : records?.map(({ run, state, rows }) => ({ jobId: run.jobId, runId: run.runId, state, rows }));
    return JSON.stringify({ directory: workspace.dir, jobs, unfinished, ...(loaded !== undefined && { warehouse: loaded }) });
  },
});

/** One downloaded run. */
export const exportRun = defineResource({
  name: 'export_run',
  title: 'Downloaded export run',
  description: 'One downloaded run, JSON: its manifest with sha256 of each file, the columns with types and units, and the first rows.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/exports/{jobId}/runs/{runId}',
  complete: { projectId: complete.projectId, jobId: complete.downloadedJobId, runId: complete.downloadedRunId },
  async read({ projectId, jobId, runId }, { session }) {
    const workspace = await session.workspace(integer('projectId', projectId));
    const id = { jobId: integer('jobId', jobId), runId: integer('runId', runId) };
    const manifest = await workspace.find(id);
    if (!manifest)
      throw new ApiError(
        'missing',
        `run ${runId} of job ${jobId} is not in the workspace${hint('download_export_run', '; download_export_run fetches it')}`,
      );
    const { firstRows } = await import('../exports/query/query-results.ts');
    const { prepared } = await import('../exports/export-data.ts');
    await workspace.runs(id.jobId);
    await prepared(workspace, new Set([id.jobId]), READY_MS, AbortSignal.any([]));
    const begin = await workspace.reading([id], async ([run = manifest]) => ({ run, ...(await firstRows(run, workspace)) }));
    return JSON.stringify({ manifest: begin.run, directory: workspace.directoryOf(id), columns: begin.columns, firstRows: begin.rows });
  },
});

/** The rows of a recent query as CSV. */
export const exportQuery = defineResource({
  name: 'export_query',
  title: 'Result of a query',
  description:
    'All rows of a recent ' + hint('query_export', 'query_export', 'query') + ', up to 50,000, as CSV; the latest ten are kept, for a day.',
  mimeType: 'text/csv',
  template: 'analytics://{projectId}/exports/queries/{queryId}',
  complete: {
    projectId: complete.projectId,
    async queryId({ session, projectId }) {
      const { queryResults } = await import('../exports/query/query-results.ts');
      const ids = await queryResults(await session.workspace(await projectId()), session.options.clock.now()).ids();
      return ids.map((id) => ({ value: id }));
    },
  },
  async read({ projectId, queryId }, { session }) {
    const { queryResults } = await import('../exports/query/query-results.ts');
    const workspace = await session.workspace(integer('projectId', projectId));
    const result = await queryResults(workspace, session.options.clock.now()).find(queryId);
    if (result === undefined)
      throw new ApiError('missing', `there is no result ${queryId} any more${hint('query_export', '; call query_export again')}.`);
    return result;
  },
});
