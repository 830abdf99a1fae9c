import { expect, it } from 'vitest';
import { briefJobs, briefRuns } from '../../../src/domain/exports/job-lists.ts';

const run = { jobId: 1, jobRunId: 10, name: 'Daily', format: 'CSV', scope: 'views', frequency: 'daily', projectIds: [7], nbOfFiles: 2 };

it('says once what the runs of a job share, the latest name, and how many there are', () => {
  const brief = briefRuns([run, { ...run, jobId: 2, jobRunId: 20 }, { ...run, jobRunId: 9, name: 'Old name' }]);
  expect(brief.jobs).toEqual([
    { jobId: 1, name: 'Daily', frequency: 'daily', format: 'CSV', scope: 'views', runsHere: 2 },
    { jobId: 2, name: 'Daily', frequency: 'daily', format: 'CSV', scope: 'views', runsHere: 1 },
  ]);
  expect(brief.runs.map(({ jobRunId }) => jobRunId)).toEqual([10, 20, 9]);
});

it.each([
  ['2026-11-16T06:30:00.000Z', '2026-11-16T06:30Z'],
  ['2026-11-16T06:30:00Z', '2026-11-16T06:30Z'],
  ['2026-11-16T06:30:45.000Z', '2026-11-16T06:30:45Z'],
  ['2026-11-16T00:00:00.000+0100', '2026-11-16T00:00+0100'],
  ['2026-11-15T23:59:59.999Z', '2026-11-15T23:59:59.999Z'],
  ['soon', 'soon'],
  [null, null],
  [undefined, null],
])('shortens %s to %s', (from, short) => {
  expect(briefRuns([{ ...run, from }]).runs[0]?.from).toBe(short);
});

it('counts the fields of a job, and says no count where the platform names none', () => {
  const jobs = [{ jobId: 1, fields: [{ fieldName: 'a' }, { fieldName: 'b' }], filters: { deviceId: 2 } }, { jobId: 2 }];
  expect(briefJobs(jobs)).toMatchObject([
    { jobId: 1, fields: 2, device: 'mobile web' },
    { jobId: 2, fields: null, device: null },
  ]);
});
