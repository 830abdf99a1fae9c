import { describe, expect, it } from 'vitest';
import { bodiesOf, type ExportOrder } from '../../../src/exports/plan/job-bodies.ts';
import { idsOfEqual, isJobOf, similarJobs } from '../../../src/exports/plan/similar-jobs.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';

const START_MS = Date.parse('2026-11-01T00:00:00Z');
const range = (from: number, to: number) => ({ startMs: START_MS + from * DAY_MS, endMs: START_MS + to * DAY_MS });

const job = {
  jobId: 1,
  name: 'Daily sessions JSONL',
  state: 'ACTIVE',
  scope: 'sessions',
  format: 'JSONL',
  frequency: 'daily',
  fields: [{ fieldName: 'session_id' }, { fieldName: 'custom_var', aliasName: 'plan' }],
  filters: { deviceId: -1 },
};
const columns = [{ fieldName: 'custom_var', aliasName: 'plan', customVarPosition: 1 }, { fieldName: 'session_id' }];
const order: ExportOrder = { format: 'JSONL', scope: 'sessions', frequency: 'daily', columns, device: 'all', ranges: [] };
const naming = { timeZone: 'UTC', taken: new Set<string>() };

const likeness = (jobs: readonly (typeof job)[], wanted: Partial<ExportOrder> = {}, covered = range(0, 20)) =>
  similarJobs(jobs, { ...order, ...wanted }, () => [covered], new Map()).map((each) => [each.job.jobId, each.likeness]);

describe('a job', () => {
  it('is equal with the same columns in any order, whatever its state and however records write', () => {
    expect(likeness([job])).toEqual([[1, 'equal']]);
    expect(likeness([{ ...job, frequency: 'DAILY', scope: 'Sessions', format: 'jsonl', state: 'SUSPENDED' }])).toEqual([[1, 'equal']]);
  });

  it.each([
    ['more columns', { fields: [...job.fields, { fieldName: 'city' }] }, 'holds'],
    ['another format', { format: 'CSV' }, 'holds'],
    ['a column less', { fields: job.fields.slice(0, 1) }, undefined],
    ['another variable', { fields: [{ fieldName: 'session_id' }, { fieldName: 'custom_var', aliasName: 'tier' }] }, undefined],
    ['another device', { filters: { deviceId: 1 } }, undefined],
    ['another scope', { scope: 'views' }, undefined],
    ['another rhythm', { frequency: 'hourly' }, undefined],
    ['its end', { state: 'DELETED' }, undefined],
  ])('with %s is similar: %s → %s', (_, other, expected) => {
    expect(likeness([{ ...job, ...other }])).toEqual(expected === undefined ? [] : [[1, expected]]);
  });

  it('is held to the range of a once export: all of it, a part, or none', () => {
    const wanted = { frequency: 'once' as const, ranges: [range(0, 7), range(7, 14)] };
    const once = { ...job, frequency: 'once' };
    expect(likeness([once], wanted, range(7, 14))).toEqual([[1, 'equal']]);
    expect(likeness([once], wanted, range(5, 8))).toEqual([[1, 'holds']]);
    expect(likeness([once], wanted, range(14, 20))).toEqual([]);
    expect(likeness([job], wanted, range(13, 20))).toEqual([[1, 'holds']]);
    const [similar] = similarJobs([once], { ...order, ...wanted }, () => [range(5, 8), range(12, 30)], new Map());
    expect(similar?.coverage?.have).toEqual([range(5, 8), range(12, 14)]);
  });

  it('is not equal where another segment is wanted than its own, or than a job shows', () => {
    const of = (segmentId: number | undefined, known?: readonly (readonly [number, string | undefined])[]) =>
      similarJobs([job], { ...order, segmentId }, () => [], new Map(known)).map((each) => each.likeness);
    expect(of(5)).toEqual(['holds']);
    expect(of(5, [[1, '5']])).toEqual(['equal']);
    expect(of(5, [[1, '6']])).toEqual([]);
    expect(of(5, [[1, undefined]])).toEqual([]);
    expect(of(undefined, [[1, undefined]])).toEqual(['equal']);
    expect(of(undefined, [[1, '5']])).toEqual([]);
  });

  it('that is equal comes before the others', () => {
    const more = { ...job, jobId: 2, fields: [...job.fields, { fieldName: 'city' }] };
    expect(likeness([more, job])).toEqual([
      [1, 'equal'],
      [2, 'holds'],
    ]);
  });

  it('is told from others by name and content', () => {
    const [body] = bodiesOf(order, naming);
    if (!body) throw new Error('an order has a body');
    expect(isJobOf(job, body)).toBe(true);
    expect(isJobOf({ ...job, name: 'Daily' }, body)).toBe(false);
    expect(isJobOf({ ...job, format: 'CSV' }, body)).toBe(false);
    expect(idsOfEqual([job, { ...job, jobId: 2, state: 'deleted' }, { ...job, jobId: 3 }], [body])).toEqual([1, 3]);
  });
});

it('names of jobs say what they are, and are never taken twice', () => {
  const named = (wanted: Partial<ExportOrder>, taken: string[] = []) =>
    bodiesOf({ ...order, ...wanted }, { ...naming, taken: new Set(taken) }).map(({ name }) => name);
  expect(named({})).toEqual(['Daily sessions JSONL']);
  expect(named({}, ['Daily sessions JSONL', 'Daily sessions JSONL (2)'])).toEqual(['Daily sessions JSONL (3)']);
  expect(named({ device: 'mobile', format: 'CSV', frequency: 'hourly', scope: 'views' })).toEqual(['Hourly mobile views CSV']);
  const weeks = { frequency: 'once' as const, ranges: [range(0, 7), range(7, 8)] };
  expect(named(weeks)).toEqual(['Sessions JSONL 2026-11-01 to 2026-11-07', 'Sessions JSONL 2026-11-08']);
  expect(named({ ...weeks, name: 'Mine' })).toEqual(['Mine 2026-11-01 to 2026-11-07', 'Mine 2026-11-08']);
  expect(named({ ...weeks, name: 'Mine', ranges: [range(0, 7)] })).toEqual(['Mine']);
});
