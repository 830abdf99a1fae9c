import { describe, expect, it } from 'vitest';
import { speedStories } from '../../src/emulator/world/speed/runs.ts';
import { NOW_MS } from './speed-place.ts';

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
});
