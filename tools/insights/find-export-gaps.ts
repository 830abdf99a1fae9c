import * as z from 'zod';
import { findAllGaps, findExportGaps } from '../../src/exports/find-export-gaps.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'find_export_gaps',
  title: 'Find gaps in exports',
  description:
    'Did we miss exports, is some data missing? Gaps and holes in the data: days, dates or hours of each job missing, ' +
    'empty, skipped or incomplete, and why (failed, never run, expired, outage). Checks the completeness of the history; ' +
    'its planId fills or backfills them' +
    hint('apply_export_plan', ' (apply_export_plan)') +
    '.',
  annotations: READ,
  searchHint: 'missing dates, nothing, audit, complete history, refill, re-export, reload, coverage, failed days',
  scope: 'data-export',
  idsFrom: 'list_export_jobs',
  input: z.strictObject({
    jobId: p.ref('export job', 'Id or name; default all running').optional(),
    startDate: p.startOf('Default first run').optional(),
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
