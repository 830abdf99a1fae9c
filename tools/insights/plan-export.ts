import * as z from 'zod';
import { recordId } from '../../src/api/operations/records.ts';
import { device, exportFormat, text } from '../../src/api/params.ts';
import { planExport } from '../../src/exports/plan-export.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { defineAnsweringTool, READ } from '../../src/tooling/tool.ts';

export default defineAnsweringTool({
  name: 'plan_export',
  title: 'Plan an export',
  description:
    'Set up, get or send an export of raw data: dump, feed or file (CSV, JSONL) of sessions, visits or page views, ' +
    'only mobile or a segment, every hour or day, or once for past months or years, for an analyst or a warehouse. ' +
    'Previews and validates the configuration, finds equal jobs, recommends columns, attributes.' +
    hint('apply_export_plan', ' Then apply_export_plan.'),
  annotations: READ,
  searchHint:
    'database, spreadsheet, Excel, Power BI, BigQuery, Snowflake, delivery, history, checks, only mobile, nightly, daily, ' +
    'schedule, recurring, extract, historical, hit-level, analysts, fields, backup, validate',
  scope: 'data-export',
  idsFrom: 'list_export_jobs',
  input: z.strictObject({
    fields: z.array(text).min(1).max(200).describe('Names or plain words: url, UTM, custom variable "plan", "revenue as money"'),
    name: text.describe('Default: generated').optional(),
    scope: p.exportScope.describe('sessions or views (hit-level); default by fields').optional(),
    format: exportFormat.default('JSONL'),
    frequency: z.enum(['once', 'daily', 'hourly']).describe('Schedule: daily (nightly), once with dates').optional(),
    startDate: p.startOf('First day, for once').optional(),
    endDate: p.exportEndOf('Last day, included').optional(),
    deviceLabel: device.default('all'),
    segmentId: p.ref('segment', 'Id or name; default all').optional(),
  }),
  output: z.object({
    /** Which such export exists, else what is planned. */
    answer: z.string(),
    planId: z.string(),
    expires: z.string(),
    body: z.record(z.string(), z.unknown()),
    each: z.array(z.record(z.string(), z.unknown())).optional(),
    fields: z.array(
      z.object({
        asked: z.string(),
        fieldName: z.string(),
        aliasName: z.string().optional(),
        meaning: z.string(),
        also: z.array(z.string()).optional(),
      }),
    ),
    existing: z
      .array(
        z.object({
          jobId: recordId,
          name: z.string(),
          state: z.string(),
          frequency: z.string(),
          likeness: z.string(),
          shared: z.string().optional(),
        }),
      )
      .optional(),
  }),
  handler: async (input, context) => planExport(input, context),
});
