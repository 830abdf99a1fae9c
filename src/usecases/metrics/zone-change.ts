import { ApiError } from '../../api/errors.ts';
import { isZoneMetric } from '../../domain/metrics/read/metric-grid.ts';
import type { MetricQuery } from '../../domain/metrics/read/metric-query.ts';
import { daysBetween } from '../../lib/calendar.ts';
import { isoAt } from '../../lib/dates.ts';
import { sentencesOf } from '../../lib/sentences.ts';
import { compareMetrics } from './compare-metrics.ts';
import type { CompareContext } from './compare-question.ts';

/** One figure over fewer days is of about each of them; over more the days take requests of their own. */
const [LEAST_DAYS, MOST_DAYS] = [14, 92];

/** The metric of a query that is one figure of one zone; undefined of any other. */
function onlyFigure({ breakdown, totals, zoneIds, devices, goalIds, metrics, bases }: MetricQuery): string | undefined {
  const [metric, ...more] = metrics.filter((each) => !bases.includes(each));
  const isOne = zoneIds.length === 1 && devices.length <= 1 && goalIds.length <= 1 && more.length === 0;
  return isOne && breakdown.length === 0 && !totals && metric !== undefined && isZoneMetric(metric) ? metric : undefined;
}

/**
 * One sentence: that the only figure of a zone is of no day, because it changed within the range; empty where it did not, or where the days
 * cannot be read.
 */
export async function zoneChangeSentence(query: MetricQuery, context: CompareContext): Promise<string> {
  const { interval, devices, segmentIds, zoneIds, goalIds } = query;
  const metric = onlyFigure(query);
  const days = daysBetween(interval.startMs, interval.endMs + 1, context.timeZone);
  if (metric === undefined || days < LEAST_DAYS || days > MOST_DAYS) return '';
  const nothing = () => undefined;
  const silent = { ...context, note: nothing, progress: nothing, draw: nothing, covers: nothing };
  const [startDate, endDate] = [isoAt(interval.startMs, context.timeZone), isoAt(interval.endMs, context.timeZone)];
  const goal = goalIds[0] === undefined ? {} : { goalId: goalIds[0] };
  try {
    const asked = { metrics: [metric], startDate, endDate, by: 'period', explain: false, devices, segmentIds, zoneIds, ...goal } as const;
    const { answer, columns, rows } = await compareMetrics(asked, silent);
    const since = rows[0]?.[columns.indexOf('since')];
    return typeof since === 'string' && since > startDate.slice(0, 10) ? (sentencesOf(answer)[0] ?? '') : '';
  } catch (error) {
    if (error instanceof ApiError) return '';
    throw error;
  }
}
