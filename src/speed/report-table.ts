import { parseJson } from '../api/json.ts';
import { minuteAt } from '../lib/dates.ts';
import { byMost } from '../lib/order.ts';
import type { Report } from './runs.ts';
import { usualSpeedMetrics } from './speed-metrics.ts';

/** A list or object that the platform sends as text: parsed where it is JSON, large ids digit by digit, else the text as it came. */
export async function parsedOrText(value: unknown): Promise<unknown> {
  if (typeof value !== 'string') return value;
  return parseJson(value).catch(() => value);
}

/** Reports of a scenario as one table, newest first; metrics are `summary.average` as received, null where a report has none. */
export function reportTable(reports: readonly Report[], asked: readonly string[] | undefined, timeZone: string) {
  const newest = reports.toSorted(byMost(({ date }) => date));
  const named = asked ?? usualSpeedMetrics;
  const metrics = named.includes('all') ? [...new Set(newest.flatMap(({ summary }) => Object.keys(summary?.average ?? {})))] : named;
  const rows = newest.map(({ date, resultId, steps, summary }) => [
    date,
    minuteAt(date, timeZone),
    resultId ?? null,
    steps?.length ?? null,
    summary?.fail ?? null,
    summary?.unavailableResource ?? null,
    summary?.browserError ?? null,
    // Metrics of newer reports have names that the type of a record does not know.
    ...metrics.map((metric) => (summary?.average as Record<string, number | null> | null | undefined)?.[metric] ?? null),
  ]);
  return { columns: ['date', 'time', 'resultId', 'steps', 'fail', 'unavailableResource', 'browserError', ...metrics], rows };
}
