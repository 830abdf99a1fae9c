import { dayPoints, kindOf } from '../compare/readings.ts';
import type { Looked, Scanned } from '../engine/scan.ts';
import type { DailyPoint } from '../engine/series.ts';
import type { Study } from '../engine/study.ts';
import { definitionOf } from '../metric-definitions.ts';
import type { MetricRow } from '../read/metric-answers.ts';
import { type Device, isZoneMetric } from '../read/metric-grid.ts';

/** Everything that was read and looked at. */
export interface Scene {
  readonly series: ReadonlyMap<string, ChangeSeries>;
  readonly studies: ReadonlyMap<string, Study>;
  /** All visitors that were asked for, with the main goal. */
  readonly base: Place;
  /** First and last day of the scan. */
  readonly from: string;
  readonly to: string;
}

/** Makes a scene of series and what was seen in them. */
export function sceneOf(series: readonly ChangeSeries[], looked: readonly Looked[], rest: Pick<Scene, 'base' | 'from' | 'to'>): Scene {
  return {
    series: new Map(series.map((each) => [each.id, each])),
    studies: new Map(looked.map(({ id, study }) => [id, study])),
    ...rest,
  };
}

/** Where a series was measured; without a goal that of e-commerce. */
export interface Place {
  readonly device: Device;
  readonly segmentId?: number | undefined;
  readonly goalId?: number | undefined;
  readonly zoneId?: number | undefined;
}

/** The days of one metric at one place. */
export interface ChangeSeries extends Scanned {
  readonly metric: string;
  readonly place: Place;
}

/** The rows of one place by day. */
export interface Reading {
  readonly place: Place;
  readonly rows: readonly MetricRow[];
}

/** Names a metric at a place, so that the same one is found again. */
export function seriesId(metric: string, { device, segmentId, goalId, zoneId }: Place): string {
  const goal = definitionOf(metric)?.perGoal ? goalId : undefined;
  return [metric, device, segmentId ?? '', goal ?? '', zoneId ?? ''].join('|');
}

/** Metrics that a reading was made for: those of a further goal are only what depends on it. */
function metricsOf(metrics: readonly string[], { goalId, zoneId }: Place, baseGoal: number | undefined): string[] {
  if (zoneId !== undefined) return metrics.filter(isZoneMetric);
  const ofSite = metrics.filter((metric) => !isZoneMetric(metric));
  return goalId === baseGoal ? ofSite : ofSite.filter((metric) => definitionOf(metric)?.perGoal);
}

/** The interface gives no counts behind the averages of zones: the visits of the site stand for them. */
function zonePoints(rows: readonly MetricRow[], metric: string, visits: ReadonlyMap<string, number>): DailyPoint[] {
  const isSum = definitionOf(metric)?.combination.by === 'sum';
  return rows.flatMap(({ interval: { label, isPart }, values }) => {
    const [value, weight] = [values[metric], isSum ? 1 : visits.get(label ?? '')];
    if (label === undefined || isPart || typeof value !== 'number' || !weight) return [];
    return [{ label, numerator: value * weight, denominator: weight, isWhole: true }];
  });
}

/** The days of a metric with the number of orders behind an amount, so that a single very large one is no change. */
function sitePoints(rows: readonly MetricRow[], metric: string): DailyPoint[] {
  const points = dayPoints(rows, metric);
  if (metric !== 'revenueSum') return points;
  const orders = new Map(rows.map(({ interval, values }) => [interval.label, values['conversionCount']]));
  return points.map((point) => {
    const events = orders.get(point.label);
    return typeof events === 'number' ? { ...point, events } : point;
  });
}

/** All series that readings hold, each once; a metric without any value at a place is none. */
export function changeSeriesOf(readings: readonly Reading[], metrics: readonly string[], base: Place): ChangeSeries[] {
  const whole = readings.find(({ place }) => seriesId('visits', place) === seriesId('visits', base))?.rows ?? [];
  const visits = new Map(whole.map(({ interval, values }) => [interval.label ?? '', values['visits'] ?? 0]));
  const all = readings.flatMap(({ place, rows }) =>
    metricsOf(metrics, place, base.goalId).map((metric): ChangeSeries => {
      const isZone = place.zoneId !== undefined;
      const days = isZone ? zonePoints(rows, metric, visits) : sitePoints(rows, metric);
      const kind = isZone && definitionOf(metric)?.combination.by !== 'sum' ? 'average' : kindOf(metric);
      return { id: seriesId(metric, place), kind, days, metric, place };
    }),
  );
  const found = all.filter(({ days }) => days.some(({ numerator }) => numerator > 0));
  return [...new Map(found.map((series) => [series.id, series])).values()];
}

/**
 * What a metric is made of: conversions of visits and their rate, revenue of these and the cart. A change of a factor is one of the
 * product.
 */
export function factorsOf({ metric, place: { goalId } }: Pick<ChangeSeries, 'metric' | 'place'>): string[] {
  const rate = `conversionRate ${goalId ?? ''}`;
  if (metric === 'conversionRate') return [rate];
  if (metric === 'conversionCount') return ['visits', rate];
  return metric === 'revenueSum' ? ['visits', rate, 'cartAverage'] : [metric];
}

/** Whether a metric is the product of others that are series of their own. */
export function isProduct(metric: string): boolean {
  return metric === 'conversionCount' || metric === 'revenueSum';
}
