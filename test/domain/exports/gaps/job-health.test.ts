import { describe, expect, it } from 'vitest';
import { healthOf, stateNotes, suspendedWords } from '../../../../src/domain/exports/gaps/jobs-answer.ts';

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
