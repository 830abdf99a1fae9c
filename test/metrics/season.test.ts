import { expect, it } from 'vitest';
import { calendarCause } from '../../src/metrics/season.ts';
import { drawWorld, pointsOf } from '../bench/verdicts/metrics/world.ts';
import { times } from '../support/times.ts';
import { scaled } from './points.ts';

const [DAYS, AT] = [140, 100];

/** The visits of a calm world that are multiplied day by day, and a step of them at `AT`. */
function stepOf(seed: number, relative: number, factorOf: (day: number) => number) {
  const world = drawWorld({ seed, visitsPerDay: 5_000, days: DAYS, history: AT, planted: [] });
  const points = scaled(pointsOf(world, 'visits', {}), factorOf);
  const labelOf = (at: number) => world.labels[at] ?? '';
  const bounds = { low: relative - 0.04, high: relative + 0.04, earliest: labelOf(AT - 3), latest: labelOf(AT + 3) };
  return { points, change: { shape: 'step' as const, from: labelOf(AT), days: DAYS - AT, relative, ...bounds } };
}

const isSeason = (seed: number, relative: number, factorOf: (day: number) => number, more: object = {}, metric = 'visits') => {
  const { points, change } = stepOf(seed, relative, factorOf);
  return calendarCause(metric, points, { ...change, ...more }).length > 0;
};
/** A level that takes eight weeks to its other height. */
const slope = (relative: number) => (day: number) => 1 + relative * Math.min(1, Math.max(0, (day - AT + 28) / 56));
const step = (relative: number) => (day: number) => (day < AT ? 1 : 1 + relative);
const SEEDS = times(20, (at) => at + 1);

it('a lasting change of a total may be the season where it came slowly', () => {
  expect(SEEDS.filter((seed) => isSeason(seed, -0.13, slope(-0.13))).length).toBeGreaterThanOrEqual(18);
});

it('a lasting change of a total is none where the level jumps', () => {
  expect(SEEDS.filter((seed) => isSeason(seed, -0.2, step(-0.2))).length).toBeLessThanOrEqual(2);
  expect(SEEDS.filter((seed) => isSeason(seed, -0.4, step(-0.4)))).toEqual([]);
});

it('a lasting change of a total may be one where it went as slowly as it came, and not where it ended at once', () => {
  const [from, to] = [60, 110];
  const isDip = (seed: number, relative: number, days: number) => {
    const height = (day: number) => Math.min(1, Math.max(0, (day - from) / days + 0.5), Math.max(0, (to - day) / days + 0.5));
    const { points, change } = stepOf(seed, relative, (day) => 1 + relative * height(day));
    const labelOf = (at: number) => points[at]?.label ?? '';
    const when = {
      shape: 'episode' as const,
      from: labelOf(from),
      to: labelOf(to),
      earliest: labelOf(from - 3),
      latest: labelOf(from + 3),
    };
    return calendarCause('visits', points, { ...change, ...when, days: to - from }).length > 0;
  };
  expect(SEEDS.filter((seed) => isDip(seed, -0.12, 35)).length).toBeGreaterThanOrEqual(17);
  expect(SEEDS.filter((seed) => isDip(seed, -0.3, 1)).length).toBeLessThanOrEqual(1);
});

it('a lasting change of a total is none where last year is known, where it is over, or where a rate moved', () => {
  const { points, change } = stepOf(1, -0.13, slope(-0.13));
  const known = points.map((point) => ({ ...point, season: 0 }));
  expect(calendarCause('visits', known, change)).toEqual([]);
  expect(isSeason(1, -0.13, slope(-0.13), { to: change.latest, days: 4 })).toBe(false);
  expect(isSeason(1, -0.13, slope(-0.13), {}, 'conversionRate')).toBe(false);
});

it('a lasting change of a total is none where it drifted further than seasons do', () => {
  const drift = (relative: number, days: number) =>
    isSeason(1, relative, () => 1, { shape: 'drift', days, low: relative - 0.05, high: relative + 0.05 });
  expect([drift(0.29, 92), drift(-0.08, 28), drift(-0.45, 60)]).toEqual([true, true, false]);
});

it('a lasting change of a total is held against last year where that is known of the days beside it, whatever is of others', () => {
  const isOne = (seed: number, moved: number) => {
    const { points, change } = stepOf(seed, -0.2, step(-0.2));
    const known = points.map((point, at) => ({ ...point, season: at < AT - 40 ? undefined : at < AT ? 0 : moved }));
    return calendarCause('visits', known, change).length > 0;
  };
  expect(SEEDS.filter((seed) => isOne(seed, 0)).length).toBeLessThanOrEqual(1);
  expect(SEEDS.filter((seed) => isOne(seed, -0.2)).length).toBeGreaterThanOrEqual(19);
  // One that came slowly is a season where nothing is known.
  expect(SEEDS.filter((seed) => isSeason(seed, -0.17, slope(-0.17))).length).toBeGreaterThanOrEqual(16);
});
