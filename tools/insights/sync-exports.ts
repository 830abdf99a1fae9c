import * as z from 'zod';
import { syncExports, USUAL_WAIT_SECONDS } from '../../src/exports/sync-exports.ts';
import { exportsResource } from '../../src/resources/exports.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, FETCH } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'sync_exports',
  title: 'Sync exports',
  description:
    'Download, fetch or pull everything new: the newest raw data and files of all export jobs, onto this computer or into ' +
    'a warehouse (DuckDB, ClickHouse; BigQuery, Snowflake: files). Skips existing ones, refreshes and keeps the local copy ' +
    'up to date, names expired runs. Call later again.',
  annotations: FETCH,
  fetches: true,
  searchHint: 'mirror, refresh, catch up, store, save all, offline, laptop, folder, BigQuery, Snowflake, load, fill',
  scope: 'data-export',
  idsFrom: 'list_export_jobs',
  input: z.strictObject({
    jobIds: p.jobIds,
    since: p.momentOf('Completed since, e.g. -1d').optional(),
    waitSeconds: p.waitSeconds,
  }),
  output: z.object({
    answer: z.string(),
    state: z.enum(['complete', 'under way']),
    ...p.table,
    failures: z.array(z.object({ jobId: z.number(), runId: z.number(), message: z.string() })).optional(),
    directory: z.string(),
    uri: z.string(),
    next: z.string(),
  }),
  async handler({ waitSeconds = USUAL_WAIT_SECONDS, ...asked }, context) {
    const { next, ...answer } = await syncExports({ ...asked, waitSeconds }, context);
    const uri = context.link(exportsResource, { projectId: await context.projectId() });
    return { ...answer, uri, next };
  },
});
