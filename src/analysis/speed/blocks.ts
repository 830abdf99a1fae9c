import { median } from './order.ts';
import type { Series, Window } from './runs.ts';

const DAY_MS = 86_400_000;

/** The values of 24 hours. */
export interface Block {
  readonly startMs: number;
  readonly values: readonly number[];
}

/** Values by the 24 hours that are counted from `originMs` on, forward and back; days without a run are left out. */
export function dailyBlocks({ dates, values }: Series, originMs: number): Block[] {
  const blocks: { startMs: number; values: number[] }[] = [];
  for (const [index, value] of values.entries()) {
    const startMs = originMs + Math.floor(((dates[index] ?? 0) - originMs) / DAY_MS) * DAY_MS;
    const last = blocks.at(-1);
    if (last?.startMs === startMs) last.values.push(value);
    else blocks.push({ startMs, values: [value] });
  }
  return blocks;
}

/**
 * The days that may stand for a day: those that lie in the window as a whole and have at least half as many runs as usual.
 * A window shorter than a day is one.
 */
export function fullBlocks(blocks: readonly Block[], { startMs, endMs }: Window): Block[] {
  if (endMs - startMs < DAY_MS - 1) return [...blocks];
  const whole = blocks.filter((block) => block.startMs >= startMs && block.startMs + DAY_MS <= endMs + 1);
  if (whole.length === 0) return [];
  const usual = median(whole.map(({ values }) => values.length));
  return whole.filter(({ values }) => values.length >= usual / 2);
}

/** One value for each 24 hours from the first block to the last; null where nothing ran. */
export function dailyMedians(blocks: readonly Block[]): (number | null)[] {
  const [first, last] = [blocks[0], blocks.at(-1)];
  if (!first || !last) return [];
  const days = Math.round((last.startMs - first.startMs) / DAY_MS) + 1;
  const medians: (number | null)[] = Array.from({ length: days }, () => null);
  for (const block of blocks) medians[Math.round((block.startMs - first.startMs) / DAY_MS)] = median(block.values);
  return medians;
}

/** Runs at those times of day, to the hour, at which the other series has any: so that a morning is compared with mornings. */
export function atSameHours({ dates, values }: Series, other: Series): Series {
  const hourOf = (date: number) => Math.floor((date % DAY_MS) / 3_600_000);
  const hours = new Set(other.dates.map(hourOf));
  const same = (_: number, index: number) => hours.has(hourOf(dates[index] ?? 0));
  return { dates: dates.filter(same), values: values.filter(same) };
}
