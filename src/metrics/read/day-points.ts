import type { Interval } from '../../lib/calendar.ts';
import type { Sums } from '../engine/decompose.ts';
import type { DailyPoint, MetricKind } from '../engine/series.ts';
import { definitionOf, isCount } from '../metric-definitions.ts';
import { factorsOf } from '../metric-names.ts';
import { ingredientsOf, sumsOf } from './combine.ts';
import type { MetricRow } from './metric-answers.ts';
import { isZoneMetric } from './metric-grid.ts';

/** A value that was computed, as the platform writes it: counts whole, money with cents. */
export function rounded(metric: string, value: number): number {
  if (definitionOf(metric)?.unit === 'currency') return Math.round(100 * value) / 100;
  return isCount(metric) ? Math.round(value) : Math.round(1e4 * value) / 1e4;
}

/** An expectation as the platform writes the metric, `of` which values are asked about. */
export function figuresOf(
  metric: string,
  { expected, low, high }: Readonly<Record<'expected' | 'low' | 'high', number>>,
  of = (value: number) => value,
) {
  const figure = (value: number) => rounded(metric, (kindOf(metric) === 'share' ? 100 : 1) * of(value));
  return { expected: figure(expected), low: figure(low), high: figure(high) };
}

/** The metrics to read so that these can be judged and explained; those of zones alone, because visits are no metric of a zone. */
export function metricsToRead(metrics: readonly string[]): readonly string[] {
  const all = [...metrics, ...metrics.flatMap((metric) => factorsOf(metric))];
  if (metrics.some(isZoneMetric)) return [...new Set(all)];
  // Revenue is what a change of its factors costs, whatever was asked for.
  const costs = all.some((metric) => factorsOf('revenueSum').includes(metric)) ? ['revenueSum'] : [];
  return [...new Set([...all, ...ingredientsOf(all), 'visits', 'conversionCount', 'bounceRate', ...costs])];
}

/** The kind of a metric, as the engine of verdicts distinguishes it. */
export function kindOf(metric: string): MetricKind {
  const unit = definitionOf(metric)?.unit;
  if (isCount(metric)) return unit === 'currency' ? 'amount' : 'count';
  return unit === '%' && !isUncounted(metric) ? 'share' : 'average';
}

/** Whether what a metric is made of is in no answer, as the users of a tap rate. */
function isUncounted(metric: string): boolean {
  return definitionOf(metric)?.combination.by === 'refusal';
}

/** The weight of a day: the sums of its metric; of one whose counts are in no answer its value, weighed by the visits of the site. */
function termsOf(metric: string, values: MetricRow['values']): Sums | undefined {
  if (!isUncounted(metric)) return sumsOf(metric, values);
  const { [metric]: value, visits } = values;
  return typeof value === 'number' && visits ? { numerator: value * visits, denominator: visits } : undefined;
}

/** Adds the site's visits to rows of zones: the interface does not give the users that these are of. */
export function withVisits(rows: readonly MetricRow[], ofSite: readonly MetricRow[] | undefined): readonly MetricRow[] {
  if (!ofSite) return rows;
  const keyOf = ({ selection: { device, segmentIds }, range, interval }: MetricRow) =>
    [range, interval.startMs, device, ...segmentIds].join(' ');
  const visits = new Map(ofSite.map((row) => [keyOf(row), row.values]));
  return rows.map((row) => ({ ...row, values: { ...visits.get(keyOf(row)), ...row.values } }));
}

/** Whether a row is of a day, and not of a part of one. */
export const isWholeDay = ({ interval }: Pick<MetricRow, 'interval'>): boolean => interval.label !== undefined && !interval.isPart;

/** Days in a row without visits behind which a segment has ended, or before which it begins: fewer may be the counting. */
const WITHOUT_DAYS = 3;

/** Share of the days of a segment on which it has visits; one with fewer has no first and last day to speak of. */
const MOST_DAYS = 0.9;

/** The time in which a selection has visits, without bounds where none or few days lie before or behind it. */
export function visitedSpan(rows: readonly MetricRow[]): Interval {
  const days = rows.filter(isWholeDay).toSorted((a, b) => a.interval.startMs - b.interval.startMs);
  const isVisited = ({ values }: MetricRow) => (values['visits'] ?? 0) > 0;
  const [first, last] = [days.findIndex(isVisited), days.findLastIndex(isVisited)];
  const isOnMost = first >= 0 && days.filter(isVisited).length >= MOST_DAYS * (last + 1 - first);
  const boundAt = (at: number, without: number) => (isOnMost && without >= WITHOUT_DAYS ? days[at]?.interval : undefined);
  return {
    startMs: boundAt(first, first)?.startMs ?? 0,
    endMs: boundAt(last, days.length - 1 - last)?.endMs ?? Number.POSITIVE_INFINITY,
  };
}

/** The whole days of one selection, in order, and whether each takes part in what is judged. */
function daysIn(rows: readonly MetricRow[]) {
  const { startMs, endMs } = visitedSpan(rows);
  const isOfSegment = rows.some(({ selection }) => selection.segmentIds.length > 0);
  const days = rows.filter(isWholeDay).toSorted((a, b) => a.interval.startMs - b.interval.startMs);
  return days.map((row) => ({ ...row, isWhole: row.interval.startMs >= startMs && (!isOfSegment || row.interval.endMs <= endMs) }));
}

/** The days of rows, and their points by metric: the very same list each time, so that what was fitted to it is known again. */
const made = new WeakMap<readonly MetricRow[], { readonly days: ReturnType<typeof daysIn>; readonly points: Map<string, DailyPoint[]> }>();

/**
 * The whole days among the rows of one selection, in order; days without a value are left out. Percentages become events of their trials.
 * Days before a selection has visits, and those behind a segment's, take no part in what is judged.
 */
export function dayPoints(rows: readonly MetricRow[], metric: string): readonly DailyPoint[] {
  const own = made.get(rows) ?? { days: daysIn(rows), points: new Map<string, DailyPoint[]>() };
  const points = own.points.get(metric) ?? pointsOf(own.days, metric);
  own.points.set(metric, points);
  made.set(rows, own);
  return points;
}

function pointsOf(days: ReturnType<typeof daysIn>, metric: string): DailyPoint[] {
  const kind = kindOf(metric);
  const times = kind === 'share' ? 0.01 : 1;
  return days.flatMap(({ interval: { label = '' }, values, known, isOfOtherGoal, isWhole }) => {
    const terms = termsOf(metric, values);
    if (!terms || terms.denominator === 0) return [];
    const { conversionCount: events } = values;
    const isSumOf = kind === 'amount' && typeof events === 'number' && !isOfOtherGoal ? { events } : {};
    return [{ label, ...terms, ...isSumOf, ...known?.of(metric, label), numerator: terms.numerator * times, isWhole }];
  });
}
