import * as z from 'zod';
import { listExportRuns } from '../../src/api/operations/data-export.ts';
import { exportRun } from '../../src/api/operations/records.ts';
import { runsInState } from '../../src/exports/export-lists.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_export_runs',
  title: 'List runs of an export job',
  description: 'Runs of one export job, any state: worked, failed.' + hint('get_export_run', ' Files: get_export_run.'),
  annotations: READ,
  searchHint: 'export run worked, failed runs of job',
  operation: listExportRuns,
  idsFrom: 'list_export_jobs',
  paged: 'runs',
  input: z.strictObject({
    jobId: p.ref('export job'),
    state: p.upperCased('FAILURE, SUCCESS, RUNNING'),
    ...p.paging,
  }),
  output: z.object({ runs: z.array(exportRun) }),
  async handler(input, { call, note }) {
    return { runs: await runsInState(input, call, note) };
  },
});
