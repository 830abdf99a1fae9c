import { refuse } from '../../../api/errors.ts';
import { siteMetricNames, zoneMetricNames } from '../../../api/metric-names.ts';
import { instantOf } from '../../../api/params.ts';
import { type CalendarSlot, type Interval, slotsOf } from '../../../lib/calendar.ts';
import { ALL_VISITORS, type SegmentChoice, segmentSetsOf } from '../../names/match-name.ts';
import { definitionOf } from '../metric-definitions.ts';
import { ingredientsOf } from './combine.ts';
import { type Device, isZoneMetric, type MetricGrid } from './metric-grid.ts';

const timeUnits = ['day', 'week', 'month', 'weekday'] as const;
type TimeUnit = (typeof timeUnits)[number];

/** By what a table has rows; at most one unit of time. */
export const breakdowns = ['device', 'segment', 'goal', ...timeUnits] as const;
export type Breakdown = (typeof breakdowns)[number];

/** What one table is about; names are ids by now. */
export interface MetricQuery {
  readonly metrics: readonly string[];
  readonly interval: Interval;
  readonly breakdown: readonly Breakdown[];
  /** Rows of the whole beside those of its parts. */
  readonly totals: boolean;
  /** Columns with the share of counts and amounts in the whole. */
  readonly shares: boolean;
  readonly devices: readonly Device[];
  /** Visitors in all of them. */
  readonly segmentIds: readonly number[];
  /** Segments side by side, each within `segmentIds`. */
  readonly compareSegments: readonly SegmentChoice[];
  readonly goalIds: readonly number[];
  readonly zoneIds: readonly number[];
}

const isTime = (breakdown: Breakdown): breakdown is TimeUnit => timeUnits.some((unit) => unit === breakdown);

type Optional = 'breakdown' | 'totals' | 'shares' | 'devices' | 'segmentIds' | 'compareSegments' | 'goalIds' | 'zoneIds';

/** What a caller may say; what is left out is empty. Dates are ISO date-times by now. */
type QueryInput = { readonly [Name in Optional]?: MetricQuery[Name] | undefined } & {
  readonly metrics: readonly string[];
  readonly startDate: string;
  readonly endDate: string;
};

/** Makes a query of what a caller says, each object once; throws where its parts do not go together. */
export function metricQuery({
  metrics,
  startDate,
  endDate,
  breakdown = [],
  totals = false,
  shares = false,
  ...input
}: QueryInput): MetricQuery {
  const once = <T>(values: readonly T[] = []) => [...new Set(values)];
  const [goalIds, zoneIds] = [once(input.goalIds), once(input.zoneIds)];
  const query = {
    metrics: chosenMetrics(metrics, { zones: zoneIds.length > 0, goals: goalIds.length > 0 || breakdown.includes('goal') }),
    interval: { startMs: instantOf(startDate), endMs: instantOf(endDate) },
    breakdown,
    totals,
    shares,
    devices: once(input.devices),
    segmentIds: once(input.segmentIds),
    compareSegments: once(input.compareSegments),
    goalIds,
    zoneIds,
  };
  const isSplit = timeUnitOf(breakdown) !== undefined || isByDevice(query) || isBySegment(query);
  if (totals && !isSplit) refuse(`totals: there are no rows to add up; ${SPLITS}.`);
  if (shares && !isSplit) refuse(`shares: there is nothing to be a share of; ${SPLITS}.`);
  if (shares && !query.metrics.some(isAddable)) refuse(`shares: none of ${query.metrics.join(', ')} is a count or an amount.`);
  return query;
}

const SPLITS = 'break down by device, segment, day, week, month or weekday';

/** Whether values of a metric add up, so that one can be a share of another. */
export function isAddable(metric: string): boolean {
  return definitionOf(metric)?.combination.by === 'sum';
}

type Split = Pick<MetricQuery, 'breakdown' | 'devices' | 'compareSegments'>;

/** Whether rows are of devices. */
export function isByDevice({ breakdown, devices }: Split): boolean {
  return devices.length > 1 || breakdown.includes('device');
}

/** Whether rows are of segments. */
export function isBySegment({ breakdown, compareSegments }: Split): boolean {
  return compareSegments.length > 0 || breakdown.includes('segment');
}

/** The metrics of a query, `all` replaced by the eight of the site or of a zone; throws where they do not go together. */
export function chosenMetrics(metrics: readonly string[], { zones, goals }: { zones: boolean; goals: boolean }): string[] {
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
  if (units.length > 1) refuse(`breakdown: only one of day, week, month and weekday, not ${units.join(' and ')}.`);
  return units[0];
}

/** Devices of a query: those that are named, else the sum and each where it is broken down by device; the sum too where it is a total. */
function devicesOf(query: MetricQuery): readonly Device[] {
  const { devices, breakdown, totals, shares } = query;
  if (devices.length === 0) return breakdown.includes('device') ? ['all', 'desktop', 'mobile', 'tablet'] : ['all'];
  const needsAll = (totals || shares) && isByDevice(query) && !devices.includes('all');
  return needsAll ? ['all', ...devices] : devices;
}

/** The segments of a query side by side, with all visitors where they are a total; undefined where there are none. */
export function choicesOf({ compareSegments, totals, shares }: MetricQuery): readonly SegmentChoice[] | undefined {
  if (compareSegments.length === 0) return undefined;
  const isThere = compareSegments.includes(ALL_VISITORS);
  return (totals || shares) && !isThere ? [...compareSegments, ALL_VISITORS] : compareSegments;
}

/** The first to the last whole day of an interval; throws where it holds none. */
function wholeDays(interval: Interval, timeZone: string): Interval {
  const days = slotsOf('day', interval, timeZone).filter(({ isPart }) => !isPart);
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) refuse('breakdown: weekday needs whole days, and the range holds none.');
  return { startMs: first.startMs, endMs: last.endMs };
}

/** A grid with the labels of its ranges. */
export type QueryGrid = MetricGrid & { readonly ranges: readonly (Interval & Partial<CalendarSlot>)[] };

/**
 * A grid to ask for. Weeks and months are ranges of their own, because the platform then gives exact rates for each; weekdays are made of
 * days. With all devices it asks for visits too, and for what the metrics are made of.
 */
export function gridOf(query: MetricQuery, timeZone: string): QueryGrid {
  const { metrics, interval, breakdown, segmentIds, goalIds, zoneIds } = query;
  const unit = timeUnitOf(breakdown);
  const choices = choicesOf(query);
  const devices = devicesOf(query);
  const ranged = unit === 'week' || unit === 'month' ? slotsOf(unit, interval, timeZone) : [interval];
  const hasRest = devices.length === DEVICES;
  const weight = hasRest && zoneIds.length === 0 ? ['visits'] : [];
  return {
    metrics: hasRest || unit === 'weekday' ? [...new Set([...metrics, ...ingredientsOf(metrics), ...weight])] : metrics,
    ranges: unit === 'weekday' ? [wholeDays(interval, timeZone)] : ranged,
    daily: unit === 'day' || unit === 'weekday',
    devices,
    segmentSets: choices ? segmentSetsOf(segmentIds, choices) : [segmentIds],
    goalIds: goalIds.length > 0 ? goalIds : [undefined],
    zoneIds: zoneIds.length > 0 ? zoneIds : [undefined],
  };
}

/** All devices together, desktop, mobile and tablet. */
const DEVICES = 4;
