import { dayAfter, daysFrom } from '../../lib/calendar.ts';
import { grouped } from '../../lib/grouped.ts';
import { nth } from '../../lib/nth.ts';
import { meanOf, median } from '../../statistics/order.ts';
import type { DailyPoint, Expected } from '../engine/series.ts';
import type { SpecialDay, SpecialDays } from './special-days.ts';

/** 52 weeks: a year with its weekdays in place. */
export const YEAR_DAYS = 364;
/** Days on each side that make the smooth level of a day. */
export const SMOOTH_DAYS = 14;
/** Days of these that must be known. */
const LEAST_DAYS = 15;
/** The effect of a special day differs by about this much from year to year. */
const REPEATED = { totals: 0.12, rates: 0.07 };
/** Weeks on each side that say what a special day would have been. */
export const WEEKS = 4;
/** Months that a date must be known of. */
const LEAST_MONTHS = 3;

/** Last year's days of one metric. */
export type LastYear = ReturnType<typeof lastYearOf>;

/** Relative variance of a sum of amounts beside that of their number: orders scatter by about their mean. */
const OF_AMOUNTS = 2;
/** Variance of a median beside that of a mean of as many values. */
const OF_MEDIAN = Math.PI / 2;

/** Variance of the logarithm of a day by chance alone, about: by the events that a count, rate, average or amount rests on. */
function chanceOf({ numerator, denominator, events }: DailyPoint): number {
  if (events !== undefined && denominator === 1) return OF_AMOUNTS / Math.max(1, events);
  return 1 / Math.max(1, events ?? (denominator === 1 ? numerator : Math.min(numerator, denominator)));
}

/** Days by date of the month, by how much they usually lie beside the smooth level around them. */
function dateEffects(flat: ReadonlyMap<string, number>, near: (label: string) => readonly number[]): (label: string) => number {
  const dateOf = (label: string) => label.slice(8);
  const beside = [...flat].map(([label, level]) => ({ date: dateOf(label), by: level - meanOf(near(label)) }));
  const effects = new Map(
    [...grouped(beside, ({ date }) => date)].map(([date, own]) => [date, own.length < LEAST_MONTHS ? 0 : median(own.map(({ by }) => by))]),
  );
  return (label) => effects.get(dateOf(label)) ?? 0;
}

/** Says which of some days lie near a day; by their place in time, because each day of each series is asked for. */
function daysNear(labels: readonly string[]): (day: string) => string[] {
  const [first = ''] = labels.toSorted();
  const placeOf = (label: string) => daysFrom(first, label);
  const places: (string | undefined)[] = [];
  for (const label of labels) places[placeOf(label)] = label;
  return (day) => {
    const at = placeOf(day);
    return places.slice(Math.max(0, at - SMOOTH_DAYS), Math.max(0, at + SMOOTH_DAYS + 1)).filter((label) => label !== undefined);
  };
}

/**
 * Reads days of last year (and of this one before) of all visits: their smooth level, and what special days did. Both are freed of the
 * course of a month: pay days that fall on special days are missing from the level around them, and would be taken for a part of these.
 */
export function lastYearOf(points: readonly DailyPoint[], specialDays: SpecialDays) {
  const logs = new Map(
    points
      .filter(({ numerator, denominator, isWhole }) => isWhole && numerator > 0 && denominator > 0)
      .map(({ label, numerator, denominator }) => [label, Math.log(numerator / denominator)]),
  );
  const ordinary = new Map([...logs].filter(([label]) => !specialDays(label)));
  const levels = [...ordinary.values()];
  const middle = levels.length > 0 ? median(levels) : 0;
  const weekdayOf = (label: string) => new Date(Date.parse(label)).getUTCDay();
  const weekdays = Array.from({ length: 7 }, (_, weekday) => {
    const own = [...ordinary].filter(([label]) => weekdayOf(label) === weekday).map(([, level]) => level);
    return own.length > 0 ? median(own) - middle : 0;
  });
  const flat = new Map([...ordinary].map(([label, level]) => [label, level - nth(weekdays, weekdayOf(label))]));
  const near = daysNear([...flat.keys()]);
  const ofDate = dateEffects(flat, (day) => near(day).map((label) => flat.get(label) ?? 0));
  const chances = new Map(points.map((point) => [point.label, chanceOf(point)]));
  const chanceOfDay = meanOf([...ordinary.keys()].map((label) => chances.get(label) ?? 0));
  const chanceOfWeekday = (OF_MEDIAN * chanceOfDay) / Math.max(1, ordinary.size / 7);
  const ofWeekdays = meanOf(weekdays.map((by) => by ** 2));
  // Weekdays that differ by no more than chance makes of so few days say nothing: the days around do then (James and Stein 1961).
  const share = Math.max(0, 1 - chanceOfWeekday / Math.max(ofWeekdays, Number.MIN_VALUE));
  const effects = new Map<string, { readonly mean: number; readonly chance: number }>();
  for (const [label, level] of logs) {
    const special = specialDays(label);
    const beside = Array.from({ length: 2 * WEEKS + 1 }, (_, week) => dayAfter(label, 7 * (week - WEEKS))).flatMap((day) =>
      ordinary.has(day) ? [(ordinary.get(day) ?? 0) - ofDate(day)] : [],
    );
    if (!special || beside.length === 0) continue;
    const around = near(label).map((day) => (ordinary.get(day) ?? 0) - ofDate(day));
    const usual = around.length === 0 ? median(beside) : share * median(beside) + (1 - share) * meanOf(around);
    const ofUsual = (share ** 2 * OF_MEDIAN) / beside.length + (1 - share) ** 2 / Math.max(1, around.length);
    // The latest year counts.
    effects.set(special.key, { mean: level - ofDate(label) - usual, chance: (chances.get(label) ?? 0) + ofUsual * chanceOfDay });
  }
  return {
    /** Logarithm of the smooth level on the same day of last year; undefined where it is not known. */
    seasonOf: (label: string): number | undefined => {
      const days = near(dayAfter(label, -YEAR_DAYS));
      return days.length < LEAST_DAYS ? undefined : meanOf(days.map((day) => (flat.get(day) ?? 0) - ofDate(day)));
    },
    /** Last year's effect of a special day, as far as it says more than what such days usually do; undefined where it is not known. */
    effectOf: ({ key }: SpecialDay, isTotal: boolean, usual: Expected): Expected | undefined => {
      const known = effects.get(key);
      if (!known) return undefined;
      // A day of twenty orders says less of what such days do than that most do little.
      const kept = usual.sd ** 2 / (usual.sd ** 2 + known.chance);
      const mean = usual.mean + kept * (known.mean - usual.mean);
      return { mean, sd: Math.sqrt((isTotal ? REPEATED.totals : REPEATED.rates) ** 2 + kept * known.chance) };
    },
  };
}
