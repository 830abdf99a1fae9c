import * as z from 'zod';
import { createExportJob } from '../../src/api/operations/data-export.ts';
import { recordId } from '../../src/api/operations/records.ts';
import { text } from '../../src/api/params.ts';
import { defineTool, OVERWRITE } from '../../src/tooling/tool.ts';
import { applyExportPlan } from '../../src/usecases/exports/apply-export-plan.ts';

export default defineTool({
  name: 'apply_export_plan',
  title: 'Apply an export plan',
  description: 'Creates the export jobs of a plan, each once however often it is called; after a failure it creates only the rest.',
  annotations: OVERWRITE,
  operation: createExportJob,
  idsFrom: 'list_export_jobs',
  confirmed: true,
  input: z.strictObject({ planId: text.describe('From plan_export or find_export_gaps') }),
  output: z.object({
    planId: z.string(),
    jobs: z.array(z.object({ jobId: recordId, name: z.string(), from: z.string().optional(), to: z.string().optional() })),
  }),
  handler: async ({ planId }, context) => applyExportPlan(planId, context),
});
