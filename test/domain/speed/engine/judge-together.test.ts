import { describe, expect, it } from 'vitest';
import { judgeTogether, type Tracked } from '../../../../src/domain/speed/engine/judge-together.ts';
import type { Shape } from '../../../bench/verdicts/speed/worlds.ts';
import { DAY_MS, EFFECT, HOUR_MS, judged as judgedWorld } from './runs.ts';

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
  const { world } = judgedWorld(shape, { cadenceMs: 2 * HOUR_MS }, seed);
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
    expect(judged.map(({ key, state }) => [key, state])).toEqual([
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
    expect(judged.map(({ state }) => state)).toEqual(judged.map(() => 'steady'));
  });
});
