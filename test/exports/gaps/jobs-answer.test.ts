import { describe, expect, it } from 'vitest';
import { allGapsAnswer, type GapStudy, gapAnswer, gapCounts, type Status } from '../../../src/exports/gaps/find-gaps.ts';
import { healthOf, jobsAnswer, mattersFirst, stateNotes, suspendedWords } from '../../../src/exports/gaps/jobs-answer.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';

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

const START = Date.parse('2026-11-01T00:00:00Z');
type Part = readonly [Status, days: number, ...by: number[]];

/** A study of whole days from 1 November on. */
function study(...parts: readonly Part[]): GapStudy {
  let startMs = START;
  const intervals = parts.map(([status, slots, ...by]) => {
    const interval = { status, slots, by, startMs, endMs: startMs + slots * DAY_MS };
    startMs = interval.endMs;
    return interval;
  });
  return { unit: 'day', timeZone: 'UTC', range: { startMs: START, endMs: startMs }, intervals, isInferred: false };
}

it.each<[string, readonly Part[], string]>([
  ['has nothing to tell', [['available', 7]], 'None of 7 days of "Daily" is missing.'],
  [
    'counts what is gone beside files',
    [
      ['expired', 5],
      ['available', 2],
    ],
    'None of 7 days of "Daily" is missing. Besides: 5 expired.',
  ],
  ['says that no file is left', [['expired', 7]], '0 of 7 days of "Daily" are available: 7 expired.'],
  [
    'says why days of a suspended job have no files',
    [
      ['expired', 5],
      ['suspended', 2],
    ],
    '0 of 7 days of "Daily" are available: 2 not exported while suspended since 2026-11-06, 5 expired.',
  ],
  [
    'begins before the job',
    [
      ['before', 6],
      ['available', 1],
    ],
    '1 of 7 days of "Daily" is available: 6 before the first run.',
  ],
  [
    'holds days that are being filled for days without data',
    [
      ['available', 2],
      ['filling', 1, 31],
      ['expired', 3],
      ['filling', 1, 32],
    ],
    '2 of 7 days of "Daily" still have no data: 2026-11-03 (filling), 2026-11-07 (filling); backfill jobs 31, 32 are under way. ' +
      'Besides: 3 expired.',
  ],
  [
    'counts them beside the other gaps',
    [
      ['available', 5],
      ['filling', 1, 31],
      ['missing', 1],
    ],
    '2 of 7 days of "Daily" have no data: 2026-11-06 (filling), 2026-11-07 (missing); backfill job 31 is under way.',
  ],
])('the first sentence of a job %s', (_, parts, sentence) => {
  expect(gapAnswer(study(...parts), 'Daily')).toBe(sentence);
});

it('all jobs at once count days that are being filled too', () => {
  const jobs = [study(['available', 6], ['filling', 1, 31]), study(['available', 7])].map((found, at) => ({
    name: `Job ${at}`,
    ...gapCounts(found),
  }));
  expect(allGapsAnswer(jobs)).toBe('Of 2 recurring jobs looked at 1 has gaps: "Job 0" (1 day; backfill job 31 is under way).');
});

const NOW = Date.parse('2026-11-20T10:00:00Z');
const runAt = (startDate: string, state = 'SUCCESS') => ({ startDate, state });
const DAILY = { jobId: 1, state: 'ACTIVE', frequency: 'daily', nextRunTime: '2026-11-21T02:10:00Z' };
const days = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => runAt(`2026-11-${String(from + index).padStart(2, '0')}T02:10:00Z`));

describe('the health of a job', () => {
  it('counts good runs and days without one, up to what is due', () => {
    const runs = [...days(1, 9), runAt('2026-11-10T02:10:00Z', 'FAILED'), ...days(12, 20)];
    expect(healthOf(DAILY, runs, NOW)).toMatchObject({ lastRunState: 'success', runs: 19, goodRuns: 18, missing: 2, unit: 'day' });
  });

  it('counts a day whose run failed and was good later that day as good', () => {
    const runs = [...days(1, 9), runAt('2026-11-10T02:10:00Z', 'FAILED'), runAt('2026-11-10T18:30:00Z'), ...days(11, 20)];
    expect(healthOf(DAILY, runs, NOW)).toMatchObject({ runs: 21, goodRuns: 20, missing: 0 });
  });

  it('does not count on the run of a schedule that is still to come', () => {
    expect(healthOf({ ...DAILY, nextRunTime: '2026-11-20T10:30:00Z' }, [runAt('2026-11-19T10:31:00Z')], NOW)).toMatchObject({ missing: 0 });
    expect(healthOf({ ...DAILY, nextRunTime: null }, [runAt('2026-11-18T11:00:00Z'), runAt('2026-11-19T11:00:00Z')], NOW).missing).toBe(0);
    expect(healthOf({ ...DAILY, nextRunTime: null }, [runAt('2026-11-17T02:00:00Z'), runAt('2026-11-18T02:00:00Z')], NOW).missing).toBe(1);
  });

  it('takes a run under way neither for good nor for missing', () => {
    expect(healthOf(DAILY, [...days(18, 19), runAt('2026-11-20T02:10:00Z', 'RUNNING')], NOW)).toMatchObject({
      lastRunState: 'running',
      runs: 2,
      goodRuns: 2,
      missing: 0,
    });
  });

  it('does not count days after a job was suspended, nor runs of longer ago', () => {
    const job = { ...DAILY, state: 'SUSPENDED', nextRunTime: null };
    expect(healthOf(job, days(1, 3), NOW)).toMatchObject({ missing: 0, runs: 3 });
    const longAgo = healthOf(job, [runAt('2026-09-01T02:10:00Z')], NOW);
    expect(longAgo).toMatchObject({ lastRunState: 'success', runs: 0 });
  });

  it('names the device, and the number of one that is not known', () => {
    expect(healthOf({ ...DAILY, filters: { deviceId: 3 } }, [], NOW).device).toBe('tablet web');
    expect(healthOf({ ...DAILY, filters: { deviceId: 9 } }, [], NOW).device).toBe('device 9');
    expect(healthOf(DAILY, [], NOW).device).toBeUndefined();
  });
});

it('says what is known of suspended jobs, and that the interface gives no reason', () => {
  const jobs = [
    { ...DAILY, state: 'SUSPENDED', updatedAt: '2026-10-25T08:00:00Z', lastUpdatorId: 7005 },
    { ...DAILY, jobId: 2, state: 'suspended' },
  ];
  expect(suspendedWords(jobs)).toEqual([
    'Suspended: 1 (last changed 2026-10-25 by user 7005), 2 (not said when it was changed). The interface does not say why.',
  ]);
  expect(suspendedWords([DAILY])).toEqual([]);
});

it('explains only the states that a page has', () => {
  expect(stateNotes([DAILY])).toEqual([]);
  expect(stateNotes([{ ...DAILY, state: 'COMPLETED' }])).toEqual(['COMPLETED is over, whether its run succeeded or not.']);
});
