import { definitionOf, unitOf } from '../metric-definitions.ts';
import type { MetricAnswers, MetricRow } from './metric-answers.ts';
import type { MetricGrid, Selection } from './metric-grid.ts';
import { type MetricQuery, timeUnitOf } from './metric-query.ts';

type Cell = string | number | null;

/** One table with the units of its metrics; null where there is no value. */
export interface QueryTable {
  columns: string[];
  rows: Cell[][];
  units: Record<string, string>;
  currency?: string;
  /** What all rows have in common. */
  filters?: Record<string, string>;
}

/** Gives what a person calls an object. */
export interface Naming {
  readonly segment: (id: number) => string;
  readonly goal: (id: number) => string;
  readonly zone: (id: number) => string;
}

interface Dimension {
  readonly name: string;
  readonly of: (selection: Selection) => string | undefined;
  /** A column of its own instead of a filter of all rows. */
  readonly isColumn: boolean;
}

/** Dimensions in the order of their columns. */
function dimensionsOf(
  { breakdown, segmentIds, compareSegments }: MetricQuery,
  grid: MetricGrid,
  rows: readonly MetricRow[],
  naming: Naming,
): Dimension[] {
  const several = (values: readonly unknown[] | undefined) => (values?.length ?? 0) > 1;
  const named = (ids: readonly number[]) => ids.map(naming.segment).join(' ∩ ');
  const compares = compareSegments.length > 0;
  const perGoal = grid.metrics.filter((metric) => definitionOf(metric)?.perGoal);
  const hasDefault = rows.some(({ values }) => perGoal.some((metric) => values[metric] !== null));
  const defaultGoal = hasDefault ? 'e-commerce goal' : undefined;
  return [
    { name: 'zone', of: ({ zoneId }) => (zoneId === undefined ? undefined : naming.zone(zoneId)), isColumn: several(grid.zoneIds) },
    { name: 'device', of: ({ device }) => device, isColumn: several(grid.devices) || breakdown.includes('device') },
    { name: 'within', of: () => (compares && segmentIds.length > 0 ? named(segmentIds) : undefined), isColumn: false },
    {
      name: 'segment',
      of: ({ segmentIds: ids }) => (ids.length === 0 ? undefined : named(compares ? ids.slice(-1) : ids)),
      isColumn: several(grid.segmentSets) || breakdown.includes('segment'),
    },
    {
      name: 'goal',
      of: ({ goalId }) => (goalId === undefined ? defaultGoal : naming.goal(goalId)),
      isColumn: several(grid.goalIds) || breakdown.includes('goal'),
    },
  ];
}

/** Stands behind a day, week or month of which the range holds only a part. */
export const PART_MARK = ' (part)';

function timeCell({ interval: { label, isPart } }: MetricRow): string {
  return isPart ? `${label}${PART_MARK}` : String(label);
}

/** Joins the rows of an answered query into one table, the earliest time first. */
export function queryTable(query: MetricQuery, grid: MetricGrid, { rows, currency }: MetricAnswers, naming: Naming): QueryTable {
  const unit = timeUnitOf(query.breakdown);
  const dimensions = dimensionsOf(query, grid, rows, naming);
  const shown = dimensions.filter(({ isColumn }) => isColumn);
  const [first] = rows;
  const common = dimensions.flatMap(({ name, of, isColumn }) => {
    const value = first && !isColumn ? of(first.selection) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  const hasMoney = query.metrics.some((metric) => definitionOf(metric)?.unit === 'currency');
  const inOrder = unit === undefined ? rows : rows.toSorted((a, b) => a.interval.startMs - b.interval.startMs);
  return {
    columns: [...(unit === undefined ? [] : [unit]), ...shown.map(({ name }) => name), ...query.metrics],
    rows: inOrder.map((row) => [
      ...(unit === undefined ? [] : [timeCell(row)]),
      ...shown.map(({ of }) => of(row.selection) ?? null),
      ...query.metrics.map((metric) => row.values[metric] ?? null),
    ]),
    units: Object.fromEntries(query.metrics.map((metric) => [metric, unitOf(metric, currency) ?? 'unit not documented'])),
    ...(currency !== undefined && hasMoney && { currency }),
    ...(common.length > 0 && { filters: Object.fromEntries(common) }),
  };
}
