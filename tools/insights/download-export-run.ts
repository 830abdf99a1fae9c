import * as z from 'zod';
import { newerWithoutRows } from '../../src/exports/deliveries.ts';
import { loadState } from '../../src/exports/export-data.ts';
import { beginDownload, followDownload, progressWords, USUAL_WAIT_SECONDS, wordDownload } from '../../src/exports/sync-exports.ts';
import { hint } from '../../src/lib/hint.ts';
import { members } from '../../src/lib/members.ts';
import { exportRun } from '../../src/resources/exports.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, FETCH } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'download_export_run',
  title: 'Download an export run',
  description:
    'Downloads and saves the files of one run, the newest by default, ' +
    hint('query_export', 'before query_export', 'locally') +
    '; unfinished ones: waits, call again.',
  annotations: FETCH,
  fetches: true,
  searchHint: 'download files of run, fetch export',
  scope: 'data-export',
  idsFrom: 'list_export_runs',
  input: z.strictObject({
    jobId: p.ref('export job'),
    runId: z.int().positive().describe('Default latest successful').optional(),
    waitSeconds: p.waitSeconds,
  }),
  output: z.object({
    state: z.enum(['complete', 'under way']),
    jobId: z.number(),
    job: z.string().optional(),
    runId: z.number(),
    ...members(z.string().optional(), 'from', 'to', 'scope', 'format'),
    ...members(z.number().optional(), 'rowCount', 'bytes'),
    directory: z.string(),
    progress: z.string().optional(),
    next: z.string(),
    files: z.array(z.object({ name: z.string(), bytes: z.number(), rows: z.number().optional() })).optional(),
    uri: z.string().optional(),
  }),
  async handler({ jobId, runId, waitSeconds = USUAL_WAIT_SECONDS }, context) {
    const { projectId, note, link, clock, nowMs } = context;
    const endsMs = performance.now() + waitSeconds * 1_000;
    const { workspace, id, chosen, known, download } = await beginDownload(jobId, runId, context);
    if (known) note('It is already in the workspace; nothing was downloaded.');
    const manifest =
      known ?? (download && (await followDownload(workspace, download, { ...context, untilMs: nowMs + waitSeconds * 1_000 })));
    const directory = workspace.directoryOf(id);
    if (!manifest) {
      const next = `Call download_export_run again with jobId ${jobId} and runId ${id.runId}; the work goes on meanwhile.`;
      return { state: 'under way' as const, ...id, directory, ...(download && { progress: progressWords(download, clock.now()) }), next };
    }
    const { warehouse } = workspace;
    const notLoaded = warehouse && (await loadState(manifest, { workspace, warehouse }, endsMs - performance.now(), context));
    if (notLoaded !== undefined) note(notLoaded);
    const { data, files, notes, next } = wordDownload(manifest);
    for (const sentence of [...notes, ...(await newerWithoutRows(id.jobId, chosen, context))]) note(sentence);
    const uri = link(exportRun, { projectId: await projectId(), ...id }, `Run ${id.runId} of ${data.job}`);
    return { state: 'complete' as const, ...id, ...data, directory, next, files, uri };
  },
});
