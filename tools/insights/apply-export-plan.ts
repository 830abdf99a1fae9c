import * as z from 'zod';
import { recordId } from '../../src/api/operations/records.ts';
import { text } from '../../src/api/params.ts';
import { either } from '../../src/lib/hint.ts';
import { defineAnsweringTool, OVERWRITE } from '../../src/tooling/tool.ts';
import { applyExportPlan } from '../../src/usecases/exports/apply-export-plan.ts';

export default defineAnsweringTool({
  name: 'apply_export_plan',
  title: 'Apply an export plan',
  description:
    'Go ahead with a plan: creates the planned export jobs of a planId, each once even when called again; after a failure only the ' +
    'rest.',
  annotations: OVERWRITE,
  searchHint: 'yes, do it, execute the plan, create the planned export jobs, backfill',
  scope: 'data-export',
  idsFrom: 'list_export_jobs',
  confirmed: true,
  input: z.strictObject({
    planId: text.describe(`From ${either('plan_export', 'find_export_gaps')}`),
    allowDuplicate: z.boolean().describe('true creates a recurring job although an equal one exists').optional(),
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
      }),
    ),
  }),
  handler: applyExportPlan,
});
