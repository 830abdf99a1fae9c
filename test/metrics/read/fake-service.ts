import type { MetricValue } from '../../../src/metrics/metric-table.ts';
import { inputOf, type PlannedCall } from '../../../src/metrics/read/metric-grid.ts';

const DAY_MS = 86_400_000;

/** One visit of the pure service: when, and whether it reached the goal. */
export interface Visit {
  readonly atMs: number;
  readonly converts: boolean;
  readonly cents: number;
}

/** Answers a planned call from a list of visits as the interface would: both ends included, `daily` counted in 24 hours from the start. */
export function answer(call: PlannedCall, visits: readonly Visit[], timeZone: string): MetricValue[] {
  const { startDate, endDate, period } = inputOf(call, timeZone);
  const [startMs, endMs] = [Date.parse(startDate), Date.parse(endDate)];
  const count = period === 'daily' ? Math.ceil((endMs - startMs) / DAY_MS) : 1;
  return Array.from({ length: count }, (_, index) => {
    const fromMs = startMs + index * DAY_MS;
    const toMs = index === count - 1 ? endMs : fromMs + DAY_MS - 1;
    const inside = visits.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs);
    const conversions = inside.filter(({ converts }) => converts).length;
    const values = {
      visits: inside.length,
      conversionCount: conversions,
      conversionRate: inside.length === 0 ? null : Math.round((1e6 * conversions) / inside.length) / 1e4,
      revenueSum: inside.reduce((sum, { cents }) => sum + cents, 0) / 100,
    };
    const bounds = { startDate: new Date(fromMs).toISOString(), endDate: new Date(toMs).toISOString(), currency: 'EUR' };
    return Object.entries(values).map(([name, value]) => ({ name, value, ...bounds }));
  }).flat();
}
