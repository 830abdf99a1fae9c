import * as z from 'zod';
import { listExportableFields } from '../../src/api/operations/data-export.ts';
import { exportableField } from '../../src/api/operations/records.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'list_exportable_fields',
  title: 'List exportable fields',
  description: 'Exportable columns, fields, information per session or page view: list, what a column means, example.',
  annotations: READ,
  searchHint: 'exportable columns, column meaning, information',
  operation: listExportableFields,
  input: z.strictObject({ scope: p.exportScope.describe('sessions or views') }),
  output: z.object({ fields: z.array(exportableField) }),
  async handler(input, { call }) {
    return { fields: await call(input) };
  },
});
