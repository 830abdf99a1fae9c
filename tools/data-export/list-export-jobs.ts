import * as z from 'zod';
import { listExportJobs } from '../../src/api/operations/data-export.ts';
import { exportJob, recordId } from '../../src/api/operations/records.ts';
import { briefJobs } from '../../src/domain/exports/job-lists.ts';
import * as p from '../../src/tooling/params.ts';
import { documented } from '../../src/tooling/schema.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';
import { onceJobsAmong } from '../../src/usecases/exports/export-lists.ts';

export default defineTool({
  name: 'list_export_jobs',
  title: 'List export jobs',
  description:
    'Export jobs in any state, healthy or suspended, with schedule and next run. COMPLETED is no success: list_successful_export_runs.',
  annotations: READ,
  searchHint: 'exports that exist, health, schedule',
  operation: listExportJobs,
  paged: 'jobs',
  input: z.strictObject({
    state: p.lowerCased('active, computing, completed or suspended'),
    scope: p.lowerCased('sessions or views'),
    frequency: p.lowerCased('once, daily or hourly'),
    format: p.upperCased('JSONL or CSV'),
    limit: p.limit,
    order: p.order,
    page: p.page,
  }),
  output: z.object({
    jobs: z.array(documented(exportJob)),
    once: z
      .array(z.object({ jobId: recordId, from: z.string().optional(), to: z.string().optional(), hasFiles: z.boolean().optional() }))
      .optional(),
  }),
  brief: ({ jobs, once }) => ({
    data: { jobs: briefJobs(jobs, once) },
    note: 'The text counts fields, and leaves out owner, account, project and update of a job: get_export_job shows all.',
  }),
  async handler(input, { call, ...context }) {
    const jobs = await call(input);
    const once = await onceJobsAmong(jobs, context);
    return { jobs, ...(once.length > 0 && { once }) };
  },
});
