import { expect, it } from 'vitest';
import { jobsAnswer, mattersFirst } from '../../../../src/domain/exports/gaps/jobs-answer.ts';

const once = (jobId: number, state = 'COMPLETED') => ({ jobId, name: `Once ${jobId}`, state, frequency: 'once' });
const daily = (jobId: number, name: string, state = 'ACTIVE') => ({ jobId, name, state, frequency: 'daily' });
const JOBS = [
  once(9, 'COMPUTING'),
  once(8),
  once(7),
  daily(6, 'Daily views'),
  once(5),
  daily(4, 'Daily sessions'),
  daily(3, 'Old', 'SUSPENDED'),
];
const HEALTH = [
  { jobId: 6, stateWords: 'runs on schedule', lastRunState: 'failed', goodRuns: 18, runs: 19, missing: 1, unit: 'day' as const },
  { jobId: 4, stateWords: 'runs on schedule', lastRunState: 'success', goodRuns: 30, runs: 30, missing: 0, unit: 'day' as const },
];
const ONCE = [{ jobId: 9 }, { jobId: 8, hasFiles: true }, { jobId: 7, hasFiles: false }, { jobId: 5, hasFiles: true }];

it('says how the jobs of a page do', () => {
  expect(jobsAnswer({ jobs: JOBS, health: HEALTH, once: ONCE, all: JOBS })).toBe(
    'Of 7 jobs, 2 run on schedule, the last run of 1 succeeded, that of 6 failed; 1 under way (9); 1 suspended (3). ' +
      'Once jobs: 2 ended with files, 1 ended without (7). ' +
      '"Daily views": 18 of 19 runs succeeded, 1 day without a good run, last run failed; "Daily sessions": 30 of 30 runs succeeded.',
  );
});

it('counts all jobs that the page is of, and says which files are expired', () => {
  const all = [...JOBS, daily(2, 'Old views', 'SUSPENDED'), once(1)];
  const expired = ONCE.map((job) => (job.jobId === 8 ? { ...job, expired: true as const } : job));
  const answer = jobsAnswer({ jobs: JOBS, health: HEALTH, once: expired, all, countedAll: false });
  expect(answer).toContain('Of 9 jobs, 2 run on schedule, ');
  expect(answer).toContain(
    '; 2 suspended (3, 2). Once jobs among the 7 listed first: 2 ended with files, 1 expired since, 1 ended without (7). ',
  );
});

it('says nothing of what there is not, and of a run under way not that it failed', () => {
  expect(jobsAnswer({ jobs: [], health: [], once: [], all: [] })).toBe('');
  const health = [{ jobId: 4, stateWords: '', lastRunState: 'running', goodRuns: 2, runs: 2 }];
  expect(jobsAnswer({ jobs: [daily(4, 'Daily sessions')], health, once: [], all: undefined })).toBe(
    'Of 1 job, 1 runs on schedule. "Daily sessions": 2 of 2 runs succeeded, last run running.',
  );
});

it('puts what matters first and keeps all, in their order', () => {
  expect(mattersFirst({ jobs: JOBS, once: ONCE }).map(({ jobId }) => jobId)).toEqual([9, 7, 6, 4, 3, 8, 5]);
});

it('counts each job: those that wait for their run, and recurring ones that have not run yet', () => {
  const jobs = [once(10, 'ACTIVE'), daily(6, 'Daily views'), { ...daily(4, 'Daily sessions'), lastRunTime: '2026-11-19T02:10:00Z' }];
  const health = HEALTH.filter(({ jobId }) => jobId === 4);
  expect(jobsAnswer({ jobs, health, once: [{ jobId: 10 }], all: jobs })).toBe(
    'Of 3 jobs, 2 run on schedule, the last run of 1 succeeded, 1 has not run yet (6); 1 waits for its run (10). ' +
      '"Daily sessions": 30 of 30 runs succeeded.',
  );
});

it('says which good runs gave no rows, and what fills the days without one', () => {
  const fill = (jobId: number, state: string) => ({ ...once(jobId, state), name: `Daily views backfill ${jobId}` });
  const all = [...JOBS, fill(11, 'ACTIVE'), fill(12, 'COMPUTING'), fill(13, 'COMPLETED')];
  const health = HEALTH.map((own) => ({ ...own, lastRunState: 'success', ...(own.jobId === 6 && { emptyRuns: 1 }) }));
  expect(jobsAnswer({ jobs: JOBS, health, once: ONCE, all })).toContain(
    '"Daily views": 18 of 19 runs succeeded, 1 of them without rows, 1 day without a good run, backfill jobs 11, 12 under way; "Daily s',
  );
});
