import { describe, expect, it, test } from 'vitest';
import { judgeSeries, twoLevelsIn, type Verdict } from '../../../src/speed/engine/judge-series.ts';
import { localTimes } from '../../../src/speed/engine/local-time.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import type { Nature, Shape } from '../../bench/verdicts/speed/worlds.ts';
import { times } from '../../support/times.ts';
import { DAY_MS, EFFECT, HOUR_MS, inState, judge, judged } from './runs.ts';

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
  const hours = (count: number) => times(count, (index) => index * HOUR_MS);
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

const SHAPES: readonly Shape[] = [
  { kind: 'stable' },
  { kind: 'step', size: 0.2, agoMs: [3 * DAY_MS, 5 * DAY_MS] },
  { kind: 'bump', size: 0.4, lengthMs: DAY_MS, endedAgoMs: [4 * DAY_MS, 6 * DAY_MS] },
  { kind: 'drift', size: 0.3 },
  {
    kind: 'two steps',
    sizes: [0.2, -0.15],
    agoMs: [
      [10 * DAY_MS, 12 * DAY_MS],
      [2 * DAY_MS, 4 * DAY_MS],
    ],
  },
];
const NATURES: readonly Partial<Nature>[] = [
  {},
  { ar: 0.9 },
  { outliers: 0.08 },
  { noise: 0.3 },
  { cadenceMs: HOUR_MS / 4, baselineDays: 10 },
];

/** The first number that can only be an instant, in ms. */
const INSTANT = Date.parse('2020-01-01T00:00:00Z');

/** Every instant in a value, in order. */
function instantsIn(value: unknown): number[] {
  if (typeof value === 'number') return value > INSTANT ? [value] : [];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(instantsIn) : [];
}

/** The state of a verdict, and every instant in it. */
function read(verdict: Verdict, shiftMs = 0) {
  return { state: verdict.state, instants: instantsIn(verdict).map((ms) => ms - shiftMs) };
}

test.each(SHAPES)('the verdict on a world with $kind depends neither on the unit nor on the weeks that passed before', (shape) => {
  for (const [index, nature] of NATURES.entries()) {
    const { world, verdict } = judged(shape, nature, 40 + index);
    const inMicroseconds = { ...world, values: world.values.map((ms) => 1000 * ms) };
    expect(read(judge(inMicroseconds, { ...EFFECT, absolute: 1000 * EFFECT.absolute }))).toEqual(read(verdict));
    const shiftMs = 8 * 7 * DAY_MS;
    const { startMs, endMs } = world.period;
    const later = {
      ...world,
      dates: world.dates.map((ms) => ms + shiftMs),
      period: { startMs: startMs + shiftMs, endMs: endMs + shiftMs },
    };
    expect(read(judge(later), shiftMs)).toEqual(read(verdict));
  }
});

it('local time follows the zone through a change of its clock', () => {
  const instants = times(60 * 24, (index) => Date.parse('2026-03-01T00:30:00Z') + index * HOUR_MS);
  const { hour, weekday } = localTimes(instants, 'Europe/Madrid');
  const format = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/Madrid', hour: '2-digit', hourCycle: 'h23', weekday: 'short' });
  const names = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
  const seen = instants.map((_, index) => `${names[weekday[index] ?? 0]} ${String(hour[index]).padStart(2, '0')}`);
  expect(seen).toEqual(instants.map((ms) => format.format(ms).replace(',', '')));
});

const START_MS = Date.parse('2025-08-04T00:00:00Z');
const HOURS = 37 * 24;
const CHANGED = HOURS - 5 * 24;

/** Hourly runs around 2,000 ms; what each is multiplied with is drawn by `factor`. */
function split(seed: number, factor: (hour: number, draw: number, other: number) => number) {
  const { normal, uniform } = seeded(seed);
  const series = {
    dates: times(HOURS, (hour) => START_MS + hour * HOUR_MS),
    values: times(HOURS, (hour) => 2000 * Math.exp(0.08 * normal()) * factor(hour, uniform(), normal())),
  };
  return twoLevelsIn({ series, effect: { relative: 0.05, absolute: 50 } }, 'UTC');
}

it('two levels of which one is new are told apart: when, how many runs, and at which level', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    const found = split(seed, (hour, draw) => (hour >= CHANGED && draw < 0.3 ? 1.5 : 1));
    expect(Math.abs((found?.fromMs ?? 0) - START_MS - CHANGED * HOUR_MS)).toBeLessThan(DAY_MS);
    expect(Math.abs((found?.share ?? 0) - 0.3)).toBeLessThan(0.12);
    expect(Math.abs((found?.relative ?? 0) - 0.5)).toBeLessThan(0.06);
  }
});

it('two levels are none where all runs scatter more widely than before', () => {
  const found = times(40, (seed) => split(seed, (hour, _draw, other) => (hour >= CHANGED ? Math.exp(0.13 * other) : 1)));
  // One in twenty such samples looks like two levels on one side by chance.
  expect(found.filter(Boolean).length).toBeLessThanOrEqual(2);
});

it('two levels are none where all runs moved, where one day did, or where nothing happened', () => {
  for (const seed of [1, 2, 3, 4, 5]) {
    expect(split(seed, (hour) => (hour >= CHANGED ? 1.3 : 1))).toBeUndefined();
    expect(split(seed, (hour) => (hour >= CHANGED && hour < CHANGED + 24 ? 1.5 : 1))).toBeUndefined();
    expect(split(seed, () => 1)).toBeUndefined();
  }
});
