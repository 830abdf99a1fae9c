import * as z from 'zod';
import { createExportJob } from '../../src/api/operations/data-export.ts';
import { recordId } from '../../src/api/operations/records.ts';
import { device, exportFormat, text } from '../../src/api/params.ts';
import { equalWords } from '../../src/domain/exports/plan/similar-jobs.ts';
import { hint } from '../../src/lib/hint.ts';
import * as p from '../../src/tooling/params.ts';
import { CREATE, defineTool } from '../../src/tooling/tool.ts';
import { equalJobs } from '../../src/usecases/exports/export-lists.ts';

const field = z.strictObject({
  fieldName: text.describe(`${hint('list_exportable_fields', 'From list_exportable_fields; ')}custom_var or dynamic_var for variables`),
  aliasName: text.describe('Column name in the file').optional(),
  customVarPosition: z.int().min(1).max(20).describe('With custom_var').optional(),
  dynamicVarKey: text.describe('With dynamic_var').optional(),
});

const frequency = z.strictObject({
  value: z.enum(['once', 'daily', 'hourly']),
  dateRange: z
    .strictObject({ from: p.startOf('First day'), to: p.exportEndOf('Last day, included') })
    .describe('Only with once; at most 7 days')
    .optional(),
});

export default defineTool({
  name: 'create_export_job',
  title: 'Create an export job',
  description:
    'One unchecked export job, as given' +
    hint('plan_export', ' (checked first: plan_export)') +
    '. Only the console can change or delete it later.',
  annotations: CREATE,
  searchHint: `export job with exact fields${hint('plan_export', ', after plan_export')}`,
  operation: createExportJob,
  idsFrom: 'list_export_jobs',
  confirmed: true,
  input: z.strictObject({
    name: text.describe('Name of the job'),
    format: exportFormat,
    scope: p.exportScope.describe('sessions or views').optional(),
    frequency: frequency.describe('Once needs a dateRange'),
    fields: z.array(field).min(1).describe('Columns'),
    deviceLabel: device,
    segmentId: p.ref('segment', 'Segment id or name; default all users').optional(),
  }),
  output: z.object({ jobId: recordId }),
  async handler({ segmentId, fields, ...input }, { call, ask, note }) {
    const columns = fields.map(({ customVarPosition, ...rest }) => ({
      ...rest,
      ...(customVarPosition !== undefined && { customVarPosition: String(customVarPosition) }),
    }));
    const body = { ...input, fields: columns, ...(segmentId !== undefined && { segmentId: String(segmentId) }) };
    const equal = await equalJobs(ask, body);
    const warning = equal.length > 0 ? `${equalWords(equal)}.` : undefined;
    const { jobId } = await call(body, warning === undefined ? {} : { warning, apart: true });
    if (warning !== undefined) note(`${warning} This one was created beside it; only the console can delete one.`);
    return { jobId };
  },
});
