import * as z from 'zod';
import { listSuccessfulExportRuns } from '../../src/api/operations/data-export.ts';
import { successfulRun } from '../../src/api/operations/records.ts';
import { instantOf } from '../../src/api/params.ts';
import { briefRuns } from '../../src/domain/exports/job-lists.ts';
import * as p from '../../src/tooling/params.ts';
import { documented } from '../../src/tooling/schema.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';
import { selectedRuns } from '../../src/usecases/exports/export-lists.ts';

export default defineTool({
  name: 'list_successful_export_runs',
  title: 'List successful export runs',
  description: 'Runs that produced files, with the range they cover and how long their files are kept. Files: get_export_run.',
  annotations: READ,
  operation: listSuccessfulExportRuns,
  paged: 'runs',
  input: z.strictObject({
    jobIds: p.refs('export job', 'Only these jobs').optional(),
    startDate: p.startOf('Only ranges that end after this day begins').optional(),
    endDate: p.endOf('Only ranges that begin by the end of this day').optional(),
    expiresBefore: p.momentOf('Only files that exist but are deleted before this date').optional(),
    limit: p.limit,
    order: p.order,
    page: p.page,
  }),
  output: z.object({ runs: z.array(documented(successfulRun)) }),
  brief: ({ runs }) => ({
    data: briefRuns(runs),
    note:
      'What runs of a job share stands once, in jobs; their projects are left out of the text. ' +
      'filesUntil: 7 days after completion (inferred; expirationDate of get_export_run is exact).',
  }),
  async handler({ jobIds, startDate, endDate, expiresBefore, ...paging }, { call, ask, note, nowMs }) {
    if (jobIds === undefined && startDate === undefined && endDate === undefined && expiresBefore === undefined)
      return { runs: await call(paging) };
    const optionalMs = (instant: string | undefined) => (instant === undefined ? undefined : instantOf(instant));
    const bounds = { fromMs: optionalMs(startDate), toMs: optionalMs(endDate), expiresBeforeMs: optionalMs(expiresBefore) };
    const { runs, found } = await selectedRuns(ask, { ...paging, jobIds, ...bounds, nowMs });
    if (found > runs.length) note(`${runs.length} of ${found} runs; pass page or a larger limit.`);
    return { runs };
  },
});
