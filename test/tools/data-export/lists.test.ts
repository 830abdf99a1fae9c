import { expect, it } from 'vitest';
import type { OperationName } from '../../../src/api/operations/index.ts';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it.each<[string, Record<string, unknown>, string, OperationName, Record<string, unknown>]>([
  ['list_custom_variables', {}, 'customVariables', 'listCustomVariables', {}],
  ['list_exportable_fields', { scope: 'views' }, 'fields', 'listExportableFields', { scope: 'views' }],
  ['get_export_job', { jobId: 'hourly sessions' }, 'job', 'getExportJob', { jobId: 3132 }],
])('%s %j gives what the platform has, found by name', async (tool, args, member, operation, input) => {
  const answer = await call(tool, args);
  expect(answer.structured[member]).toEqual(await ask(operation, input));
  expect(whole(answer)).toMatchSnapshot();
});
