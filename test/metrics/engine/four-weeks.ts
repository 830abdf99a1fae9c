import { drawWorld, type Planted, type World } from '../../bench/verdicts/metrics/world.ts';

/** Days before the four weeks that are judged. */
export const HISTORY = 84;
export const DAYS = 112;

/** Twelve weeks of a large site, and four more to look through. */
export function fourWeeks(planted: readonly Planted[], seed: number): World {
  return drawWorld({ seed, visitsPerDay: 100_000, days: DAYS, history: HISTORY, planted });
}

/** Label of a day of the four weeks, from 0. */
export function labelOf(world: World, day: number): string {
  return world.labels[HISTORY + day] ?? '';
}
