import { ALL_VISITORS } from '../../names/match-name.ts';
import { definitionOf, unitOf } from '../metric-definitions.ts';
import type { MetricRow } from './metric-answers.ts';
import { type MetricGrid, OTHER_DEVICE, type Selection } from './metric-grid.ts';
import { choicesOf, isAddable, type MetricQuery, timeUnitOf } from './metric-query.ts';
import type { QueryLine } from './query-lines.ts';

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
function dimensionsOf(query: MetricQuery, grid: MetricGrid, rows: readonly QueryLine[], naming: Naming): Dimension[] {
  const { breakdown, segmentIds } = query;
  const several = (values: readonly unknown[] | undefined) => (values?.length ?? 0) > 1;
  const named = (ids: readonly number[]) => ids.map(naming.segment).join(' ∩ ');
  const choices = choicesOf(query);
  const sideOf = (ids: readonly number[]) => {
    const choice = choices?.[grid.segmentSets?.indexOf(ids) ?? -1];
    return choice === undefined || choice === ALL_VISITORS ? ALL_VISITORS : naming.segment(choice);
  };
  const perGoal = grid.metrics.filter((metric) => definitionOf(metric)?.perGoal);
  const hasDefault = rows.some(({ values }) => perGoal.some((metric) => values[metric] !== null));
  const defaultGoal = hasDefault ? 'e-commerce goal' : undefined;
  return [
    { name: 'zone', of: ({ zoneId }) => (zoneId === undefined ? undefined : naming.zone(zoneId)), isColumn: several(grid.zoneIds) },
    { name: 'device', of: ({ device }) => device, isColumn: several(grid.devices) || breakdown.includes('device') },
    { name: 'within', of: () => (choices && segmentIds.length > 0 ? named(segmentIds) : undefined), isColumn: false },
    {
      name: 'segment',
      of: ({ segmentIds: ids }) => (choices ? sideOf(ids) : ids.length === 0 ? undefined : named(ids)),
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
  naming: Naming,
): QueryTable {
  const { metrics } = query;
  const unit = timeUnitOf(query.breakdown);
  const dimensions = dimensionsOf(query, grid, lines, naming);
  const shown = dimensions.filter(({ isColumn }) => isColumn);
  const [first] = lines;
  const common = dimensions.flatMap(({ name, of, isColumn }) => {
    const value = first && !isColumn ? of(first.selection) : undefined;
    return value === undefined ? [] : [[name, value]];
  });
  const cellOf = ({ name, of }: Dimension, { selection, isOther }: QueryLine) =>
    name === 'device' && isOther ? OTHER_DEVICE : (of(selection) ?? null);
  const hasMoney = metrics.some((metric) => definitionOf(metric)?.unit === 'currency');
  const shared = query.shares ? metrics.filter(isAddable) : [];
  const units = [
    ...metrics.map((metric) => [metric, unitOf(metric, currency) ?? 'unit not documented']),
    ...shared.map((metric) => [`${metric}Share`, '%']),
    ...(unit === 'weekday' ? [[DAYS_COLUMN, 'whole days']] : []),
  ];
  return {
    columns: [...(unit === undefined ? [] : [unit]), ...shown.map(({ name }) => name), ...units.map(([name = '']) => name)],
    rows: lines.map((line) => [
      ...(unit === undefined ? [] : [timeCell(line)]),
      ...shown.map((dimension) => cellOf(dimension, line)),
      ...metrics.map((metric) => line.values[metric] ?? null),
      ...shared.map((metric) => line.shares?.[metric] ?? null),
      ...(unit === 'weekday' ? [line.days ?? null] : []),
    ]),
    units: Object.fromEntries(units),
    ...(currency !== undefined && hasMoney && { currency }),
    ...(common.length > 0 && { filters: Object.fromEntries(common) }),
  };
}
