import { describe, expect, it } from 'vitest';
import { judgeSeries } from '../../../../src/domain/speed/engine/judge-series.ts';
import type { Shape } from '../../../bench/verdicts/speed/worlds.ts';
import { DAY_MS, HOUR_MS, inState, judge, judged } from './runs.ts';

const ago = (days: number) => [days * DAY_MS, days * DAY_MS] as const;
const slower = (size: number, days: number): Shape => ({ kind: 'step', size, agoMs: ago(days) });

/** Medians of the values before and from a place on. */
const medianOf = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

it('a lasting change is dated, with the levels of the runs on both sides of it', () => {
  const { world, verdict: answer } = judged(slower(0.4, 3));
  const verdict = inState(answer, 'slower');
  const { move } = verdict;
  const place = world.changes[0] ?? 0;
  expect(Math.abs(world.dates.indexOf(move.fromMs) - place)).toBeLessThanOrEqual(1);
  expect(world.dates.indexOf(move.previousMs)).toBe(world.dates.indexOf(move.fromMs) - 1);
  expect(move.began.startMs).toBeLessThan(move.fromMs);
  expect(move.began.endMs).toBeGreaterThanOrEqual(move.fromMs);
  expect(move.before.runs + move.after.runs).toBe(world.values.length);
  const at = world.dates.indexOf(move.fromMs);
  expect(move.before.median / medianOf(world.values.slice(0, at))).toBeCloseTo(1, 2);
  expect(move.after.median / medianOf(world.values.slice(at))).toBeCloseTo(1, 2);
  expect(move.relative).toBeGreaterThan(0.34);
  expect(move.relative).toBeLessThan(0.46);
  expect(move).toMatchObject({ shape: 'step', untilMs: undefined });
});

it.each([
  ['of 10 % five days ago', slower(0.1, 5), 'slower'],
  ['of −20 %', slower(-0.2, 4), 'faster'],
  ['in the baseline', slower(0.2, 20), 'slower'],
  ['of the last eight hours', slower(0.4, 1 / 3), 'slower'],
] as const)('a lasting change %s is found', (_, shape, state) => {
  expect(judged(shape).verdict.state).toBe(state);
});

it.each([1, 2, 3, 4])(
  'a lasting change begins with its first run, though that lies further from the new level than the others do (world %i)',
  { tags: 'nightly' },
  (seed) => {
    const { world } = judged(slower(0.18, 10), { noise: 0.002 }, seed);
    const place = world.changes[0] ?? 0;
    const values = world.values.map((value, run) => (run === place ? 1.03 * value : value));
    const { move } = inState(judge({ ...world, values }), 'slower');
    expect(world.dates.indexOf(move.fromMs)).toBe(place);
  },
);

it('a lasting change that came twice names the one in the period, and lists both', () => {
  const verdict = inState(judged({ kind: 'two steps', sizes: [0.3, 0.3], agoMs: [ago(20), ago(4)] }).verdict, 'slower');
  expect(verdict.moves).toHaveLength(2);
  expect(verdict.move).toBe(verdict.moves[1]);
});

it('a lasting change is compared at like hours: six slower hours of the night are no faster ones', () => {
  const verdict = inState(judged(slower(0.3, 2), { cycle: 'weekend and nights', noise: 0.05 }).verdict, 'slower');
  expect(Math.abs(verdict.move.after.typical / verdict.move.before.typical - 1.3)).toBeLessThan(0.05);
});

it('other states of one day that is over say from when to when', () => {
  const { world, verdict: answer } = judged({ kind: 'bump', size: 0.5, lengthMs: DAY_MS, endedAgoMs: ago(5) });
  const verdict = inState(answer, 'was slower');
  const [from = 0, to = 0] = world.changes.map((place) => world.dates[place] ?? 0);
  expect(Math.abs(verdict.move.fromMs - from)).toBeLessThanOrEqual(2 * HOUR_MS);
  expect(Math.abs((verdict.move.untilMs ?? 0) - to)).toBeLessThanOrEqual(2 * HOUR_MS);
  expect(verdict.move.relative).toBeGreaterThan(0.4);
  expect(verdict.moves).toEqual([verdict.move]);
});

it('other states of a slow rise are a drift with its size', () => {
  const verdict = inState(judged({ kind: 'drift', size: 0.4 }, { baselineDays: 53 }).verdict, 'drifting');
  expect(verdict.move.relative).toBeGreaterThan(0.14);
  expect(verdict.move.relative).toBeLessThan(0.23);
  expect(verdict.move.after.median).toBeGreaterThan(verdict.move.before.median);
});

it('other states of wide scatter are unstable', () => {
  expect(judged({ kind: 'stable' }, { noise: 0.5, cycle: 'none' }).verdict.state).toBe('unstable');
});

it.each([
  ['of runs that resemble each other', { ar: 0.9, noise: 0.2 }],
  ['with many outliers', { outliers: 0.08 }],
] as const)('other states are steady, %s', (_, nature) => {
  const states = [1, 2, 3, 4, 5].map((seed) => judged({ kind: 'stable' }, nature, seed).verdict.state);
  expect(states).toEqual(states.map(() => 'steady'));
});

describe('odd series', () => {
  const hours = (count: number) => Array.from({ length: count }, (_, index) => index * HOUR_MS);
  const judgeOf = (values: readonly number[], effect = { relative: 0.03, absolute: 2 }) =>
    judgeSeries(
      { series: { dates: hours(values.length), values }, effect },
      { period: { startMs: 30 * HOUR_MS, endMs: 1e12 }, timeZone: 'Europe/Madrid' },
    );

  it('that never change are steady, and a jump of theirs is found', () => {
    const dates = hours(60);
    expect(judgeOf(dates.map(() => 80)).state).toBe('steady');
    const verdict = judgeOf(dates.map((_, index) => (index < 40 ? 80 : 86)));
    expect(verdict).toMatchObject({
      state: 'slower',
      move: { fromMs: 40 * HOUR_MS, before: { median: 80 }, after: { median: 86, runs: 20 } },
    });
  });

  it.each([
    ['zeros', 0, 'steady'],
    ['zeros and differences that count for nothing', 0.004, 'steady'],
    ['zeros and differences that count', 0.1, 'slower'],
  ])('of %s are judged', (_, later, state) => {
    const values = hours(200).map((__, index) => (index < 100 ? 0 : later));
    expect(judgeOf(values, { relative: 0.1, absolute: 0.01 }).state).toBe(state);
  });

  it('with three slow runs at the end are steady where slow runs are usual', () => {
    const { world } = judged({ kind: 'stable' }, { outliers: 0.08 });
    const values = world.values.map((value, index) => (index >= world.values.length - 3 ? value * 2 : value));
    expect(judge({ ...world, values }).state).toBe('steady');
  });
});
