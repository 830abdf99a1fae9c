import * as z from 'zod';
import { getExportRun } from '../../src/api/operations/data-export.ts';
import { exportRunWithFiles } from '../../src/api/operations/records.ts';
import { linksWords } from '../../src/exports/files-until.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'get_export_run',
  title: 'Get an export run',
  description: 'One run and the addresses (links) of its files (gzip; token-free; till expirationDate).',
  annotations: READ,
  searchHint: 'addresses of files, links',
  operation: getExportRun,
  idsFrom: 'list_export_runs',
  input: z.strictObject({
    jobId: p.ref('export job'),
    runId: z
      .int()
      .positive()
      .describe(`jobRunId${hint('list_export_runs', ' (list_export_runs)')}`),
  }),
  output: z.object({ answer: z.string().optional(), run: exportRunWithFiles }),
  async handler(input, { call, nowMs, timeZone, workspace }) {
    const own = await workspace();
    const [run, kept] = await Promise.all([call(input), own.runs(input.jobId)]);
    const answer = linksWords(run, { nowMs, timeZone, isHere: kept.some(({ runId }) => runId === input.runId) });
    return { answer, run };
  },
});
