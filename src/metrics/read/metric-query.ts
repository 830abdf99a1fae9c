import { refuse } from '../../api/errors.ts';
import { instantOf } from '../../api/params.ts';
import { type CalendarSlot, hoursOf, type Interval, slotsOf } from '../../lib/calendar.ts';
import { hint } from '../../lib/hint.ts';
import { ALL_VISITORS, EACH, type SegmentChoice, segmentSetsOf } from '../../names/match-name.ts';
import { definitionOf, foldMetric, isCount, metricAliases, siteMetricNames, zoneMetricNames, zoneMetricOf } from '../metric-definitions.ts';
import { ingredientsOf } from './combine.ts';
import { type Device, hasAllDevices, isZoneMetric, type MetricGrid, PARTS } from './metric-grid.ts';

const timeUnits = ['hour', 'day', 'week', 'month', 'quarter', 'weekday', 'weekend'] as const;
type TimeUnit = (typeof timeUnits)[number];

/** By what a table has rows; at most one unit of time. */
export const breakdowns = ['device', 'segment', 'goal', ...timeUnits] as const;
/** A dimension of a table's rows. */
export type Breakdown = (typeof breakdowns)[number];

/** Dimensions that metrics lack and exports of sessions have, by folded word: the column. */
const EXPORTED: Readonly<Record<string, string>> = {
  country: 'country_code',
  city: 'city',
  language: 'language',
  browser: 'browser_name',
  os: 'platform_name',
  operatingsystem: 'platform_name',
  platform: 'platform_name',
  referrer: 'referer_url',
  referer: 'referer_url',
  source: 'referer_url',
  channel: 'referer_url',
};

/** How a question by a dimension that metrics lack is answered; undefined for words that are no known dimension. */
export function exportedDimension(input: unknown): string | undefined {
  const word =
    typeof input === 'string'
      ? input
          .toLowerCase()
          .replaceAll(/[^a-z]/g, '')
          .replace(/ies$/, 'y')
          .replace(/s$/, '')
      : '';
  const column = EXPORTED[word] ?? EXPORTED[`${word}s`];
  if (column === undefined) return undefined;
  return (
    `the interface has no metrics by ${word}: put segments side by side (compareSegments, breakdown ["segment"]), or count ${column} ` +
    `of an export of sessions${hint('query_export', ' with query_export')}`
  );
}

/** The question behind one table; names are ids by now. */
export interface MetricQuery {
  readonly metrics: readonly string[];
  readonly interval: Interval;
  readonly breakdown: readonly Breakdown[];
  /** Rows of the whole beside those of its parts. */
  readonly totals: boolean;
  /** Columns with the share of counts and amounts in the whole. */
  readonly shares: boolean;
  /** Columns with what was to be expected, and rows of a forecast behind the last complete day. */
  readonly expected: boolean;
  readonly devices: readonly Device[];
  /** Visitors in all of them. */
  readonly segmentIds: readonly number[];
  /** Segments side by side, each within `segmentIds`. */
  readonly compareSegments: readonly SegmentChoice[];
  readonly goalIds: readonly number[];
  readonly zoneIds: readonly number[];
  /** Counts that were not asked for and stand behind rates, as the last of `metrics`. */
  readonly bases: readonly string[];
  /** Rows by a metric in place of time; `limit` keeps the first of them. */
  readonly order?: RowOrder;
  readonly limit?: number;
}

/** A metric that rows are ordered by. */
export interface RowOrder {
  readonly metric: string;
  readonly smallestFirst: boolean;
}

const isTime = (breakdown: Breakdown): breakdown is TimeUnit => timeUnits.some((unit) => unit === breakdown);

type Optional = 'breakdown' | 'totals' | 'shares' | 'expected' | 'devices' | 'segmentIds' | 'compareSegments' | 'goalIds' | 'zoneIds';

/** The arguments of a question; members left out are empty. Dates are ISO date-times by now. */
type QueryInput = { readonly [Name in Exclude<Optional, 'goalIds'>]?: MetricQuery[Name] | undefined } & {
  readonly goalIds?: readonly (number | typeof EACH)[] | undefined;
  readonly metrics: readonly string[];
  readonly startDate: string;
  readonly endDate: string;
  /** A metric, `asc` behind it for the smallest first. */
  readonly orderBy?: string | undefined;
  readonly limit?: number | undefined;
};

/** All goals are what the breakdown is of. */
function goalsOf(goals: readonly (number | typeof EACH)[], breakdown: readonly Breakdown[]): Pick<MetricQuery, 'goalIds' | 'breakdown'> {
  const goalIds = goals.filter((goal) => goal !== EACH);
  return goalIds.length === goals.length
    ? { goalIds, breakdown }
    : { goalIds: [], breakdown: [...new Set([...breakdown, 'goal' as const])] };
}

/** Segments that narrow, and those side by side: several that are named by segment are meant side by side, as few visits are in all. */
export function segmentsAsked(
  { segmentIds = [], compareSegments = [] }: Partial<Pick<QueryInput, 'segmentIds' | 'compareSegments'>>,
  bySegment: boolean,
): Pick<MetricQuery, 'segmentIds' | 'compareSegments'> {
  const [named, beside] = [[...new Set(segmentIds)], [...new Set(compareSegments)]];
  return bySegment && beside.length === 0 && named.length > 1
    ? { segmentIds: [], compareSegments: named }
    : { segmentIds: named, compareSegments: beside };
}

function hasOneRow({ breakdown, compareSegments, devices, goalIds, zoneIds }: MetricQuery): boolean {
  return [...breakdown, ...compareSegments].length === 0 && [devices, goalIds, zoneIds].every(({ length }) => length <= 1);
}

/** Makes a query of what a caller says, each object once; throws where its parts do not go together. */
export function metricQuery({
  metrics,
  startDate,
  endDate,
  breakdown: splits = [],
  totals = false,
  shares = false,
  expected = false,
  ...input
}: QueryInput): MetricQuery {
  const once = <T>(values: readonly T[] = []) => [...new Set(values)];
  const zoneIds = once(input.zoneIds);
  const { goalIds, breakdown } = goalsOf(once(input.goalIds), splits);
  const { orderBy, limit } = input;
  const order = orderBy === undefined ? undefined : orderOf(orderBy, zoneIds.length > 0);
  const named = order && !metrics.includes('all') ? [...metrics, order.metric] : metrics;
  const chosen = chosenMetrics(named, { zones: zoneIds.length > 0, goals: goalIds.length > 0 || breakdown.includes('goal') });
  const bases = basesOf(chosen);
  const query: MetricQuery = {
    metrics: [...chosen, ...bases],
    bases,
    ...(limit !== undefined && { limit, order: { metric: chosen[0] ?? '', smallestFirst: false } }),
    ...(order && { order }),
    interval: { startMs: instantOf(startDate), endMs: instantOf(endDate) },
    breakdown,
    totals,
    shares,
    expected,
    devices: once(input.devices),
    ...segmentsAsked(input, breakdown.includes('segment')),
    goalIds,
    zoneIds,
  };
  // One row is the whole.
  const asked = hasOneRow(query) ? { ...query, totals: false } : query;
  requireRows(asked, chosen);
  requireDays(asked);
  return asked;
}

/** Throws where there is nothing that totals or shares could be of. */
function requireRows({ breakdown, totals, shares, ...query }: MetricQuery, chosen: readonly string[]): void {
  const isSplit = timeUnitOf(breakdown) !== undefined || isByDevice({ breakdown, ...query }) || isBySegment({ breakdown, ...query });
  if (totals && !isSplit) refuse(`totals: there are no rows to add up; ${SPLITS}.`);
  if (shares && !isSplit) refuse(`shares: there is nothing to be a share of; ${SPLITS}.`);
  if (shares && !chosen.some(isCount)) refuse(`shares: none of ${chosen.join(', ')} is a count or an amount.`);
}

/** Throws where nothing is known of what to expect. */
function requireDays({ expected, breakdown }: MetricQuery): void {
  if (!expected) return;
  const unit = timeUnitOf(breakdown);
  if (unit === 'hour' || isOfDays(unit)) refuse(`expected: rows are of days, weeks, months, quarters or the whole range, not by ${unit}.`);
}

const SPLITS = `break down by device, segment, ${timeUnits.slice(0, -1).join(', ')} or ${timeUnits.at(-1)}`;

/** Visits, where rates and averages of them are asked for without: a rate says little while its base is not known. */
function basesOf(metrics: readonly string[]): string[] {
  const ofVisits = metrics.some((metric) => {
    const combination = definitionOf(metric)?.combination;
    return combination?.by === 'ratio'
      ? combination.denominator === 'visits'
      : combination?.by === 'mean' && combination.weight === 'visits';
  });
  return ofVisits && !metrics.includes('visits') ? ['visits'] : [];
}

const DIRECTION = /^-|\s+(?:asc|ascending|desc|descending)$/i;

/** The metric that a caller orders rows by, by its name or an everyday one; throws for anything else. */
function orderOf(text: string, zones: boolean): RowOrder {
  const folded = foldMetric(text.replace(DIRECTION, ''));
  const names: readonly string[] = [...siteMetricNames, ...zoneMetricNames, 'avgConversionAfterTap'];
  const metric =
    names.find((name) => foldMetric(name) === folded) ?? (Object.hasOwn(metricAliases, folded) ? metricAliases[folded] : undefined);
  if (metric === undefined) refuse(`orderBy: "${text}" is not one of ${names.join(', ')}; "visits asc" puts the smallest first.`);
  return { metric: zones ? zoneMetricOf(metric) : metric, smallestFirst: /\sasc(?:ending)?$/i.test(text) };
}

/** The metrics that were asked for, without the counts that stand behind them. */
export const askedOf = ({ metrics, bases }: Pick<MetricQuery, 'metrics' | 'bases'>): string[] =>
  metrics.filter((metric) => !bases.includes(metric));

type Split = Pick<MetricQuery, 'breakdown' | 'devices' | 'compareSegments'>;

/** Whether rows are of devices. */
export function isByDevice({ breakdown, devices }: Split): boolean {
  return devices.length > 1 || breakdown.includes('device');
}

/** Whether rows are of segments. */
export function isBySegment({ breakdown, compareSegments }: Split): boolean {
  return compareSegments.length > 0 || breakdown.includes('segment');
}

/** The metrics of a comparison that names none: an outcome and what it is made of. */
export const DEFAULT_METRICS: readonly string[] = ['conversionRate', 'visits', 'revenueSum'];

/** Which zones have metrics. */
const OF_APPS = ', of a screen of an app: zones of web pages have no metrics here';

/** The metrics of a query, `all` replaced by those of the site or of a zone; throws where they do not go together. */
export function chosenMetrics(metrics: readonly string[], { zones, goals }: { zones: boolean; goals: boolean }): string[] {
  // The usual ones first: the first that stands out is explained, and the first few are told.
  const all = zones ? [...zoneMetricNames, ...(goals ? ['avgConversionAfterTap'] : [])] : [...DEFAULT_METRICS, ...siteMetricNames];
  const chosen = [...new Set(metrics.flatMap((each) => (each === 'all' ? all : [zones ? zoneMetricOf(each) : each])))];
  const wrong = chosen.filter((metric) => isZoneMetric(metric) !== zones);
  if (wrong.length > 0 && zones) refuse(`metrics: no metric of a zone: ${wrong.join(', ')}; leave out zoneIds for metrics of the site.`);
  if (wrong.length > 0)
    refuse(`zoneIds: a zone is needed for ${wrong.join(', ')}${OF_APPS}${hint('find_objects', '; find_objects finds its id')}.`);
  if (goals && !chosen.some((metric) => definitionOf(metric)?.perGoal)) {
    refuse(`goalIds: none of ${chosen.join(', ')} depends on a goal; conversionCount, conversionRate and avgConversionAfterTap do.`);
  }
  return chosen;
}

/** The unit of time that a query is broken down by; throws where it names several. */
export function timeUnitOf(breakdown: readonly Breakdown[]): TimeUnit | undefined {
  const units = breakdown.filter(isTime);
  if (units.length > 1) {
    refuse(`breakdown: only one of ${timeUnits.slice(0, -1).join(', ')} and ${timeUnits.at(-1)}, not ${units.join(' and ')}.`);
  }
  return units[0];
}

const LONG: ReadonlySet<string> = new Set<TimeUnit>(['week', 'month', 'quarter']);

/** Whether each row is of several days in a row. */
export const isOfLongRows = (breakdown: MetricQuery['breakdown']): boolean => breakdown.some((part) => LONG.has(part));

/** Whether rows are made of the days that have something in common. */
export function isOfDays(unit: TimeUnit | undefined): unit is 'weekday' | 'weekend' {
  return unit === 'weekday' || unit === 'weekend';
}

/** Devices of a query: those that are named, else the sum and each where it is broken down by device; the sum too where it is a total. */
function devicesOf(query: MetricQuery): readonly Device[] {
  const { devices, breakdown, totals, shares } = query;
  if (devices.length === 0) return breakdown.includes('device') ? ['all', ...PARTS] : ['all'];
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
function wholeDays(interval: Interval, unit: TimeUnit, timeZone: string): Interval {
  const days = slotsOf('day', interval, timeZone).filter(({ isPart }) => !isPart);
  const [first, last] = [days[0], days.at(-1)];
  if (!first || !last) refuse(`breakdown: ${unit} needs whole days, and the range holds none.`);
  return { startMs: first.startMs, endMs: last.endMs };
}

/** A grid with the labels of its ranges. */
export type QueryGrid = MetricGrid & { readonly ranges: readonly (Interval & Partial<CalendarSlot>)[] };

/** The ranges that rows are of: hours, weeks, months and quarters; the whole range where rows are its days, or made of them. */
function rangesOf({ interval }: MetricQuery, unit: TimeUnit | undefined, timeZone: string): readonly (Interval & Partial<CalendarSlot>)[] {
  if (isOfDays(unit)) return [wholeDays(interval, unit, timeZone)];
  if (unit === undefined || unit === 'day') return [interval];
  return unit === 'hour' ? hoursOf(interval, timeZone) : slotsOf(unit, interval, timeZone);
}

/**
 * A grid to ask for. Hours, weeks, months and quarters are ranges of their own, because the platform then gives exact rates for each;
 * weekdays are made of days. With all devices it asks for visits too, and for what the metrics are made of.
 */
export function gridOf(query: MetricQuery, timeZone: string): QueryGrid {
  const { metrics, breakdown, segmentIds, goalIds, zoneIds } = query;
  const unit = timeUnitOf(breakdown);
  const choices = choicesOf(query);
  const devices = devicesOf(query);
  const hasRest = hasAllDevices({ devices });
  const weight = hasRest && zoneIds.length === 0 ? ['visits'] : [];
  return {
    metrics: hasRest || isOfDays(unit) ? [...new Set([...metrics, ...ingredientsOf(metrics), ...weight])] : metrics,
    ranges: rangesOf(query, unit, timeZone),
    daily: unit === 'day' || isOfDays(unit),
    devices,
    segmentSets: choices ? segmentSetsOf(segmentIds, choices) : [segmentIds],
    goalIds: goalIds.length > 0 ? goalIds : [undefined],
    zoneIds: zoneIds.length > 0 ? zoneIds : [undefined],
  };
}
