import { linearRegression, mean, sampleStandardDeviation, sum } from 'simple-statistics';
import type { Interval } from '../../../lib/calendar.ts';
import { DAY_MS } from '../../../lib/clock.ts';
import { nth } from '../../../lib/nth.ts';
import { formatPercent } from '../../../lib/number-text.ts';
import { capital } from '../../../lib/sentences.ts';
import { carryFactor } from '../../../statistics/carry.ts';
import { logTail, normalOf } from '../../../statistics/tails.ts';
import { isCount } from '../compare/readings.ts';
import type { QueryLine } from '../read/query-table.ts';
import { boundsText, directed, type Estimate, estimateOf, signed, verdictText } from './row-estimate.ts';

const LEAST_PERIODS = 6;
/** Months of two years, from which on each is held against the same of the year before. */
const YEAR_MONTHS = 12;

/** A growth from period to period, and whether the season was taken out by the year before. */
export interface Trend extends Estimate {
  readonly isSeasonal: boolean;
}

/** The growth of values in turn, positive ones only; of 24 months and more that against the year before, a year. */
export function trendEstimate(values: readonly number[], isMonthly: boolean): Trend | undefined {
  if (values.length < LEAST_PERIODS || values.some((value) => !(value > 0))) return undefined;
  const logs = values.map(Math.log);
  if (isMonthly && logs.length >= 2 * YEAR_MONTHS) {
    const grown = logs.slice(YEAR_MONTHS).map((value, at) => value - nth(logs, at));
    const middle = mean(grown);
    const error = (sampleStandardDeviation(grown) / Math.sqrt(grown.length)) * carryFactor(grown.map((value) => value - middle));
    return { ...estimateOf(middle, error, grown.length - 1, values.length), isSeasonal: true };
  }
  const { m: slope, b: start } = linearRegression(logs.map((value, at) => [at, value]));
  const residuals = logs.map((value, at) => value - start - slope * at);
  const middle = (logs.length - 1) / 2;
  const spread = sum(logs.map((_, at) => (at - middle) ** 2));
  const freedom = logs.length - 2;
  const error = Math.sqrt(sum(residuals.map((value) => value ** 2)) / freedom / spread) * carryFactor(residuals);
  return { ...estimateOf(slope, error, freedom, values.length), isSeasonal: false };
}

/** A level that holds from some period on, against that of the periods before. */
export interface LevelStep extends Estimate {
  /** Index of its first period. */
  readonly from: number;
}

/** Fewer periods before a step do not show what is usual; one behind it may be the latest. */
const LEAST_BEFORE = 3;
/** Chance at which a step is told instead of a line, over all first periods that it may have, and at which it is clear. */
const [TOLD, CLEAR] = [0.05, 0.01];
/** A step must leave over at most this share of the squares that a line leaves. */
const BETTER = 0.5;

const squaresOf = (values: readonly number[]) => {
  const middle = mean([...values]);
  return sum(values.map((value) => (value - middle) ** 2));
};

/** The step that positive values in turn make, where it fits them far better than a line: a line through a break is the rate of nothing. */
export function stepEstimate(values: readonly number[]): LevelStep | undefined {
  if (values.length < LEAST_PERIODS || values.some((value) => !(value > 0))) return undefined;
  const logs = values.map(Math.log);
  const { m: slope, b: start } = linearRegression(logs.map((value, at) => [at, value]));
  const ofLine = sum(logs.map((value, at) => (value - start - slope * at) ** 2));
  const splits = logs.slice(LEAST_BEFORE).map((_, index) => {
    const from = index + LEAST_BEFORE;
    return { from, squares: squaresOf(logs.slice(0, from)) + squaresOf(logs.slice(from)) };
  });
  const [best] = splits.toSorted((a, b) => a.squares - b.squares);
  if (!best || best.squares > BETTER * ofLine) return undefined;
  const [before, after] = [logs.slice(0, best.from), logs.slice(best.from)];
  // Two levels and the first period of the second.
  const freedom = logs.length - 3;
  const error = Math.sqrt((best.squares / freedom) * (1 / before.length + 1 / after.length));
  const effect = mean(after) - mean(before);
  const chance = splits.length * Math.exp(logTail(normalOf(effect / error, freedom)));
  if (!(chance < TOLD)) return undefined;
  return { ...estimateOf(effect, error, freedom, logs.length), isClear: chance < CLEAR, from: best.from };
}

/** One sentence: `Conversion rate is 36.4% lower (…) from the week of 2026-11-09 on, and there is no trend beside that step.` */
export function stepSentence(name: string, unit: string, step: LevelStep, first: string): string {
  const size = `${directed(step.relative)} ${boundsText(step)}`;
  const since = step.from === step.count - 1 ? `in the last ${unit}` : `from the ${unit} of ${first} on`;
  const told = step.isClear ? '' : `, ${verdictText(step)}`;
  return `${capital(name)}: ${size} ${since} than before${told}, with no trend beside that step.`;
}

/** One sentence: `Visits: a fall of 1.2% a week (…) over these 12 weeks, the season included.` */
export function trendSentence(name: string, unit: string, trend: Trend): string {
  const per = trend.isSeasonal ? 'a year, each month against the same of the year before' : `a ${unit}`;
  const over = `over these ${trend.count} ${unit}s${trend.isSeasonal ? '' : ', the season included'}`;
  const size = `${formatPercent(Math.abs(100 * trend.relative), { digits: 1 })} ${per} ${boundsText(trend)}`;
  if (trend.isClear) return `${capital(name)}: a ${trend.relative < 0 ? 'fall' : 'rise'} of ${size} ${over}.`;
  return `${capital(name)}: no significant trend ${over} (${signed(trend.relative)} ${per}).`;
}

const daysOf = ({ startMs, endMs }: Interval) => Math.max(1, Math.round((endMs + 1 - startMs) / DAY_MS));

/** Values of whole weeks or months in order, amounts for a day; of shares as they are. */
const valuesOf = (lines: readonly QueryLine[], metric: string, isShare: boolean) =>
  lines.map(({ values, shares, interval }) => {
    const value = (isShare ? shares?.[metric] : values[metric]) ?? 0;
    return isCount(metric) && !isShare ? value / daysOf(interval) : value;
  });

/** A sentence on the way of a metric over weeks or months: its trend, or the step that fits far better; undefined for too few. */
export function courseOf(
  lines: readonly QueryLine[],
  metric: string,
  { name, unit, isShare }: { readonly name: string; readonly unit: 'week' | 'month'; readonly isShare: boolean },
): { readonly text: string; readonly isClear: boolean } | undefined {
  const whole = lines.filter(({ interval }) => interval.label !== undefined && !interval.isPart).toSorted((a, b) => a.order - b.order);
  const values = valuesOf(whole, metric, isShare);
  const trend = trendEstimate(values, unit === 'month');
  if (!trend) return undefined;
  const step = trend.isSeasonal ? undefined : stepEstimate(values);
  if (!step) return { text: trendSentence(name, unit, trend), isClear: trend.isClear };
  return { text: stepSentence(name, unit, step, whole[step.from]?.interval.label ?? ''), isClear: step.isClear };
}
