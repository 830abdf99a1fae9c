import { dayAfter } from '../../src/lib/calendar.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import type { Part } from '../../src/metrics/changes/events.ts';
import type { Reading } from '../../src/metrics/compare/readings.ts';
import type { DatedChange } from '../../src/metrics/engine/changes.ts';
import type { DailyPoint } from '../../src/metrics/engine/series.ts';
import { kindOf } from '../../src/metrics/read/day-points.ts';
import type { MetricRow } from '../../src/metrics/read/metric-answers.ts';
import type { Place, Visits } from '../../src/metrics/site-changes.ts';
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

/** The visits of a place, all visitors unless named, with these days of each metric. */
export function visitsWith(days: Readonly<Record<string, readonly DailyPoint[]>>, place: Partial<Place> = {}): Visits {
  const valueOf = (metric: string, { numerator, denominator }: DailyPoint) =>
    ((kindOf(metric) === 'share' ? 100 : 1) * numerator) / denominator;
  const byDay = new Map<string, Record<string, number>>();
  for (const [metric, points] of Object.entries(days))
    for (const point of points) byDay.set(point.label, { ...byDay.get(point.label), [metric]: valueOf(metric, point) });
  const selection = { device: 'all' as const, segmentIds: [], goalId: undefined, zoneId: undefined, ...place };
  return { ...selection, known: [...byDay].map(([label, values]) => rowOn(label, values, selection)) };
}

/** A fall of a metric that goes on for a week, or as it is told. */
export function partOf(metric: string, change: Partial<DatedChange> = {}, place: Partial<Place> = {}): Part {
  const from = change.from ?? '2026-11-16';
  const size = { relative: -0.67, low: -0.7, high: -0.64, pValue: 1e-5 };
  const days = { shape: 'step' as const, from, days: 7, earliest: from, latest: from };
  return { metric, reading: visitsWith({}, place), change: { ...days, ...size, ...change }, causes: [] };
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
