import * as z from 'zod';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';
import { findAllGaps } from '../../src/usecases/exports/find-all-gaps.ts';
import { findExportGaps } from '../../src/usecases/exports/find-export-gaps.ts';

export default defineAnsweringTool({
  name: 'find_export_gaps',
  title: 'Find gaps of an export',
  description:
    'Gaps and holes in exported data: which day, days or hours are missing, incomplete or empty although visited, in one export or ' +
    'all, and why (failed, never run, expired); which job has them. Its planId fills or backfills them' +
    hint('apply_export_plan', ' (apply_export_plan)') +
    '.',
  annotations: READ,
  searchHint: 'missing days, missing dates, holes, completeness, failed runs, backfill',
  scope: 'data-export',
  idsFrom: 'list_export_jobs',
  input: z.strictObject({
    jobId: p.ref('export job', 'Export job id or name; default all that run').optional(),
    startDate: p.startOf('Default the first run').optional(),
    endDate: p.exportEndOf('Last day, included; default now').optional(),
  }),
  output: z.object({
    answer: z.string(),
    planId: z.string().optional(),
    expiredPlanId: z.string().optional(),
    columns: z.array(z.string()),
    rows: z.array(z.array(z.union([z.string(), z.number()]))),
  }),
  handler: async ({ jobId, ...days }, context) =>
    jobId === undefined ? findAllGaps(days, context) : findExportGaps({ jobId, ...days }, context),
});
