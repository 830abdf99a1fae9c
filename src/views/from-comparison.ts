import { isCount } from '../analysis/compare/days.ts';
import type { Judged } from '../analysis/compare/readings.ts';
import { type Change, isPercent, nameOf } from '../analysis/compare/words.ts';
import type { TrendSpec } from './spec.ts';

/** The days of a comparison's headline, a line for each selection, with the day on which the change began; undefined where there are none. */
export function comparisonTrend(
  { metric, since, judgement }: Change,
  judged: readonly Judged[],
  { timeZone, period, labels }: { timeZone: string; period: { from: string; to: string }; labels: readonly string[] },
): TrendSpec | undefined {
  const days = judged.map(({ reading }) => [...reading.baselineDays, ...reading.periodDays].filter(({ stretch }) => !stretch.isPart));
  const times = [...new Set(days.flat().flatMap(({ stretch: { label } }) => label ?? []))].toSorted();
  if (times.length === 0) return undefined;
  return {
    kind: 'trend',
    title: `${nameOf(metric)} by day`,
    subtitle: `${isCount(metric) ? 'counts' : 'values'} of whole days, ${timeZone}; shaded: the period, before it the baseline`,
    unit: isPercent(metric) ? 'percent' : 'none',
    timeZone,
    times,
    series: days.map((rows, index) => ({
      name: labels[index] ?? '',
      values: times.map((time) => rows.find(({ stretch }) => stretch.label === time)?.values[metric] ?? null),
    })),
    events: [],
    ...(since && { change: { name: `${nameOf(metric)} ${judgement.verdict} since ${since.day}`, time: since.day } }),
    judged: period,
  };
}
