import { defineResource } from '../tooling/resource.ts';
import exportRun from './export-run.ts';
import { complete, integer } from './variables.ts';

export default defineResource({
  name: 'exports',
  title: 'Downloaded exports',
  description: 'All runs of exports that are on disk, by job, JSON: range of the data, rows, bytes, and the address of each run.',
  mimeType: 'application/json',
  template: 'analytics://{projectId}/exports',
  complete: { projectId: complete.projectId },
  list: ({ projectId, projectName }) => [
    { variables: { projectId }, name: `exports_${projectId}`, title: `Downloaded exports of ${projectName || `project ${projectId}`}` },
  ],
  async read({ projectId }, { session }) {
    const workspace = await session.workspace(integer('projectId', projectId));
    const runs = await workspace.runs();
    const unfinished = await workspace.unfinished();
    const jobs = [...new Set(runs.map(({ jobId }) => jobId))].map((jobId) => {
      const own = runs.filter((run) => run.jobId === jobId);
      const listed = own.map(({ runId, from, to, exportedAt, files }) => ({
        runId,
        from,
        to,
        exportedAt,
        rows: files.every(({ rows }) => rows !== undefined) ? files.reduce((sum, { rows = 0 }) => sum + rows, 0) : null,
        bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
        uri: exportRun.uri({ projectId, jobId, runId }),
      }));
      const { jobName: job, scope, format } = own.at(-1) ?? { jobName: '', scope: '', format: '' };
      return { jobId, job, scope, format, runs: listed };
    });
    return JSON.stringify({ directory: workspace.dir, jobs, unfinished });
  },
});
