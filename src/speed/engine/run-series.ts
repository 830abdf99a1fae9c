import type { Interval } from '../../lib/calendar.ts';
import { ascending, quantile } from '../../statistics/order.ts';

/** Values of one metric with the instants of their runs (ms since 1970), oldest first; runs without a value are left out. */
export interface Series {
  readonly dates: readonly number[];
  readonly values: readonly number[];
}

/** The smallest change that counts, however certain it is; both limits must be reached. */
export interface Effect {
  /** 0.05 for 5 %. */
  readonly relative: number;
  /** In the unit of the metric. */
  readonly absolute: number;
}

/** A change of level: a step that lasts, an episode that was undone, or a drift along a line. */
export interface Move {
  readonly shape: 'step' | 'episode' | 'drift';
  /** First run of it, and the last one before; of a drift the first run of all. */
  readonly fromMs: number;
  readonly previousMs: number;
  /** Between which instants it began, with about 95 % confidence. */
  readonly began: Interval;
  /** First run that is back at the former level; undefined where it goes on. */
  readonly untilMs: number | undefined;
  /** Levels on both sides, episodes left out; of a drift those of the first and last fifth of the runs. */
  readonly before: Level;
  readonly after: Level;
  /** Of the typical values, 0.2 for +20 %; of a drift in 30 days. */
  readonly relative: number;
  /** Share of the runs since that are at the level after, where the others kept theirs; undefined where all moved. */
  readonly share?: number;
}

/** The same move; undefined of a drift, which has no first run. */
export const datedOf = <Each extends Move>(move: Each | undefined) => (move?.shape === 'drift' ? undefined : move);

/**
 * The level of the runs of a stretch: median and quartiles of the values as measured; `typical` is the median of the values freed of
 * weekday and hour, what a typical hour of the week would show, which equals `median` where there is no such cycle.
 */
export type Level = ReturnType<typeof levelOf>;

/** The level of values as measured and of the same values freed of the cycle. */
export function levelOf(values: ArrayLike<number>, adjusted: readonly number[]) {
  const sorted = ascending(values);
  const [p25, median, p75] = [quantile(sorted, 0.25), quantile(sorted, 0.5), quantile(sorted, 0.75)];
  return { median, typical: quantile(ascending(adjusted), 0.5), p25, p75, runs: values.length };
}

/** The places `from` … `to` − 1. */
export const placesFrom = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => from + index);
