import * as z from 'zod';
import { getExportJob } from '../../src/api/operations/data-export.ts';
import { exportJobAlone } from '../../src/api/operations/records.ts';
import * as p from '../../src/tooling/params.ts';
import { defineTool, READ } from '../../src/tooling/tool.ts';

export default defineTool({
  name: 'get_export_job',
  title: 'Get an export job',
  description: 'Set-up of one export job: state, fields, filters.',
  annotations: READ,
  searchHint: 'settings, columns of export job',
  operation: getExportJob,
  idsFrom: 'list_export_jobs',
  input: z.strictObject({ jobId: p.ref('export job') }),
  output: z.object({ job: exportJobAlone }),
  async handler(input, { call }) {
    return { job: await call(input) };
  },
});
