import { expect, it } from 'vitest';
import { DAY_MS } from '../../src/lib/clock.ts';
import type { Report } from '../../src/speed/runs.ts';
import { draftStudy } from '../../src/speed/scenario-study.ts';
import { makeSpeedWorld, type Nature } from '../bench/nature/speed-worlds.ts';
import { sampleSize } from '../support/sample-size.ts';

function studyOf(nature: Nature, seed: number) {
  const { reports, startMs, endMs, changedMs } = makeSpeedWorld(nature, seed);
  const windows = { baseline: { startMs: startMs - 30 * DAY_MS, endMs: startMs - 1 }, period: { startMs, endMs: endMs - 1 } };
  // In their documented form.
  return { study: draftStudy(reports as readonly Report[], { ...windows, metrics: undefined, timeZone: 'UTC' })(), changedMs };
}

const seeds = Array.from({ length: sampleSize({ full: 12, short: 4 }) }, (_, world) => 1_000_003 * 881 + 7_919 * world + 17);
const usual = { runsADay: 24, noise: 0.1 };

it('a step that became 20 % slower among releases of ±4 % that move all steps is found, about when it began', { tags: 'nightly' }, () => {
  const found = seeds.map((seed) => studyOf({ ...usual, deploys: 0.04, shift: { size: 0.2, sinceDays: 4 } }, seed));
  const right = found.filter(({ study: { state, headline }, changedMs = 0 }) => {
    const off = Math.abs((headline?.move?.fromMs ?? 0) - changedMs);
    return state === 'slower' && headline?.step?.number === 2 && off < DAY_MS;
  });
  expect(right.length).toBeGreaterThanOrEqual(Math.floor(0.9 * seeds.length));
});

it('a fifth of the runs of one step that doubled is told as such, though the sum over the steps rose with it', () => {
  for (const world of [4, 18]) {
    const nature = { ...usual, weekends: 0.15, shift: { size: 1, sinceDays: 5, share: 0.2 } };
    const { state, headline } = studyOf(nature, 1_000_003 * 881 + 7_919 * world + 17).study;
    expect([state, headline?.step?.number]).toEqual(['two levels', 2]);
  }
});
