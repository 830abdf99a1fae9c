import { expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { useTools, whole } from '../support.ts';

const { ask, call, platform } = useTools();

it('lists the runs of one job', async () => {
  const answer = await call('list_export_runs', { jobId: 'Daily sessions', limit: 5 });
  const job = (await ask('listExportJobs', { limit: 100 })).find(({ name }) => name === 'Daily sessions');
  expect(answer.structured['runs']).toEqual(await ask('listExportRuns', { jobId: job?.jobId, limit: 5 }));
  expect(whole(answer)).toMatchSnapshot();
});

it('finds the run that failed', async () => {
  const { jobName, day } = platform().stories.missingExport;
  const { structured } = await call('list_export_runs', { jobId: jobName, state: 'FAILURE' });
  const nextDay = dayAfter(day, 1);
  expect(structured['runs']).toEqual([expect.objectContaining({ state: 'FAILURE', startDate: expect.stringContaining(nextDay) })]);
  expect(platform().requests.at(-1)?.url).toContain('state=FAILURE');
});

it('looks through the runs itself where the filter of the platform finds none', async () => {
  const jobId = platform().stories.missingExport.jobName;
  platform().faults.add({ kind: 'shape', operation: 'listExportRuns', payload: [], times: 1 });
  const { structured } = await call('list_export_runs', { jobId, state: 'FAILURE' });
  expect(structured['runs']).toMatchObject([{ state: 'FAILURE' }]);
  expect(structured['notes']).toContain(
    'Filtered by the platform, no run is FAILURE; these are among the 100 runs that it lists first without the filter.',
  );
  expect((await call('list_export_runs', { jobId, state: 'CREATED' })).structured['runs']).toEqual([]);
});

it('leaves out what a platform that knows no filter adds', async () => {
  const job = (await ask('listExportJobs', { limit: 100 })).find(({ name }) => name === 'Daily sessions');
  const all = await ask('listExportRuns', { jobId: job?.jobId, limit: 100 });
  platform().faults.add({ kind: 'shape', operation: 'listExportRuns', payload: all, times: 1 });
  expect((await call('list_export_runs', { jobId: job?.jobId, state: 'FAILURE' })).structured['runs']).toMatchObject([
    { state: 'FAILURE' },
  ]);
});
