import { mean, sampleVariance } from 'simple-statistics';
import { listed } from '../../../findings/wording.ts';
import { DAY_MS } from '../../../lib/clock.ts';
import { grouped } from '../../../lib/grouped.ts';
import { nth } from '../../../lib/nth.ts';
import { formatPercent } from '../../../lib/number-text.ts';
import { carryFactor } from '../../../statistics/carry.ts';
import { normalOf, tailOf } from '../../../statistics/tails.ts';
import { isCount } from '../compare/readings.ts';
import { combined } from '../read/combine.ts';
import type { MetricRow } from '../read/metric-answers.ts';

const NAMES = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const;
const WEEK = NAMES.length;
const PAIRS = (WEEK * (WEEK - 1)) / 2;
const LEAST_WEEKS = 4;
/** How often chance alone may make the largest of all differences stand out. */
const LEVEL = 0.01;
/** More weekdays are counted instead of named. */
const MOST_NAMED = 2;

const weekdayAt = ({ interval }: MetricRow) => (new Date(interval.label ?? '').getUTCDay() + WEEK - 1) % WEEK;
const isWhole = ({ interval }: MetricRow) => interval.label !== undefined && !interval.isPart;

/** The days of whole weeks, Monday first, each as a multiple of the mean of its week; weeks without a value on each day are left out. */
function weeksOf(metric: string, days: readonly MetricRow[]): number[][] {
  const mondayOf = (row: MetricRow) => Date.parse(row.interval.label ?? '') - weekdayAt(row) * DAY_MS;
  return [...grouped(days, mondayOf).values()].flatMap((week) => {
    const values = week.toSorted((a, b) => weekdayAt(a) - weekdayAt(b)).flatMap(({ values: { [metric]: value } }) => value ?? []);
    const middle = values.length === WEEK ? mean(values) : 0;
    return middle > 0 ? [values.map((value) => value / middle)] : [];
  });
}

/** Whether two weekdays differ by more than the largest of all differences does by chance once in a hundred ranges of so many weeks. */
function differsBetween(weeks: readonly (readonly number[])[]): (one: number, other: number) => boolean {
  const columns = NAMES.map((_, day) => weeks.map((week) => nth(week, day)));
  const middles = columns.map((column) => mean(column));
  const residuals = weeks.flatMap((week) => week.map((value, day) => value - nth(middles, day)));
  const freedom = (weeks.length - 1) * (WEEK - 1);
  const pooled = residuals.reduce((sum, value) => sum + value ** 2, 0) / freedom;
  const carry = carryFactor(residuals);
  return (one, other) => {
    // Days with few visits scatter more than the others.
    const own = [one, other].map((day) => sampleVariance(columns[day] ?? []));
    const error = Math.sqrt(Math.max(2 * pooled, nth(own, 0) + nth(own, 1)) / weeks.length) * carry;
    const t = (nth(middles, one) - nth(middles, other)) / error;
    return PAIRS * tailOf(normalOf(t, freedom)) < LEVEL;
  };
}

/** One sentence on which weekday is highest, as far as more than chance says so; empty where fewer than two have a value. */
export function weekdaySentence(name: string, metric: string, days: readonly MetricRow[]): string {
  const whole = days.filter(isWhole);
  const levels = [...grouped(whole, weekdayAt)].flatMap(([day, own]) => {
    const value = combined(
      own.map(({ values }) => values),
      metric,
    );
    return value === null ? [] : [{ day, value: value / (isCount(metric) ? own.length : 1) }];
  });
  const ranked = levels.toSorted((a, b) => b.value - a.value || a.day - b.day);
  const [highest, lowest] = [ranked[0], ranked.at(-1)];
  if (!highest || !lowest || highest === lowest || lowest.value < 0) return '';
  const weeks = weeksOf(metric, whole);
  const seen = `(${weeks.length} whole week${weeks.length === 1 ? '' : 's'})`;
  const nameAt = ({ day }: { readonly day: number }) => NAMES[day] ?? '';
  if (weeks.length < LEAST_WEEKS) return `Weekdays cannot be compared over so few weeks ${seen}.`;
  const above = lowest.value > 0 ? `${formatPercent(100 * (highest.value / lowest.value - 1), { digits: 1 })} above` : 'above';
  const differs = differsBetween(weeks);
  if (!differs(highest.day, lowest.day))
    return `${name}: no weekday stands out; ${nameAt(highest)} lies ${above} ${nameAt(lowest)}, which is not significant ${seen}.`;
  const alike = ranked.slice(1).filter(({ day }) => !differs(highest.day, day));
  const others = alike.length > MOST_NAMED ? `${alike.length} other days` : listed(alike.map(nameAt));
  const more = alike.length === 0 ? '' : `; ${others} ${alike.length === 1 ? 'is' : 'are'} about as high`;
  return `${name}: highest on ${nameAt(highest)}, ${above} ${nameAt(lowest)}, the lowest ${seen}${more}.`;
}
