import * as z from 'zod';
import { createExportJob } from '../../src/api/operations/data-export.ts';
import { recordId } from '../../src/api/operations/records.ts';
import { device, exportFormat, text } from '../../src/api/params.ts';
import { equalJobs, unknownFieldWords } from '../../src/exports/export-lists.ts';
import { creationQuestion } from '../../src/exports/plan/job-bodies.ts';
import { equalWords } from '../../src/exports/plan/similar-jobs.ts';
import { hint } from '../../src/lib/hint.ts';
import { present } from '../../src/lib/sentences.ts';
import * as p from '../../src/tooling/params.ts';
import { CREATE, defineTool } from '../../src/tooling/tool.ts';

const field = z.strictObject({
  fieldName: text.describe(`${hint('list_exportable_fields', 'See list_exportable_fields; ')}variables: custom_var, dynamic_var`),
  aliasName: text.describe('Column name').optional(),
  customVarPosition: z.int().min(1).max(20).describe('Of custom_var').optional(),
  dynamicVarKey: text.describe('Of dynamic_var').optional(),
});

const frequency = z.strictObject({
  value: z.enum(['once', 'daily', 'hourly']),
  dateRange: z
    .strictObject({ from: p.startOf('First day'), to: p.exportEndOf('Last day, included') })
    .describe('once: 7 days maximum')
    .optional(),
});

export default defineTool({
  name: 'create_export_job',
  title: 'Create an export job',
  description:
    'One unchecked export job, exactly as given' +
    hint('plan_export', ' (checked first: plan_export)') +
    '; changed or deleted by the console alone.',
  annotations: CREATE,
  searchHint: `export job with exact fields${hint('plan_export', ', after plan_export')}`,
  operation: createExportJob,
  idsFrom: 'list_export_jobs',
  confirmed: true,
  input: z.strictObject({
    name: text.describe('Job name'),
    format: exportFormat,
    scope: p.exportScope.describe('sessions or views').optional(),
    frequency: frequency.describe('once: needs dateRange'),
    fields: z.array(field).min(1).describe('Columns'),
    deviceLabel: device,
    segmentId: p.ref('segment', 'Id or name; default all').optional(),
  }),
  output: z.object({ jobId: recordId }),
  async handler({ segmentId, fields, ...input }, { call, ...context }) {
    const { lists, timeZone, note } = context;
    const columns = fields.map(({ customVarPosition, ...rest }) => ({
      ...rest,
      ...(customVarPosition !== undefined && { customVarPosition: String(customVarPosition) }),
    }));
    const body = { ...input, fields: columns, ...(segmentId !== undefined && { segmentId: String(segmentId) }) };
    const equal = await equalJobs(body, context);
    const second = equal.length > 0 ? `${equalWords(equal)}.` : undefined;
    const known = await lists();
    const warning = present(second, ...(await unknownFieldWords(body, known))).join(' ');
    const segment = segmentId === undefined ? undefined : known.nameOf('segment', segmentId);
    const question = creationQuestion([body], { segment, timeZone });
    const { jobId } = await call(body, { question, warning, apart: second !== undefined });
    if (second !== undefined) note(`${second} This one was created beside it; only the console can delete one.`);
    return { jobId };
  },
});
