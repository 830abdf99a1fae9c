import { median } from 'simple-statistics';
import { DAY_MS } from '../../../lib/clock.ts';
import { nth } from '../../../lib/nth.ts';
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
const WEEKS = 4;

/** Last year's days of one metric. */
export interface LastYear {
  /** Logarithm of the smooth level on the same day of last year; undefined where it is not known. */
  readonly seasonOf: (label: string) => number | undefined;
  /** Last year's effect of a special day; undefined where it is not known. */
  readonly effectOf: (day: SpecialDay, isTotal: boolean) => Expected | undefined;
}

const labelAt = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const shifted = (label: string, days: number) => labelAt(Date.parse(label) + days * DAY_MS);

/** Reads days of last year (and of this one before) of all visits: their smooth level, and what special days did. */
export function lastYearOf(points: readonly DailyPoint[], specialDays: SpecialDays): LastYear {
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
  const flat = (label: string) => {
    const level = ordinary.get(label);
    return level === undefined ? [] : [level - nth(weekdays, weekdayOf(label))];
  };
  const effects = new Map<string, number>();
  for (const [label, level] of logs) {
    const special = specialDays(label);
    const beside = Array.from({ length: 2 * WEEKS + 1 }, (_, week) => shifted(label, 7 * (week - WEEKS))).flatMap(
      (day) => ordinary.get(day) ?? [],
    );
    // The latest year counts.
    if (special && beside.length > 0) effects.set(special.key, level - median(beside));
  }
  return {
    seasonOf(label) {
      const day = shifted(label, -YEAR_DAYS);
      const near = Array.from({ length: 2 * SMOOTH_DAYS + 1 }, (_, index) => shifted(day, index - SMOOTH_DAYS)).flatMap(flat);
      return near.length < LEAST_DAYS ? undefined : near.reduce((sum, level) => sum + level, 0) / near.length;
    },
    effectOf({ key }, isTotal) {
      const mean = effects.get(key);
      return mean === undefined ? undefined : { mean, sd: isTotal ? REPEATED.totals : REPEATED.rates };
    },
  };
}
