import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call, platform, sent } = useTools();
const fields = [
  { fieldName: 'user_id', aliasName: 'user' },
  { fieldName: 'session_time' },
  { fieldName: 'custom_var', customVarPosition: 2 },
];
const week = {
  name: 'German sessions',
  format: 'CSV',
  scope: 'sessions',
  frequency: { value: 'once', dateRange: { from: '2026-11-09', to: '2026-11-15' } },
  fields,
  deviceLabel: 'mobile',
  segmentId: 'germany',
};

it('shows the whole request, sends it when confirmed, and gives the id of the job', async () => {
  const preview = await call('create_export_job', week);
  const { body } = preview.structured['request'] as { body: Record<string, unknown> };
  expect(sent('createExportJob')).toEqual([]);
  const answer = await call('create_export_job', { ...week, confirm: true });
  expect(platform().requests.at(-1)).toMatchObject({ operation: 'createExportJob', body });
  const job = await ask('getExportJob', { jobId: answer.structured['jobId'] });
  expect(job).toMatchObject({
    name: 'German sessions',
    format: 'CSV',
    nextFrom: '2026-11-09T00:00:00.000Z',
    nextTo: '2026-11-16T00:00:00.000Z',
  });
  expect([whole(preview), whole(answer)].join('\n\n')).toMatchSnapshot();
});

it('warns before anything is sent of a field that is not listed, with the closest', async () => {
  const wrong = { ...week, name: 'Misspelt', fields: [{ fieldName: 'browser_nam' }, { fieldName: 'session_time' }, { fieldName: 'zzz' }] };
  const preview = await call('create_export_job', wrong);
  expect(preview.structured['request']).toMatchObject({
    warning:
      '"browser_nam" is no field of scope sessions; the closest is browser_name. ' +
      '"zzz" is no field of scope sessions; list_exportable_fields lists them.',
  });
});

it('sends segment and position as text', async () => {
  await call('create_export_job', { ...week, confirm: true });
  expect(platform().requests.at(-1)?.body).toMatchObject({ segmentId: '440156', fields: [{}, {}, { customVarPosition: '2' }] });
});
