import { linearRegression, mean, sampleStandardDeviation, sum } from 'simple-statistics';
import { type Interval } from '../../../lib/calendar.ts';
import { DAY_MS } from '../../../lib/clock.ts';
import { grouped } from '../../../lib/grouped.ts';
import { formatPercent } from '../../../lib/number-text.ts';
import { carryFactor } from '../../statistics/carry.ts';
import { studentOf, Z_95 } from '../../statistics/tails.ts';
import { isCount } from '../compare/readings.ts';
import { nameOf } from '../metric-definitions.ts';
import { combined } from '../read/combine.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import { isOfDays, type MetricQuery, timeUnitOf } from '../read/metric-query.ts';
import type { QueryLine } from '../read/query-table.ts';
import { weekdaySentence } from './weekday-verdict.ts';

/** A relative difference or growth with its bounds at 95 %, and whether it lies beyond what chance makes of it once in a hundred times. */
interface Estimate {
  readonly relative: number;
  readonly low: number;
  readonly high: number;
  readonly isClear: boolean;
  /** Weeks, or periods of the table, that it was estimated from. */
  readonly count: number;
}

/** Two-sided 1 % of the normal distribution. */
const Z_OF_VERDICT = 2.5758;
const LEAST_WEEKS = 4;
const LEAST_PERIODS = 6;
const FOUR_WEEKS = 28;
const DAYS_OF: Readonly<Record<string, number>> = { week: 7, month: 365.25 / 12 };
/** Months of two years, from which on each is held against the same of the year before. */
const YEAR_MONTHS = 12;
/** More metrics and selections are not put into words. */
const MOST_SENTENCES = 4;

function estimateOf(effect: number, error: number, freedom: number, count: number): Estimate {
  const at = (z: number) => studentOf(z, freedom) * error;
  return {
    relative: Math.expm1(effect),
    low: Math.expm1(effect - at(Z_95)),
    high: Math.expm1(effect + at(Z_95)),
    isClear: Math.abs(effect) > at(Z_OF_VERDICT),
    count,
  };
}

const mondayOf = (label: string) => Date.parse(label) - ((new Date(label).getUTCDay() + 6) % 7) * DAY_MS;
const isWeekend = (label: string) => new Date(label).getUTCDay() % 6 === 0;

/** Weekends against the days from Monday to Friday of the same weeks (paired t-test over whole weeks); undefined with fewer than four. */
export function weekendEstimate(metric: string, days: readonly MetricRow[]): Estimate | undefined {
  const whole = days.filter(({ interval }) => interval.label !== undefined && !interval.isPart);
  const labelOf = ({ interval }: MetricRow) => interval.label ?? '';
  const ratios = [...grouped(whole, (row) => mondayOf(labelOf(row))).values()].flatMap((week) => {
    if (week.length < 7) return [];
    const of = (wanted: boolean) => {
      const own = week.filter((row) => isWeekend(labelOf(row)) === wanted);
      const value = combined(
        own.map(({ values }) => values),
        metric,
      );
      return value === null ? 0 : value / (isCount(metric) ? own.length : 1);
    };
    const [weekend, rest] = [of(true), of(false)];
    return weekend > 0 && rest > 0 ? [Math.log(weekend / rest)] : [];
  });
  if (ratios.length < LEAST_WEEKS) return undefined;
  const middle = mean(ratios);
  const error = (sampleStandardDeviation(ratios) / Math.sqrt(ratios.length)) * carryFactor(ratios.map((value) => value - middle));
  return estimateOf(middle, error, ratios.length - 1, ratios.length);
}

/** A growth from period to period, and whether the season was taken out by the year before. */
export interface Trend extends Estimate {
  readonly isSeasonal: boolean;
}

/** The growth of values in turn, positive ones only; of 24 months and more that against the year before, a year. */
export function trendEstimate(values: readonly number[], isMonthly: boolean): Trend | undefined {
  if (values.length < LEAST_PERIODS || values.some((value) => !(value > 0))) return undefined;
  const logs = values.map(Math.log);
  if (isMonthly && logs.length >= 2 * YEAR_MONTHS) {
    const grown = logs.slice(YEAR_MONTHS).map((value, at) => value - (logs[at] ?? 0));
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

const signed = (share: number) => formatPercent(100 * share, { sign: true, digits: 1 });
const boundsText = ({ low, high }: Estimate) => `(95%: ${signed(low)} to ${signed(high)})`;
/** Verdicts are at 1 %, bounds at 95 %. */
const verdictText = ({ isClear, low, high }: Estimate) => {
  if (isClear) return 'beyond noise';
  return low * high > 0 ? 'not clear at 1%' : 'within noise';
};

function weekendSentence(name: string, estimate: Estimate): string {
  return (
    `${name} at weekends against Monday to Friday: ${signed(estimate.relative)} ${boundsText(estimate)}, ${verdictText(estimate)} ` +
    `(${estimate.count} weeks).`
  );
}

/** One sentence: `Trend of visits: -1.2% a week (95%: …), -4.7% in 28 days, beyond noise (these 12 weeks alone, the season included).` */
export function trendSentence(name: string, unit: string, trend: Trend): string {
  const per = trend.isSeasonal ? 'a year, each month against the same of the year before' : `a ${unit}`;
  // In the measure of slow changes of `find_changes`, which more days than these teach.
  const inFourWeeks = signed((1 + trend.relative) ** (FOUR_WEEKS / (DAYS_OF[unit] ?? FOUR_WEEKS)) - 1);
  const [measure, seen] = trend.isSeasonal
    ? ['', `(${trend.count} ${unit}s)`]
    : [`, ${inFourWeeks} in 28 days`, `(these ${trend.count} ${unit}s alone, the season included)`];
  return `Trend of ${name}: ${signed(trend.relative)} ${per} ${boundsText(trend)}${measure}, ${verdictText(trend)} ${seen}.`;
}

const daysOf = ({ startMs, endMs }: Interval) => Math.max(1, Math.round((endMs + 1 - startMs) / DAY_MS));

/** Values of whole weeks or months in order, amounts for a day; of shares as they are. */
function valuesOf(lines: readonly QueryLine[], metric: string, isShare: boolean): number[] {
  return lines
    .filter(({ interval }) => interval.label !== undefined && !interval.isPart)
    .toSorted((a, b) => a.order - b.order)
    .map(({ values, shares, interval }) => {
      const value = (isShare ? shares?.[metric] : values[metric]) ?? 0;
      return isCount(metric) && !isShare ? value / daysOf(interval) : value;
    });
}

/**
 * Verdicts in words about the rows of a table: the highest weekday, weekends against the other days, the trend over weeks or months, and
 * that of shares; empty where rows are of something else or too few. `days` are the rows that were read.
 */
export function rowVerdicts(
  query: MetricQuery,
  lines: readonly QueryLine[],
  days: readonly MetricRow[],
  nameOfSelection: (row: MetricRow) => string,
): string {
  const unit = timeUnitOf(query.breakdown);
  if ((query.order && !isOfDays(unit)) || query.zoneIds.length > 0) return '';
  const metrics = query.metrics.filter((metric) => !query.bases.includes(metric));
  const named = (metric: string, row: MetricRow | undefined, of = '') => {
    const where = row ? nameOfSelection(row) : '';
    return `${of}${of === '' ? nameOf(metric) : nameOf(metric).toLowerCase()}${where === '' ? '' : ` (${where})`}`;
  };
  const sentences = metrics.flatMap((metric) => {
    if (isOfDays(unit))
      return [...grouped(days, ({ selection }) => selection).values()].flatMap((own) => {
        if (unit === 'weekday') return weekdaySentence(named(metric, own[0]), metric, own) || [];
        const estimate = weekendEstimate(metric, own);
        return estimate ? [weekendSentence(named(metric, own[0]), estimate)] : [];
      });
    if (unit !== 'week' && unit !== 'month') return [];
    const timed = lines.filter(({ order, isOther }) => Number.isFinite(order) && !isOther);
    return [...grouped(timed, ({ selection }) => JSON.stringify(selection)).values()].flatMap((own) => {
      const isShare = query.shares && isCount(metric) && own.some(({ shares }) => (shares?.[metric] ?? 100) < 100);
      const trend = trendEstimate(valuesOf(own, metric, isShare), unit === 'month');
      const name = named(metric, own[0], isShare ? 'the share of ' : '');
      return trend ? [trendSentence(isShare ? name : `${name.charAt(0).toLowerCase()}${name.slice(1)}`, unit, trend)] : [];
    });
  });
  return [...new Set(sentences)].slice(0, MOST_SENTENCES).join(' ');
}
