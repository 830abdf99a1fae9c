import { median } from 'simple-statistics';
import { nth } from '../../lib/nth.ts';
import { MEDIAN_OF_NORMAL } from '../../statistics/robust-scale.ts';
import type { Expected } from '../engine/series.ts';

/** One figure of one group by day; a day without a value is undefined. */
export type Figures = readonly (number | undefined)[];

/** The effect that a special day is expected to have on a figure; undefined of other days. */
export type SpecialOf = (day: number) => Expected | undefined;

/** How the days of a figure compare with what is usual for their weekday. */
export type Ratios = ReturnType<typeof ratiosOf>;

/** The days before the first one looked at that teach. */
const TEACHING_DAYS = 56;
const WEEK = 7;
/** Days for which a slow rise or fall of those that teach goes on: a season turns. */
const GOES_ON_DAYS = 28;
/** Days scatter at least so much by their own. */
const LEAST_SD = 0.02;

/** The middle of some values; 0 where there are none. */
export const middleOf = (values: readonly number[]) => (values.length > 0 ? median([...values]) : 0);

/**
 * How the level of the days that teach rises or falls a day, by the middle of each week against each other one (Theil 1950, Sen 1968),
 * which no step among them bends.
 */
export function slopeOf({ logs }: Ratios, from: number): number {
  const weeks = Array.from({ length: Math.floor(Math.min(TEACHING_DAYS, from) / WEEK) }, (_, week) =>
    median(logs.slice(from - (week + 1) * WEEK, from - week * WEEK)),
  );
  return middleOf(weeks.flatMap((level, at) => weeks.slice(at + 1).map((older, ago) => (level - older) / (WEEK * (ago + 1)))));
}

/**
 * Compares each day with the median of its weekday before day `from`, where at least two of it are known, else with all that is known of
 * it, along a slow rise or fall by `slope` a day. Special days teach nothing. `logs` are logarithms of each day over what is usual, 0
 * where nothing is known; `sd` their robust standard deviation on the days that teach, chance of counting included; `doubts` how unsure it
 * is what each day does as a special day.
 */
export function ratiosOf(figures: Figures, from: number, specialOf: SpecialOf, slope = 0) {
  const first = Math.max(0, from - TEACHING_DAYS);
  const specials = figures.map((_, day) => specialOf(day));
  const isTaught = (day: number) => (figures[day] ?? 0) > 0 && !specials[day];
  const usualByWeekday = Array.from({ length: WEEK }, (_, weekday) => {
    const all = figures.flatMap((value, day) => (day % WEEK === weekday && isTaught(day) && value !== undefined ? [{ value, day }] : []));
    const before = all.filter(({ day }) => day >= first && day < from);
    return middleOf((before.length >= 2 ? before : all).map(({ value }) => value));
  });
  const logOf = (day: number, expected: number) =>
    figures[day] === undefined || expected <= 0 ? 0 : Math.log(Math.max(figures[day] ?? 0, 0.5) / expected);
  const taught = figures.flatMap((_, day) => (day >= first && day < from && isTaught(day) ? [day] : []));
  const middle = (first + from) / 2;
  const usual = figures.map(
    (_, day) =>
      nth(usualByWeekday, day % WEEK) * Math.exp(slope * (Math.min(day, from + GOES_ON_DAYS) - middle) + (specials[day]?.mean ?? 0)),
  );
  const logs = figures.map((_, day) => logOf(day, nth(usual, day)));
  const own = taught.length >= WEEK ? middleOf(taught.map((day) => Math.abs(nth(logs, day)))) / MEDIAN_OF_NORMAL : 0.1;
  const chance = 1 / Math.max(1, middleOf(usual.filter((value) => value > 0)));
  return { usual, logs, sd: Math.sqrt(Math.max(own ** 2, chance, LEAST_SD ** 2)), doubts: specials.map((special) => special?.sd ?? 0) };
}

/** Standard deviation of a day beside what is usual. */
export const sdOf = ({ sd, doubts }: Ratios, day: number): number => Math.hypot(sd, nth(doubts, day));
