import { dayAfter } from '../../src/lib/calendar.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import type { Reading } from '../../src/metrics/compare/readings.ts';
import type { DailyPoint } from '../../src/metrics/engine/series.ts';
import type { MetricRow } from '../../src/metrics/read/metric-answers.ts';
import { seeded } from '../bench/verdicts/random.ts';
import { times } from '../support/times.ts';

/** Whether a day is a Saturday or a Sunday. */
export const isWeekend = (label: string): boolean => new Date(label).getUTCDay() % 6 === 0;

/** Whole days from a first one on: what is counted on each, and of how many where that is not one. */
export const pointsFrom = (first: string, length: number, countOf: (at: number, label: string) => number | readonly [number, number]) =>
  times(length, (at): DailyPoint => {
    const label = dayAfter(first, at);
    const [numerator, denominator = 1] = [countOf(at, label)].flat();
    return { label, numerator: numerator ?? 0, denominator, isWhole: true };
  });

/** Counts of days from a first one on: Poisson about these means, which shocks of so much multiply. */
export function countsFrom(first: string, length: number, seed: number, scatter: number, meanOn: (label: string, at: number) => number) {
  const { normal, poisson } = seeded(seed);
  return pointsFrom(first, length, (at, label) => poisson(meanOn(label, at) * Math.exp(scatter * normal())));
}

/** The days with so many times what was counted on each. */
export const scaled = <T extends DailyPoint>(days: readonly T[], factorOf: (at: number) => number): T[] =>
  days.map((day, at) => ({ ...day, numerator: Math.round(day.numerator * factorOf(at)) }));

/** Days of which nothing special is known. */
export const NOTHING_KNOWN = { specialDays: () => undefined, of: () => ({}) };

/** In which share of so many worlds, drawn from seeds that count from 1, something is so. */
export const shareOf = (worlds: number, isSo: (seed: number) => boolean) =>
  times(worlds, (at) => isSo(at + 1)).filter(Boolean).length / worlds;

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
