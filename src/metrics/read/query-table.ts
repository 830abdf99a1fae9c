import type { Facts, Finding } from '../../findings/finding.ts';
import type { Interval } from '../../lib/calendar.ts';
import { grouped } from '../../lib/grouped.ts';
import { ALL_VISITORS } from '../../names/match-name.ts';
import { definitionOf, isCount, unitOf } from '../metric-definitions.ts';
import type { SiteChange } from '../site-changes.ts';
import { combined, lackOf, type MetricValues, remainderOf } from './combine.ts';
import type { MetricAnswers, MetricRow } from './metric-answers.ts';
import { hasAllDevices, type MetricGrid, OTHER_DEVICE, PARTS, type Selection } from './metric-grid.ts';
import { askedOf, choicesOf, isByDevice, isBySegment, isOfDays, type MetricQuery, timeUnitOf } from './metric-query.ts';

/** Name of the goal that conversions are counted of where none is named. */
export const COMMERCE_GOAL = 'e-commerce goal';

/** Stands in the column of time for the whole range. */
export const TOTAL = 'total';

/** The expected value; null where the days before are too few. */
export interface ExpectedCell {
  readonly expected: number | null;
  /** Bounds at 95 %. */
  readonly low: number | null;
  readonly high: number | null;
  /** The special days of the row whose doubt makes most of its bounds, because no earlier year of them is known. */
  readonly unseen?: readonly string[];
  /** A thing that alone could make it high. */
  readonly alone?: Facts['causes'];
  /** Changes of its visits on its days whose level is not usual yet. */
  readonly news?: readonly SiteChange[];
  /** The first day of a lasting change before it, whose level is taken as usual. */
  readonly since?: string | undefined;
  /** Null of a metric that has no value on any day, as one that the project does not have. */
  readonly verdict: null | 'normal' | 'high' | 'low' | 'forecast' | 'not enough data';
}

/** Columns of what was to be expected, by their metric: named after it where there are several. */
function expectedColumns(query: MetricQuery) {
  if (!query.expected) return [];
  const asked = askedOf(query);
  return asked.flatMap((metric) =>
    (['expected', 'low', 'high', 'verdict'] as const).map((part) => {
      const name = asked.length === 1 ? part : `${metric}${part[0]?.toUpperCase()}${part.slice(1)}`;
      return { metric, part, name };
    }),
  );
}

/** A row of the table before it is put into words. */
export interface QueryLine extends MetricRow {
  /** Place in time: the total comes last. */
  readonly order: number;
  /** Whole days that it is made of, where these are not in its label. */
  readonly days?: number;
  /** Made by subtraction: what is on no device that can be asked for. */
  readonly isOther?: true;
  /** Share of the whole in percent, by metric; null where it has no value. */
  readonly shares?: MetricValues;
  /** By metric, where that was asked. */
  readonly expected?: Readonly<Record<string, ExpectedCell>> | undefined;
}

/** The lines of an answered query, and why some have no value. */
export interface QueryLines {
  readonly lines: readonly QueryLine[];
  /** Metrics that cannot be made of the days of a weekday, each with the counts that are missing. */
  readonly refused: Readonly<Record<string, string>>;
  /** How many lines there were before a limit kept the first. */
  readonly of: number;
}

/** Weekdays from Monday on. */
export const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

const WEEKEND = ['Monday to Friday', 'weekend'];

/** 0 for a Monday … 6 for a Sunday. */
export const weekdayOf = (day: string): number => (new Date(day).getUTCDay() + 6) % 7;

/** The days of each selection as weekdays, Monday first, or as those of the week and the weekend. */
function linesOfDays(rows: readonly MetricRow[], metrics: readonly string[], unit: 'weekday' | 'weekend'): QueryLine[] {
  const names = unit === 'weekday' ? WEEKDAYS : WEEKEND;
  const placeOf = (day: string) => (unit === 'weekday' ? weekdayOf(day) : Number(weekdayOf(day) > 4));
  return [...grouped(rows, ({ selection }) => selection)].flatMap(([selection, days]) =>
    [...grouped(days, ({ interval }) => placeOf(interval.label ?? ''))].map(([order, same]): QueryLine => {
      const parts = same.map(({ values }) => values);
      const [first, last] = [same[0]?.interval.startMs ?? 0, same.at(-1)?.interval.endMs ?? 0];
      return {
        selection,
        range: 0,
        interval: { startMs: first, endMs: last, label: names[order] ?? '', isPart: false },
        values: Object.fromEntries(metrics.map((metric) => [metric, combined(parts, metric)])),
        order,
        days: same.length,
      };
    }),
  );
}

/** Lines of the same time and objects, by what else they are of. */
function keyOf({ segmentSets = [] }: MetricGrid, withSegments: boolean): (line: QueryLine) => string {
  return ({ order, selection: { segmentIds, goalId, zoneId } }) =>
    [order, zoneId, goalId, ...(withSegments ? [segmentSets.indexOf(segmentIds)] : [])].join(' ');
}

/** The visits on no device that can be asked for, behind the last of each group of devices; nothing where devices add up. */
function withOthers(lines: readonly QueryLine[], grid: MetricGrid): QueryLine[] {
  if (!hasAllDevices(grid)) return [...lines];
  return [...grouped(lines, keyOf(grid, true)).values()].flatMap((group) => {
    const whole = group.find(({ selection }) => selection.device === 'all');
    const parts = group.filter((line) => line !== whole).map(({ values }) => values);
    if (!whole || parts.length < PARTS.length) return group;
    const values = Object.fromEntries(grid.metrics.map((metric) => [metric, remainderOf(metric, whole.values, parts)]));
    const isEmpty = grid.metrics.filter(isCount).every((metric) => !values[metric]);
    return isEmpty ? group : [...group, { ...whole, values, isOther: true as const }];
  });
}

/** The values that lines are shares of: of all devices and visitors at the same time, else of the sum over time. */
function wholesOf(query: MetricQuery, grid: MetricGrid, lines: readonly QueryLine[], metrics: readonly string[]) {
  const byDevice = isByDevice(query);
  const bySegment = isBySegment(query);
  const everyone = grid.segmentSets?.[choicesOf(query)?.indexOf(ALL_VISITORS) ?? -1];
  const isWhole = ({ selection, isOther }: QueryLine) =>
    !isOther && (!byDevice || selection.device === 'all') && (!bySegment || selection.segmentIds === everyone);
  if (byDevice || bySegment) {
    const key = keyOf(grid, false);
    const wholes = new Map(lines.filter(isWhole).map((line) => [key(line), line.values]));
    return (line: QueryLine): MetricValues => wholes.get(key(line)) ?? {};
  }
  const timed = lines.filter(({ order }) => order < Number.POSITIVE_INFINITY);
  const sums = new Map(
    [...grouped(timed, ({ selection }) => selectionKey(selection))].map(([key, group]) => {
      const parts = group.map(({ values }) => values);
      return [key, Object.fromEntries(metrics.map((metric) => [metric, combined(parts, metric)]))];
    }),
  );
  return ({ selection }: QueryLine): MetricValues => sums.get(selectionKey(selection)) ?? {};
}

const selectionKey = ({ goalId, zoneId }: Selection) => `${goalId} ${zoneId}`;

/** The metrics that have a share: those that were asked for and add up. */
const sharedOf = (query: MetricQuery): string[] => askedOf(query).filter(isCount);

function withShares(query: MetricQuery, grid: MetricGrid, lines: readonly QueryLine[]): readonly QueryLine[] {
  const metrics = sharedOf(query);
  const wholeOf = wholesOf(query, grid, lines, metrics);
  return lines.map((line) => {
    const whole = wholeOf(line);
    const shareOf = (metric: string) => {
      const [part, all] = [line.values[metric], whole[metric]];
      return typeof part === 'number' && all ? Math.round((1e6 * part) / all) / 1e4 : null;
    };
    return { ...line, shares: Object.fromEntries(metrics.map((metric) => [metric, shareOf(metric)])) };
  });
}

/** Whether a line was asked for, or is read only to be a whole. */
function isWanted({ totals, devices, compareSegments }: MetricQuery, { segmentSets = [] }: MetricGrid) {
  return ({ selection, isOther }: QueryLine): boolean => {
    if (totals) return true;
    const isDevice = isOther || devices.length === 0 || devices.includes(selection.device);
    return isDevice && (compareSegments.length === 0 || segmentSets.indexOf(selection.segmentIds) < compareSegments.length);
  };
}

/** Whether a line is of the whole range beside rows of time. */
export const isTotal = ({ order }: QueryLine) => order === Number.POSITIVE_INFINITY;

/** Lines by the metric that they are ordered by, those without a value and totals last, and as many as were asked for. */
export function inOrder({ order, limit }: MetricQuery, lines: readonly QueryLine[]): QueryLine[] {
  if (!order) return [...lines];
  const sign = order.smallestFirst ? 1 : -1;
  const valueOf = ({ values }: QueryLine) => (values[order.metric] ?? Number.POSITIVE_INFINITY * sign) * sign;
  const sorted = lines.filter((line) => !isTotal(line)).toSorted((a, b) => Math.sign(valueOf(a) - valueOf(b)) || a.order - b.order);
  return [...sorted.slice(0, limit), ...lines.filter(isTotal)];
}

/** Turns what the platform answered into the lines of the table, the earliest time first and the total last. */
export function linesOf(query: MetricQuery, grid: MetricGrid, { rows }: MetricAnswers, totals: readonly MetricRow[]): QueryLines {
  const unit = timeUnitOf(query.breakdown);
  const timed: QueryLine[] = isOfDays(unit)
    ? linesOfDays(rows, grid.metrics, unit)
    : rows.map((row) => ({ ...row, order: unit === undefined ? 0 : row.interval.startMs }));
  const whole = totals.map(
    (row): QueryLine => ({ ...row, interval: { ...row.interval, label: TOTAL, isPart: false }, order: Number.POSITIVE_INFINITY }),
  );
  const all = withOthers(
    [...timed, ...whole].toSorted((a, b) => (a.order === b.order ? 0 : a.order - b.order)),
    grid,
  );
  const lines = query.shares ? withShares(query, grid, all) : all;
  const lacking = isOfDays(unit) && timed.some(({ days = 0 }) => days > 1) ? query.metrics : [];
  const wanted = lines.filter(isWanted(query, grid));
  return {
    // Each of all rows is expected from the days before it, so with expectations the first are chosen afterwards.
    lines: query.expected ? wanted : inOrder(query, wanted),
    of: wanted.filter((line) => !isTotal(line)).length,
    refused: Object.fromEntries(lacking.map((metric) => [metric, lackOf(metric)]).filter(([, lacks]) => lacks)),
  };
}

type QueryCell = string | number | null;

/** One table with the units of its metrics; null where there is no value. */
export interface QueryTable {
  /** Says first what was to be expected, where that was asked. */
  answer?: string;
  columns: string[];
  rows: QueryCell[][];
  units: Record<string, string>;
  currency?: string;
  /** The filters that all rows share. */
  filters?: Record<string, string>;
}

/** Gives what a person calls an object. */
type Naming = (kind: 'segment' | 'goal' | 'zone', id: number) => string;

interface Dimension {
  readonly name: string;
  readonly of: (selection: Selection) => string | undefined;
  /** A column of its own instead of a filter of all rows. */
  readonly isColumn: boolean;
}

/** Dimensions in the order of their columns. */
function dimensionsOf(query: MetricQuery, grid: MetricGrid, rows: readonly QueryLine[], nameOf: Naming): Dimension[] {
  const { breakdown, segmentIds } = query;
  const several = (values: readonly unknown[] | undefined) => (values?.length ?? 0) > 1;
  const named = (ids: readonly number[]) => ids.map((id) => nameOf('segment', id)).join(' and ');
  const choices = choicesOf(query);
  const sideOf = (ids: readonly number[]) => {
    const choice = choices?.[grid.segmentSets?.indexOf(ids) ?? -1];
    return choice === undefined || choice === ALL_VISITORS ? ALL_VISITORS : nameOf('segment', choice);
  };
  const perGoal = grid.metrics.filter((metric) => definitionOf(metric)?.perGoal);
  const hasDefault = rows.some(({ values }) => perGoal.some((metric) => values[metric] !== null));
  const defaultGoal = hasDefault ? COMMERCE_GOAL : undefined;
  const namedOrNone = (ids: readonly number[]) => (ids.length === 0 ? undefined : named(ids));
  return [
    { name: 'zone', of: ({ zoneId }) => (zoneId === undefined ? undefined : nameOf('zone', zoneId)), isColumn: several(grid.zoneIds) },
    // Zones of many screens bear the same name.
    { name: 'zoneId', of: ({ zoneId }) => zoneId?.toString(), isColumn: several(grid.zoneIds) },
    { name: 'device', of: ({ device }) => device, isColumn: several(grid.devices) || breakdown.includes('device') },
    { name: 'within', of: () => (choices && segmentIds.length > 0 ? named(segmentIds) : undefined), isColumn: false },
    {
      name: 'segment',
      of: ({ segmentIds: ids }) => (choices ? sideOf(ids) : namedOrNone(ids)),
      isColumn: several(grid.segmentSets) || breakdown.includes('segment'),
    },
    {
      name: 'goal',
      of: ({ goalId }) => (goalId === undefined ? defaultGoal : nameOf('goal', goalId)),
      isColumn: several(grid.goalIds) || breakdown.includes('goal'),
    },
  ];
}

/** Stands behind a day, week or month of which the range holds only a part. */
export const PART_MARK = ' (part)';
/** The column with the whole days that a weekday is made of. */
export const DAYS_COLUMN = 'days';

function timeCell({ interval: { label, isPart } }: MetricRow): string {
  return isPart ? `${label}${PART_MARK}` : String(label);
}

/** Joins the lines of an answered query into one table. */
export function queryTable(
  query: MetricQuery,
  grid: MetricGrid,
  { lines, currency }: { readonly lines: readonly QueryLine[]; readonly currency: string | undefined },
  nameOf: Naming,
): QueryTable {
  const { metrics } = query;
  const unit = timeUnitOf(query.breakdown);
  const dimensions = dimensionsOf(query, grid, lines, nameOf);
  const shown = dimensions.filter(({ isColumn }) => isColumn);
  const [first] = lines;
  const common = dimensions.flatMap(({ name, of, isColumn }) => {
    const value = first && !isColumn ? of(first.selection) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  const cellOf = ({ name, of }: Dimension, { selection, isOther }: QueryLine) =>
    name === 'device' && isOther ? OTHER_DEVICE : (of(selection) ?? null);
  const hasMoney = metrics.some((metric) => definitionOf(metric)?.unit === 'currency');
  const shared = query.shares ? sharedOf(query) : [];
  const forecast = expectedColumns(query);
  const units = [
    ...metrics.map((metric) => [metric, unitOf(metric, currency) ?? 'unit not documented']),
    ...shared.map((metric) => [`${metric}Share`, '%']),
    ...(isOfDays(unit) ? [[DAYS_COLUMN, 'whole days']] : []),
  ];
  return {
    columns: [
      ...(unit === undefined ? [] : [unit]),
      ...shown.map(({ name }) => name),
      ...units.map(([name = '']) => name),
      ...forecast.map(({ name }) => name),
    ],
    rows: lines.map((line) => [
      ...(unit === undefined ? [] : [timeCell(line)]),
      ...shown.map((dimension) => cellOf(dimension, line)),
      ...metrics.map((metric) => line.values[metric] ?? null),
      ...shared.map((metric) => line.shares?.[metric] ?? null),
      ...(isOfDays(unit) ? [line.days ?? null] : []),
      ...forecast.map(({ metric, part }) => line.expected?.[metric]?.[part] ?? null),
    ]),
    units: Object.fromEntries(units),
    ...(currency !== undefined && hasMoney && { currency }),
    ...(common.length > 0 && { filters: Object.fromEntries(common) }),
  };
}

/** Time zone of a table, and the range that it is of where that is known. */
export interface TableRange {
  readonly timeZone: string;
  readonly interval?: Interval;
  /** Columns of metrics that stand only beside others. */
  readonly undrawn?: readonly string[];
  /** Rows are in the order of a metric: a line through them would say nothing. */
  readonly isOrdered?: boolean;
  /** Findings of the table, the most important first. */
  readonly findings?: readonly Finding[];
  /** Of each metric the words that answer a question about it alone. */
  readonly answers?: Readonly<Record<string, string>>;
  /** The row that the findings hold the others against. */
  readonly reference?: string;
  /** Bars that the title is about, where no finding says it, and what else is to be said of the picture. */
  readonly accent?: readonly string[];
  readonly words?: readonly string[];
}

/** A table that is drawn. */
export interface TableDrawn extends TableRange {
  readonly table: QueryTable;
}
