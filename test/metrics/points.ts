import { dayAfter } from '../../src/lib/calendar.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import type { Reading } from '../../src/metrics/compare/readings.ts';
import type { DailyPoint } from '../../src/metrics/engine/series.ts';
import type { MetricRow } from '../../src/metrics/read/metric-answers.ts';
import { seeded } from '../bench/verdicts/random.ts';

/** Whether a day is a Saturday or a Sunday. */
export const isWeekend = (label: string): boolean => new Date(label).getUTCDay() % 6 === 0;

/** Counts of days from a first one on: Poisson about these means, which shocks of so much multiply. */
export function countsFrom(first: string, length: number, seed: number, scatter: number, meanOn: (label: string, at: number) => number) {
  const random = seeded(seed);
  return Array.from({ length }, (_, at): DailyPoint => {
    const label = dayAfter(first, at);
    const numerator = random.poisson(meanOn(label, at) * Math.exp(scatter * random.normal()));
    return { label, numerator, denominator: 1, isWhole: true };
  });
}

/** A whole day of all visitors, or of others. */
export function rowOn(label: string, values: MetricRow['values'], selection: Partial<MetricRow['selection']> = {}): MetricRow {
  const startMs = Date.parse(label);
  return {
    selection: { device: 'all', segmentIds: [], goalId: undefined, zoneId: undefined, ...selection },
    range: 0,
    interval: { label, startMs, endMs: startMs + DAY_MS - 1, isPart: false },
    values,
  };
}

/** All visitors with these days before a period of none. */
export const readingWith = (days: readonly MetricRow[], more: Partial<Reading> = {}): Reading => ({
  device: 'all',
  segmentIds: [],
  zoneId: undefined,
  before: {},
  after: {},
  baselineDays: [],
  periodDays: [],
  days,
  known: days,
  ...more,
});
