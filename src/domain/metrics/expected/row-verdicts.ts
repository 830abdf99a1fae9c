import { mean, sampleStandardDeviation } from 'simple-statistics';
import { DAY_MS } from '../../../lib/clock.ts';
import { grouped } from '../../../lib/grouped.ts';
import { counted } from '../../../lib/number-text.ts';
import { carryFactor } from '../../../statistics/carry.ts';
import type { MeasuredChange } from '../compare/measured-change.ts';
import { isCount } from '../compare/readings.ts';
import { nameOf } from '../metric-definitions.ts';
import { combined } from '../read/combine.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import { isOfDays, type MetricQuery, timeUnitOf } from '../read/metric-query.ts';
import type { QueryLine } from '../read/query-table.ts';
import { isChangeOf } from './expected-lines.ts';
import { boundsText, directed, type Estimate, estimateOf, verdictText } from './row-estimate.ts';
import { courseOf } from './trend-verdict.ts';
import { weekdaySentence } from './weekday-verdict.ts';

const LEAST_WEEKS = 4;
/** More metrics and selections are not put into words. */
const MOST_SENTENCES = 4;

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

function weekendSentence(name: string, estimate: Estimate): string {
  const size = `${directed(estimate.relative)} ${boundsText(estimate)}`;
  const told = estimate.isClear ? '' : `, ${verdictText(estimate)}`;
  return `${name} at weekends: ${size} than from Monday to Friday${told}, over ${estimate.count} weeks.`;
}

/** A sentence; of a trend or step whether it is clear. */
interface Said {
  readonly text: string;
  readonly isClear?: boolean;
}

/** The sentences, each once: of too many those that are clear, and what is left out. */
function inFew(sentences: readonly Said[]): string {
  const said = [...new Map(sentences.map((each) => [each.text, each])).values()];
  const ranked = said.length > MOST_SENTENCES ? said.toSorted((a, b) => Number(b.isClear ?? false) - Number(a.isClear ?? false)) : said;
  const left = ranked.slice(MOST_SENTENCES).filter(({ isClear }) => isClear !== undefined);
  const isCalm = left.every(({ isClear }) => !isClear);
  const trends = counted(left.length, 'further trend');
  const more = isCalm ? `${trends} ${left.length === 1 ? 'is' : 'are'} not significant.` : `Not put into words: ${trends}.`;
  return [...ranked.slice(0, MOST_SENTENCES).map(({ text }) => text), ...(left.length > 0 ? [more] : [])].join(' ');
}

/**
 * Verdicts in words about the rows of a table: the highest weekday, weekends against the other days, the trend over weeks or months, and
 * that of shares; empty where rows are of something else or too few. `days` are the rows that were read; `told` has the changes that are
 * told beside them, and a metric with one no trend.
 */
export function rowVerdicts(
  query: MetricQuery,
  lines: readonly QueryLine[],
  days: readonly MetricRow[],
  {
    nameOf: nameOfSelection,
    told,
  }: { readonly nameOf: (row: MetricRow) => string; readonly told: readonly Pick<MeasuredChange, 'metric'>[] },
): string {
  const unit = timeUnitOf(query.breakdown);
  if ((query.order && !isOfDays(unit)) || query.zoneIds.length > 0) return '';
  const metrics = query.metrics.filter((metric) => !query.bases.includes(metric));
  const named = (metric: string, row: MetricRow | undefined, of = '') => {
    const where = row ? nameOfSelection(row) : '';
    return `${of}${of === '' ? nameOf(metric) : nameOf(metric).toLowerCase()}${where === '' ? '' : ` (${where})`}`;
  };
  const sentences = metrics.flatMap((metric): Said[] => {
    if (isOfDays(unit))
      return [...grouped(days, ({ selection }) => selection).values()].flatMap((own): Said[] => {
        if (unit === 'weekday') return [weekdaySentence(named(metric, own[0]), metric, own)].flatMap((text) => (text ? [{ text }] : []));
        const estimate = weekendEstimate(metric, own);
        return estimate ? [{ text: weekendSentence(named(metric, own[0]), estimate) }] : [];
      });
    if ((unit !== 'week' && unit !== 'month') || told.some((change) => isChangeOf(change, metric))) return [];
    const timed = lines.filter(({ order, isOther }) => Number.isFinite(order) && !isOther);
    return [...grouped(timed, ({ selection }) => JSON.stringify(selection)).values()].flatMap((own) => {
      const isShare = query.shares && isCount(metric) && own.some(({ shares }) => (shares?.[metric] ?? 100) < 100);
      const name = named(metric, own[0], isShare ? 'the share of ' : '');
      const uncapped = isShare ? name : `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
      return courseOf(own, metric, { name: uncapped, unit, isShare }) ?? [];
    });
  });
  return inFew(sentences);
}
