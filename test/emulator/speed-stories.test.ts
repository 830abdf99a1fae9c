import { describe, expect, it } from 'vitest';
import { speedStories } from '../../src/emulator/world/speed/runs.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { NOW_MS, num } from './speed-place.ts';

const SEEDS = [1, 2, 3, 4, 5];

describe('speed stories', () => {
  it('take three scenarios and differ from seed to seed', () => {
    const all = SEEDS.map((seed) => speedStories({ seed, startMs: NOW_MS }));
    for (const { slowTag, noisy, failing } of all) {
      expect(new Set([slowTag.scenarioId, noisy.scenarioId, failing.scenarioId]).size).toBe(3);
    }
    for (const fact of ['stepId', 'dateMs', 'host', 'factor'] as const) {
      expect(new Set(all.map(({ slowTag }) => slowTag[fact])).size).toBeGreaterThan(1);
    }
    expect(new Set(all.map(({ failing }) => failing.stepId + failing.action)).size).toBeGreaterThan(1);
    expect(new Set(all.map(({ noisy }) => noisy.scenarioId)).size).toBeGreaterThan(1);
  });

  it('move with the clock at start', () => {
    const [today, later] = [NOW_MS, NOW_MS + 10 * DAY_MS].map((startMs) => speedStories({ seed: 1, startMs }));
    expect(num(later?.slowTag.dateMs) - num(today?.slowTag.dateMs)).toBe(10 * DAY_MS);
  });
});
