import * as z from 'zod';
import { recordId } from '../../src/api/operations/records.ts';
import { text } from '../../src/api/params.ts';
import { applyExportPlan, holderOfPlan } from '../../src/exports/plan-export.ts';
import { either } from '../../src/lib/hint.ts';
import { defineAnsweringTool, OVERWRITE } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'apply_export_plan',
  title: 'Apply an export plan',
  description:
    'Yes, fine, go ahead, create it: executes a proposed plan, creates and starts the planned daily or hourly export ' +
    'jobs (feed) or backfill, none twice.',
  annotations: OVERWRITE,
  searchHint: 'carry out, confirm, proceed, yes create them, approve, looks good',
  scope: 'data-export',
  idsFrom: 'list_export_jobs',
  confirmed: true,
  holderOf: ({ planId }, workspaces) => holderOfPlan(String(planId), workspaces),
  input: z.strictObject({
    planId: text.describe(`From ${either('plan_export', 'find_export_gaps')}`),
    allowDuplicate: z.boolean().describe('Recurring job despite an equal one').optional(),
  }),
  output: z.object({
    planId: z.string(),
    jobs: z.array(
      z.object({
        jobId: recordId,
        name: z.string(),
        from: z.string().optional(),
        to: z.string().optional(),
        nextRunTime: z.string().optional(),
        /** Of a run that the platform still computes, as it states it. */
        completionRate: z.number().optional(),
      }),
    ),
    /** Those that a question waits for; left out where all are here. */
    files: z.literal('under way').optional(),
  }),
  handler: applyExportPlan,
});
