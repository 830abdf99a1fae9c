import { ApiError } from '../../../api/errors.ts';
import { siteMetricNames, zoneMetricNames } from '../../../api/metric-names.ts';
import { instantOf } from '../../../api/params.ts';
import { type CalendarSlot, type Interval, slotsOf } from '../../../lib/calendar.ts';
import { definitionOf } from '../metric-definitions.ts';
import { type Device, isZoneMetric, type MetricGrid } from './metric-grid.ts';

/** By what a table has rows; at most one of the last three. */
export const breakdowns = ['device', 'segment', 'goal', 'day', 'week', 'month'] as const;
export type Breakdown = (typeof breakdowns)[number];
type TimeUnit = Extract<Breakdown, 'day' | 'week' | 'month'>;

/** What one table is about; names are ids by now. */
export interface MetricQuery {
  readonly metrics: readonly string[];
  readonly interval: Interval;
  readonly breakdown: readonly Breakdown[];
  readonly devices: readonly Device[];
  /** Visitors in all of them. */
  readonly segmentIds: readonly number[];
  /** Segments side by side, each within `segmentIds`. */
  readonly compareSegments: readonly number[];
  readonly goalIds: readonly number[];
  readonly zoneIds: readonly number[];
}

const isTime = (breakdown: Breakdown): breakdown is TimeUnit => breakdown === 'day' || breakdown === 'week' || breakdown === 'month';

function refuse(message: string): never {
  throw new ApiError('invalid', message);
}

type Optional = 'breakdown' | 'devices' | 'segmentIds' | 'compareSegments' | 'goalIds' | 'zoneIds';

/** What a caller may say; what is left out is empty. Dates are ISO date-times by now. */
type QueryInput = { readonly [Name in Optional]?: MetricQuery[Name] | undefined } & {
  readonly metrics: readonly string[];
  readonly startDate: string;
  readonly endDate: string;
};

/** Makes a query of what a caller says, each object once; throws where its parts do not go together. */
export function metricQuery({ metrics, startDate, endDate, breakdown = [], ...input }: QueryInput): MetricQuery {
  const once = <T>(values: readonly T[] = []) => [...new Set(values)];
  const [goalIds, zoneIds] = [once(input.goalIds), once(input.zoneIds)];
  timeUnitOf(breakdown);
  return {
    metrics: chosenMetrics(metrics, { zones: zoneIds.length > 0, goals: goalIds.length > 0 || breakdown.includes('goal') }),
    interval: { startMs: instantOf(startDate), endMs: instantOf(endDate) },
    breakdown,
    devices: once(input.devices),
    segmentIds: once(input.segmentIds),
    compareSegments: once(input.compareSegments),
    goalIds,
    zoneIds,
  };
}

/** The metrics of a query, `all` replaced by the eight of the site or of a zone; throws where they do not go together. */
function chosenMetrics(metrics: readonly string[], { zones, goals }: { zones: boolean; goals: boolean }): string[] {
  const all = zones ? [...zoneMetricNames, ...(goals ? ['avgConversionAfterTap'] : [])] : siteMetricNames;
  const chosen = [...new Set(metrics.flatMap((metric) => (metric === 'all' ? all : [metric])))];
  const wrong = chosen.filter((metric) => isZoneMetric(metric) !== zones);
  if (wrong.length > 0 && zones) refuse(`metrics: no metric of a zone: ${wrong.join(', ')}; leave out zoneIds for metrics of the site.`);
  if (wrong.length > 0) refuse(`zoneIds: a zone is needed for ${wrong.join(', ')}; find_objects finds its id.`);
  if (goals && !chosen.some((metric) => definitionOf(metric)?.perGoal)) {
    refuse(`goalIds: none of ${chosen.join(', ')} depends on a goal; conversionCount, conversionRate and avgConversionAfterTap do.`);
  }
  return chosen;
}

/** The unit of time that a query is broken down by; throws where it names several. */
export function timeUnitOf(breakdown: readonly Breakdown[]): TimeUnit | undefined {
  const units = breakdown.filter(isTime);
  if (units.length > 1) refuse(`breakdown: only one of day, week and month, not ${units.join(' and ')}.`);
  return units[0];
}

/** Devices of a query: those that are named, else the sum and each where it is broken down by device. */
function devicesOf({ devices, breakdown }: MetricQuery): readonly Device[] {
  if (devices.length > 0) return devices;
  return breakdown.includes('device') ? ['all', 'desktop', 'mobile', 'tablet'] : ['all'];
}

/** A grid to ask for, with the labels of its ranges. Weeks and months are ranges of their own, because the platform then gives exact rates for each. */
export function gridOf(
  query: MetricQuery,
  timeZone: string,
): MetricGrid & { readonly ranges: readonly (Interval & Partial<CalendarSlot>)[] } {
  const { metrics, interval, breakdown, segmentIds, compareSegments, goalIds, zoneIds } = query;
  const unit = timeUnitOf(breakdown);
  const sets = compareSegments.map((segmentId) => [...segmentIds.filter((id) => id !== segmentId), segmentId]);
  return {
    metrics,
    ranges: unit === undefined || unit === 'day' ? [interval] : slotsOf(unit, interval, timeZone),
    daily: unit === 'day',
    devices: devicesOf(query),
    segmentSets: sets.length > 0 ? sets : [segmentIds],
    goalIds: goalIds.length > 0 ? goalIds : [undefined],
    zoneIds: zoneIds.length > 0 ? zoneIds : [undefined],
  };
}
