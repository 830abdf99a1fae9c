import { ApiError } from '../api/errors.ts';
import { defineResource } from '../tooling/resource.ts';
import { complete, integer } from './variables.ts';

export default defineResource({
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
    if (!manifest) throw new ApiError('missing', `run ${runId} of job ${jobId} is not in the workspace; download_export_run fetches it`);
    const { firstRows } = await import('../workspace/query/first-rows.ts');
    const begin = await workspace.reading([id], async ([run = manifest]) => ({ run, ...(await firstRows(run, workspace)) }));
    return JSON.stringify({ manifest: begin.run, directory: workspace.directoryOf(id), columns: begin.columns, firstRows: begin.rows });
  },
});
