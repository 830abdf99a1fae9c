import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { rangeOf } from '../../../src/exports/coverage.ts';
import {
  type ExportHistory,
  findGaps,
  type GapStudy,
  gapAnswer,
  gapRows,
  type JobRun,
  mostTelling,
  type Status,
  slotsOf,
} from '../../../src/exports/gaps/find-gaps.ts';
import { shiftDays } from '../../../src/lib/calendar.ts';
import { DAY_MS, HOUR_MS, isoTime } from '../../../src/lib/clock.ts';
import { times } from '../../support/times.ts';

const NOW_MS = Date.parse('2026-11-20T10:00:00Z');
const LAG_MS = 130 * 60_000;

/** What became of the run of one day. */
type Fate = 'kept' | 'available' | 'expired' | 'failed' | 'missing' | 'empty' | 'running';

/** The history of a daily job: one fate for each of the last days, the oldest first. */
function daily(fates: readonly Fate[], timeZone = 'UTC', more: Partial<ExportHistory> = {}): ExportHistory {
  const midnight = timeZone === 'UTC' ? Date.parse('2026-11-20T00:00:00Z') : Date.parse('2026-11-19T23:00:00Z');
  const covering: ExportHistory['covering'][number][] = [];
  const runs: JobRun[] = [];
  for (const [index, fate] of fates.entries()) {
    const [startMs, endMs] = [index, index + 1].map((day) => shiftDays(midnight, day - fates.length, timeZone));
    if (startMs === undefined || endMs === undefined || fate === 'missing') continue;
    const runId = 100 + index;
    const states: Partial<Record<Fate, string>> = { failed: 'failure', running: 'running' };
    runs.push({ runId, startedMs: endMs + LAG_MS, state: states[fate] ?? 'success' });
    const state = fate === 'kept' ? 'downloaded' : fate;
    if (state === 'downloaded' || state === 'available' || state === 'expired') covering.push({ runId, range: { startMs, endMs }, state });
  }
  const next = { startMs: midnight, endMs: shiftDays(midnight, 1, timeZone) };
  return {
    frequency: 'daily',
    state: 'active',
    next,
    nextRunMs: next.endMs + LAG_MS,
    runs,
    covering,
    backfilled: [],
    filling: [],
    ...more,
  };
}

const study = (history: ExportHistory, timeZone = 'UTC') => findGaps(history, { timeZone, nowMs: NOW_MS });

/** `2 failed, 5 available`: each interval in order. */
const told = ({ intervals, unit }: GapStudy) => intervals.map((each) => `${slotsOf(each, unit)} ${each.status}`).join(', ');

const SHOWN: Readonly<Record<Fate, Status>> = {
  kept: 'available',
  available: 'available',
  expired: 'expired',
  failed: 'failed',
  missing: 'missing',
  empty: 'empty',
  running: 'running',
};

it.each(['UTC', 'Europe/Paris'])('each day of a daily job has the status of its run, in %s over a change of the clocks too', (timeZone) => {
  const fate = fc.constantFrom<Fate>('kept', 'available', 'expired', 'failed', 'missing', 'empty', 'running');
  fc.assert(
    fc.property(fate, fc.array(fate, { minLength: 28, maxLength: 40 }), (first, middle) => {
      // Before its first run nobody knows of a job; without a known range at the end the last days cannot be told.
      const fates: Fate[] = [first === 'missing' ? 'failed' : first, ...middle, 'kept'];
      const { intervals } = study(daily(fates, timeZone), timeZone);
      const statuses = intervals.flatMap((each) => times(slotsOf(each, 'day'), () => each.status));
      expect(statuses).toEqual(fates.map((each) => SHOWN[each]));
      expect(intervals.slice(1).map(({ startMs }) => startMs)).toEqual(intervals.slice(0, -1).map(({ endMs }) => endMs));
    }),
    { numRuns: 60 },
  );
});

it('each day of a daily job keeps the runs that tell it, and says what is inferred', () => {
  const found = study(daily(['kept', 'failed', 'failed', 'empty', 'missing', 'expired', 'kept']));
  expect(found.isInferred).toBe(true);
  expect(gapRows(found)).toEqual([
    { range: '2026-11-14 to 2026-11-15', slots: 2, status: 'failed', cause: 'run 101, 102 failed (inferred)' },
    { range: '2026-11-16', slots: 1, status: 'empty', cause: 'run 103 (inferred) succeeded without rows: no data, no gap' },
    { range: '2026-11-17', slots: 1, status: 'missing', cause: 'no run began for it' },
    { range: '2026-11-18', slots: 1, status: 'expired', cause: 'exported, but the files are gone (inferred) and not in the workspace' },
  ]);
  expect(gapAnswer(found, 'Daily')).toBe(
    '3 of 7 days of "Daily" have no data: 2026-11-14 to 2026-11-15 (failed), 2026-11-17 (missing). Besides: 1 expired, 1 empty.',
  );
});

it('an answer that is too long keeps the gaps', () => {
  const fates = times(30, (index): Fate => (index % 3 === 0 ? 'kept' : index % 3 === 1 ? 'expired' : 'failed'));
  const rows = gapRows(study(daily([...fates, 'kept'])));
  expect(rows).toHaveLength(20);
  expect(
    mostTelling(rows, 12)
      .map(({ status }) => status)
      .toSorted(),
  ).toEqual([...times(2, () => 'expired'), ...times(10, () => 'failed')]);
  expect(mostTelling(rows, 12)).toEqual(rows.filter((row) => mostTelling(rows, 12).includes(row)));
  expect(mostTelling(rows, 20)).toEqual(rows);
});

it('what is due is told by the rhythm where the job shows no next range', () => {
  const { next: _, ...rest } = daily(['kept', 'kept', 'missing', 'missing']);
  expect(told(study(rest))).toBe('2 available, 2 missing');
  const early = findGaps(rest, { timeZone: 'UTC', nowMs: Date.parse('2026-11-20T01:00:00Z') });
  expect(told(early)).toBe('2 available, 1 missing');
});

it('what is due is nothing once the job is suspended, which is told apart', () => {
  const { next: _, ...rest } = daily(['kept', 'missing', 'kept', 'missing', 'missing'], 'UTC', { state: 'suspended' });
  expect(told(study(rest))).toBe('1 available, 1 missing, 1 available, 2 suspended');
});

it('what is due is a job that never ran, from its creation on', () => {
  const never = { ...daily([]), createdMs: NOW_MS - 2 * DAY_MS - 10 * HOUR_MS };
  expect(told(study(never))).toBe('2 missing');
});

it.each([
  ['2026-11-20T00:00:00.000Z', '2026-11-20T00:00:00.000Z'],
  ['2026-11-19T23:59:59.999Z', '2026-11-20T00:00:00.000Z'],
  ['2026-11-19T23:59:59Z', '2026-11-20T00:00:00.000Z'],
  ['2026-11-19T23:59:00Z', '2026-11-19T23:59:00.000Z'],
  ['2026-11-19T10:30:15Z', '2026-11-19T10:30:15.000Z'],
])('a range to %s ends at %s', (end, first) => {
  expect(isoTime(rangeOf({ to: end }).endMs)).toBe(first);
});

describe('ranges that overlap', () => {
  const base = daily(['kept', 'expired', 'failed', 'kept']);
  const failedDay = { startMs: Date.parse('2026-11-18T00:00:00Z'), endMs: Date.parse('2026-11-19T00:00:00Z') };

  it('are available where any of their runs is', () => {
    const range = base.covering[1]?.range ?? failedDay;
    expect(told(study({ ...base, backfilled: [{ runId: 900, range, state: 'available' }] }))).toBe('2 available, 1 failed, 1 available');
  });

  it('of a backfill close a gap, or a part of it', () => {
    const half = { startMs: failedDay.startMs, endMs: failedDay.startMs + DAY_MS / 2 };
    const { intervals } = study({ ...base, backfilled: [{ runId: 901, range: half, state: 'downloaded' }] });
    expect(intervals.find(({ status }) => status === 'failed')).toMatchObject({ startMs: half.endMs, endMs: failedDay.endMs });
    const whole = [{ runId: 901, range: failedDay, state: 'downloaded' as const }];
    expect(told(study({ ...base, backfilled: whole }))).toBe('1 available, 1 expired, 2 available');
  });

  it('of a backfill that is under way are told as such', () => {
    const filling = [{ ...failedDay, jobId: 77 }];
    const found = study({ ...base, filling });
    expect(told(found)).toBe('1 available, 1 expired, 1 filling, 1 available');
    expect(gapRows(found).at(-1)?.cause).toBe('backfill job 77 is under way');
  });
});

it('a long history is cut, and says so, unless somebody asks for it', () => {
  const fates = times(120, (): Fate => 'kept');
  expect(study(daily(fates))).toMatchObject({ cutToDays: 92 });
  const all = findGaps(daily(fates), { timeZone: 'UTC', nowMs: NOW_MS, startMs: NOW_MS - 110 * DAY_MS });
  expect(all.cutToDays).toBeUndefined();
  expect(told(all)).toBe('110 available');
});

it('a year of hours is studied at once', () => {
  const fromMs = NOW_MS - 365 * DAY_MS;
  const covering = times(365 * 24, (hour) => ({
    runId: hour,
    range: { startMs: fromMs + hour * HOUR_MS, endMs: fromMs + (hour + 1) * HOUR_MS },
    state: 'downloaded' as const,
  })).filter(({ runId }) => runId % 1000 !== 999);
  const runs = covering.map(({ runId, range }) => ({ runId, startedMs: range.endMs + 720_000, state: 'success' }));
  const began = performance.now();
  const found = findGaps(
    { frequency: 'hourly', state: 'active', runs, covering, backfilled: [], filling: [] },
    { timeZone: 'UTC', nowMs: NOW_MS, startMs: fromMs },
  );
  expect(found.intervals.filter(({ status }) => status === 'missing')).toHaveLength(8);
  expect(performance.now() - began).toBeLessThan(2_000);
});
