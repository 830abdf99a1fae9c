import { changePoints } from './change-point.ts';
import { SHIFTS_OF_RUNS } from './compare.ts';
import { median } from './order.ts';
import type { Row } from './scenario-study.ts';

/** Where a series took the level that it was called for. */
export interface Since {
  /** Of the first report from which the change holds, ms since 1970. */
  readonly date: number;
  /** Of the last report before it. */
  readonly previousDate: number;
  /** Medians of the level before and of the level after. */
  readonly before: number;
  readonly after: number;
  /** First report from which the change is undone again; undefined where it holds to the end. */
  readonly untilDate: number | undefined;
}

interface Level {
  /** Index of its first value. */
  readonly from: number;
  readonly value: number;
}

/** The levels of a series between its shifts. */
function levelsOf(values: readonly number[]): Level[] {
  const cuts = [0, ...changePoints(values, SHIFTS_OF_RUNS).map(({ index }) => index)];
  return cuts.map((from, place) => ({ from, value: median(values.slice(from, cuts[place + 1])) }));
}

/** The largest shift of the row's runs in the direction of its verdict; undefined where no single one stands out. */
export function sinceOf({ series, verdict }: Row): Since | undefined {
  const { dates, values } = series;
  const sign = verdict === 'faster' ? -1 : 1;
  const levels = levelsOf(values);
  const shifts = levels.slice(1).map((level, place) => ({ level, place: place + 1, before: levels[place] ?? level }));
  const inDirection = shifts.filter(({ level, before }) => sign * (level.value - before.value) > 0);
  const largest = inDirection.toSorted((a, b) => Math.abs(b.level.value - b.before.value) - Math.abs(a.level.value - a.before.value))[0];
  if (!largest) return undefined;
  const { level, before, place } = largest;
  const middle = (level.value + before.value) / 2;
  const undone = levels.slice(place + 1).find(({ value }) => sign * (value - middle) < 0);
  return {
    date: dates[level.from] ?? 0,
    previousDate: dates[level.from - 1] ?? 0,
    before: before.value,
    after: level.value,
    untilDate: undone && dates[undone.from],
  };
}
