import * as z from 'zod';
import { listExportJobs } from '../../src/api/operations/data-export.ts';
import { exportJob } from '../../src/api/operations/records.ts';
import { healthAmong, jobsThatFit, onceCounted } from '../../src/exports/find-export-gaps.ts';
import { jobHealth, jobsAnswer, mattersFirst, onceJob } from '../../src/exports/gaps/jobs-answer.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_export_jobs',
  title: 'List export jobs',
  description:
    'Which exports are there, do they run every night as they should, is each job or feed healthy, running, finished, ' +
    'stuck, broken, stopped or failing? Overview of status, schedule, last run, good runs and missing days of 30, next run.' +
    hint('find_export_gaps', ' Gaps: find_export_gaps.'),
  annotations: READ,
  searchHint: 'active exports, healthy, finished, schedule, overview of feeds, every night, suspended, delivery',
  operation: listExportJobs,
  paged: 'jobs',
  beside: ['health', 'once'],
  usualTokens: 1_200,
  heavy: {
    members: ['fields', 'ownerId', 'lastUpdatorId', 'accountId', 'projectIds', 'createdAt', 'updatedAt', 'nextFrom', 'nextTo', 'filters'],
    seeAlso: hint('get_export_job', ' (get_export_job shows them of one)'),
  },
  input: z.strictObject({
    state: p.lowerCased('active, computing, completed or suspended'),
    scope: p.lowerCased('sessions or views'),
    frequency: p.lowerCased('once, daily or hourly'),
    format: p.upperCased('JSONL or CSV'),
    ...p.paging,
  }),
  output: z.object({
    answer: z.string().optional(),
    jobs: z.array(exportJob),
    total: z.number().optional(),
    /** Of the last 30 days, or of the latest 100 runs. */
    health: z.array(jobHealth),
    once: z.array(onceJob).optional(),
  }),
  async handler(input, { call, ...context }) {
    const jobs = await call(input);
    const [health, all] = await Promise.all([healthAmong(jobs, context), jobsThatFit(input, jobs, context)]);
    const { once: counted, countedAll } = await onceCounted(jobs, all, context);
    const answer = jobsAnswer({ jobs, health, once: counted, countedAll, all });
    const page = new Set(jobs.map(({ jobId }) => jobId));
    const once = counted.filter(({ jobId }) => page.has(jobId));
    // Who turns pages or names an order gets that of the platform.
    const isPaged = input.limit !== undefined || input.order !== undefined || input.page !== undefined;
    const ordered = isPaged ? jobs : mattersFirst({ jobs, once });
    if (ordered.some((job, index) => job !== jobs[index]))
      context.note('Jobs that recur, are under way or ended without files stand first.');
    return {
      answer: answer || undefined,
      jobs: ordered,
      health,
      total: all?.length,
      ...(once.length > 0 && { once }),
    };
  },
});
