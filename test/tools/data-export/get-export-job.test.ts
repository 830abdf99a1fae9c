import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('finds a job by name', async () => {
  const answer = await call('get_export_job', { jobId: 'hourly sessions' });
  const { jobId } = answer.structured['job'] as { jobId: number };
  expect(answer.structured['job']).toEqual(await ask('getExportJob', { jobId }));
  expect(answer.structured['job']).toMatchObject({ name: 'Hourly sessions', frequency: 'hourly', state: 'ACTIVE' });
  expect(whole(answer)).toMatchSnapshot();
});
