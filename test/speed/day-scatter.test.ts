import { expect, it } from 'vitest';
import { hash, unit } from '../../src/emulator/world/random.ts';
import { factorAt } from '../../src/emulator/world/speed/noise.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { type Stretch, standsOut } from '../../src/speed/scenario-study.ts';

const START_MS = Date.parse('2026-10-01T00:00:00Z');
const DAYS = 30;

/** Hourly runs of thirty days, of which each has a level of its own, multiplied by what `shape` says; the last `lastDays` of them. */
function series(shape: Stretch['shape'], { days, factor, lastDays = DAYS }: { days: number; factor: number; lastDays?: number }) {
  const hours = Array.from({ length: 24 * DAYS }, (_, hour) => hour).slice(-24 * lastDays);
  const moved = (hour: number) =>
    shape === 'drift' ? factor ** ((hour + 1) / (24 * DAYS)) : Math.floor(hour / 24) >= DAYS - 7 ? factor : 1;
  const level = (hour: number) => 2000 * factorAt(unit(hash(7, Math.floor(hour / 24))), days) * moved(hour);
  return {
    dates: hours.map((hour) => START_MS + hour * HOUR_MS),
    values: hours.map((hour) => level(hour) * factorAt(unit(hash(8, hour)), 0.08)),
  };
}

it.each([
  ['a rise within what days differ by', 'step', { days: 0.1, factor: 1.05 }, false],
  ['a much larger rise', 'step', { days: 0.1, factor: 1.6 }, true],
  ['a rise where days differ by no more than their runs explain', 'step', { days: 0, factor: 1.05 }, true],
  ['a rise in too few days to say', 'step', { days: 0.1, factor: 1.05, lastDays: 5 }, true],
  ['a slope within what days differ by', 'drift', { days: 0.1, factor: 1.1 }, false],
  ['a much steeper slope', 'drift', { days: 0.1, factor: 2 }, true],
  ['a slope where days differ by no more than their runs explain', 'drift', { days: 0, factor: 1.07 }, true],
  ['a slope in too few days to say', 'drift', { days: 0.1, factor: 1.1, lastDays: 5 }, true],
] as const)('%s: %s, stands out %o: %s', (_, shape, world, isClear) => {
  const runs = series(shape, world);
  const fromMs = shape === 'drift' ? (runs.dates[0] ?? 0) : START_MS + (DAYS - ('lastDays' in world ? 1 : 7)) * DAY_MS;
  // A time that is always 0 says nothing of how days differ.
  const still = { dates: runs.dates, values: runs.values.map(() => 0) };
  for (const all of [[runs], [runs, still]]) {
    const [own, ...others] = all.map((each) => ({ series: each, effect: { relative: 0.05, absolute: 50 } }));
    expect(own && standsOut(own, { shape, fromMs, untilMs: undefined }, others, 'UTC')).toBe(isClear);
  }
});
