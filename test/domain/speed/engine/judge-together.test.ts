import { describe, expect, it } from 'vitest';
import { acceptedP, judgeTogether, type Tracked } from '../../../../src/domain/speed/engine/judge-together.ts';
import type { Shape } from '../../../bench/verdicts/speed/worlds.ts';
import { DAY_MS, EFFECT, HOUR_MS, worldOf } from './runs.ts';

const stable: Shape = { kind: 'stable' };
const step = (size: number): Shape => ({ kind: 'step', size, agoMs: [4 * DAY_MS, 4 * DAY_MS] });

/** Series of the same instants, so that one period holds for all. */
function tracked(
  key: string,
  shape: Shape,
  seed: number,
  rank: number,
  group = 'home',
): Tracked & { key: string; period: { startMs: number; endMs: number } } {
  const { world } = worldOf(shape, { cadenceMs: 2 * HOUR_MS }, seed);
  const shiftMs = world.period.endMs - 1e12;
  const series = { dates: world.dates.map((date) => date - shiftMs), values: world.values };
  return { key, group, rank, series, effect: EFFECT, period: { startMs: 1e12 - 7 * DAY_MS, endMs: 1e12 } };
}

const OPTIONS = { period: { startMs: 1e12 - 7 * DAY_MS, endMs: 1e12 }, timeZone: 'UTC' };

describe('several series', () => {
  it('are led by the one that got slower and is felt most', () => {
    const judged = judgeTogether(
      [
        tracked('steady', stable, 2, 0),
        tracked('load', step(0.6), 3, 3),
        tracked('faster', step(-0.3), 4, 0),
        tracked('lcp', step(0.3), 5, 0),
      ],
      OPTIONS,
    );
    expect(judged.map(({ key, verdict }) => [key, verdict.state])).toEqual([
      ['lcp', 'slower'],
      ['load', 'slower'],
      ['faster', 'faster'],
      ['steady', 'steady'],
    ]);
  });

  it('without a change are all steady', () => {
    const judged = judgeTogether(
      [1, 2, 3].map((seed) => tracked(`s${seed}`, stable, seed, 0)),
      OPTIONS,
    );
    expect(judged.map(({ verdict }) => verdict.state)).toEqual(judged.map(() => 'steady'));
  });

  it('share the chance of a false one (Benjamini and Hochberg)', () => {
    expect(acceptedP([0.001, 0.2, 0.3], 3, 0.01)).toBe(0.001);
    expect(acceptedP([0.004, 0.2, 0.3], 3, 0.01)).toBe(0);
    expect(acceptedP([0.004, 0.006, 0.3], 3, 0.01)).toBe(0.006);
    expect(acceptedP([1e-12, 0.2, 0.3], 3, 0.01)).toBeCloseTo(0.01 / 3 / 1000, 12);
    expect(acceptedP([], 0, 0.01)).toBe(0);
  });
});
