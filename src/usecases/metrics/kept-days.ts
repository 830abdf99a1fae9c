import { ApiError } from '../../api/errors.ts';
import { getSiteVisits } from '../../api/operations/metrics.ts';
import type { MetricAnswers } from '../../domain/metrics/read/metric-answers.ts';
import { type Interval, slotsOf } from '../../lib/calendar.ts';
import { isoAt } from '../../lib/dates.ts';
import type { Context } from '../context.ts';

/** Whether the platform refused a range because it reaches beyond what is kept; its words are all that says so. */
export function isOutOfBounds(reason: string): boolean {
  return /out of bounds/i.test(reason);
}

/** Whether a part of what was asked for lies beyond what is kept. */
export function reachesBeyond({ missing }: Pick<MetricAnswers, 'missing'>): boolean {
  return missing.some(({ reason }) => isOutOfBounds(reason));
}

/**
 * The part of an interval that the platform keeps, from the first whole day on: it is found by halving, because no answer of the interface
 * says it. Undefined where all of it is kept, or not even its last day.
 */
export async function keptPartOf(
  interval: Interval,
  { ask, timeZone }: Pick<Context, 'ask' | 'timeZone'>,
): Promise<(Interval & { readonly firstDay: string }) | undefined> {
  const days = slotsOf('day', interval, timeZone);
  const isKept = async (index: number) => {
    const day = days[index];
    if (!day) return false;
    try {
      await ask(getSiteVisits, { startDate: isoAt(day.startMs, timeZone), endDate: isoAt(day.endMs, timeZone), device: 'all' });
      return true;
    } catch (error) {
      if (error instanceof ApiError && isOutOfBounds(error.message)) return false;
      throw error;
    }
  };
  let [lost, kept] = [-1, days.length - 1];
  if (!(await isKept(kept))) return undefined;
  while (kept - lost > 1) {
    const middle = Math.floor((lost + kept) / 2);
    if (await isKept(middle)) kept = middle;
    else lost = middle;
  }
  const first = days[kept];
  return first && kept > 0 ? { startMs: first.startMs, endMs: interval.endMs, firstDay: first.label } : undefined;
}
