import { median } from 'simple-statistics';
import { nth } from '../../../lib/nth.ts';
import { MEDIAN_OF_NORMAL } from '../../../statistics/robust-scale.ts';

/** One figure of one group by day; a day without a value is undefined. */
export type Figures = readonly (number | undefined)[];

/** How the days of a figure compare with what is usual for their weekday. */
export interface Ratios {
  /** The usual ratio of each day; 0 where nothing is known. */
  readonly usual: readonly number[];
  /** Logarithm of each day over what is usual; a day without events counts as half of one. */
  readonly logs: readonly number[];
  /** Robust standard deviation of these logarithms on the days that teach, chance of counting included. */
  readonly sd: number;
}

/** The days before the first one looked at that teach. */
const TEACHING_DAYS = 56;
const WEEK = 7;
/** Days scatter at least so much by their own. */
const LEAST_SD = 0.02;

const middleOf = (values: readonly number[]) => (values.length > 0 ? median([...values]) : 0);

/**
 * Compares each day with the median of its weekday before day `from`, where at least two of it are known, else with all that is known of
 * it. `isSpecial` days teach nothing.
 */
export function ratiosOf(figures: Figures, from: number, isSpecial: (day: number) => boolean): Ratios {
  const first = Math.max(0, from - TEACHING_DAYS);
  const isTaught = (day: number) => (figures[day] ?? 0) > 0 && !isSpecial(day);
  const usualByWeekday = Array.from({ length: WEEK }, (_, weekday) => {
    const all = figures.flatMap((value, day) => (day % WEEK === weekday && isTaught(day) && value !== undefined ? [{ value, day }] : []));
    const before = all.filter(({ day }) => day >= first && day < from);
    return middleOf((before.length >= 2 ? before : all).map(({ value }) => value));
  });
  const usual = figures.map((_, day) => nth(usualByWeekday, day % WEEK));
  const logs = figures.map((value, day) => {
    const expected = nth(usual, day);
    return value === undefined || expected <= 0 ? 0 : Math.log(Math.max(value, 0.5) / expected);
  });
  const taught = logs.filter((_, day) => day >= first && day < from && isTaught(day));
  const own = taught.length >= WEEK ? middleOf(taught.map(Math.abs)) / MEDIAN_OF_NORMAL : 0.1;
  const chance = 1 / Math.max(1, middleOf(usual.filter((value) => value > 0)));
  return { usual, logs, sd: Math.sqrt(Math.max(own ** 2, chance, LEAST_SD ** 2)) };
}
