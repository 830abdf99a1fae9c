import * as z from 'zod';
import { listSuccessfulExportRuns } from '../../src/api/operations/data-export.ts';
import { successfulRun } from '../../src/api/operations/records.ts';
import { briefRuns } from '../../src/domain/exports/job-lists.ts';
import * as p from '../../src/tooling/params.ts';
import { documented } from '../../src/tooling/schema.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_successful_export_runs',
  title: 'List successful export runs',
  description: 'Runs that produced files, of all jobs, with the range they cover. Files: get_export_run.',
  annotations: READ,
  operation: listSuccessfulExportRuns,
  paged: 'runs',
  input: z.strictObject({ limit: p.limit, order: p.order, page: p.page }),
  output: z.object({ runs: z.array(documented(successfulRun)) }),
  brief: ({ runs }) => ({
    data: briefRuns(runs),
    note: 'What runs of a job share stands once, in jobs; their projects are left out of the text.',
  }),
  async handler(input, { call }) {
    return { runs: await call(input) };
  },
});
