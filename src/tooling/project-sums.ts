import { definitionOf } from '../domain/metrics/metric-definitions.ts';
import { combined, ingredientsOf, type MetricValues } from '../domain/metrics/read/combine.ts';
import { isAddable } from '../domain/metrics/read/metric-query.ts';
import { TOTAL } from '../domain/metrics/read/query-table.ts';
import { isRecord } from '../lib/is-record.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import type { Cell } from '../lib/text-table.ts';

/** Asks for projects side by side. */
export const BY_PROJECT = 'project';

/** A table whose rows are projects, the name of the project first. */
interface ProjectTable {
  readonly columns: readonly string[];
  readonly rows: readonly Cell[][];
  readonly units?: unknown;
}

/** The column with the currency of each project, where they differ. */
export const CURRENCY = 'currency';

/** Whether sums or shares of several projects are asked for. */
interface SumsAsked {
  readonly totals: boolean;
  readonly shares: boolean;
}

/** Dimensions of which several values make several rows of a project. */
const ROWS_OF = ['devices', 'compareSegments', 'goalIds', 'zoneIds'];

/** The sums and shares that are of projects, because each has one row; undefined where they are of something else, or nothing. */
export function sumsAsked(input: Readonly<Record<string, unknown>>): SumsAsked | undefined {
  const { totals, shares, expected, breakdown } = input;
  const isSplit = Array.isArray(breakdown) && breakdown.some((each) => each !== BY_PROJECT);
  const hasSeveral = ROWS_OF.some((name) => Array.isArray(input[name]) && input[name].length > 1);
  if (isSplit || hasSeveral || expected === true || (totals !== true && shares !== true)) return undefined;
  return { totals: totals === true, shares: shares === true };
}

/** A table with the shares of its rows, the row of the whole where it was asked for, and the notes on both. */
interface Summed<Table extends ProjectTable> {
  readonly table: Table;
  readonly whole: readonly Cell[][];
  readonly notes: readonly string[];
}

/** Adds to a table of projects what was asked of their sums. */
export function withProjectSums<Table extends ProjectTable>(table: Table, asked: SumsAsked | undefined): Summed<Table> {
  if (!asked) return { table, whole: [], notes: [] };
  const { columns, rows } = table;
  const metrics = columns.slice(1).filter((column) => column !== CURRENCY);
  const isMixed = columns.includes(CURRENCY);
  const values = rows.map((row): MetricValues => Object.fromEntries(metrics.map((metric, at) => [metric, numberOf(row[at + 1])])));
  const sumOf = (metric: string) => (isMixed && isMoney(metric) ? null : combined(values, metric));
  const sums: MetricValues = Object.fromEntries(metrics.map((metric) => [metric, sumOf(metric)]));
  const shared = asked.shares ? metrics.filter((metric) => isAddable(metric) && sums[metric]) : [];
  const shareOf = (own: MetricValues) => shared.map((metric): Cell => percentOf(own[metric], sums[metric]));
  const whole: Cell[] = [TOTAL, ...metrics.map((metric) => sums[metric] ?? null), ...(isMixed ? [null] : []), ...shareOf(sums)];
  const unknown = asked.totals ? metrics.filter((metric) => sums[metric] === null) : [];
  const shares = shared.map((metric) => `${metric}Share`);
  return {
    table: {
      ...table,
      ...(isRecord(table.units) && { units: { ...table.units, ...Object.fromEntries(shares.map((column) => [column, '%'])) } }),
      columns: [...columns, ...shares],
      rows: rows.map((row, at) => [...row, ...shareOf(values[at] ?? {})]),
    },
    whole: asked.totals ? [whole] : [],
    notes: [
      ...(shared.length > 0 ? [ofAnswer('Shares are percent of these projects together.')] : []),
      ...unknown.map((metric) => ofAnswer(unknownWords(metric, metrics, isMixed))),
    ],
  };
}

const numberOf = (cell: Cell | undefined) => (typeof cell === 'number' ? cell : null);
const isMoney = (metric: string) => definitionOf(metric)?.unit === 'currency';
const percentOf = (own: number | null | undefined, whole: number | null | undefined): number | null =>
  typeof own === 'number' && whole ? Math.round((1e6 * own) / whole) / 1e4 : null;

function unknownWords(metric: string, metrics: readonly string[], isMixed: boolean): string {
  const missing = ingredientsOf([metric]).filter((each) => !metrics.includes(each));
  if (missing.length > 0) return `No total of ${metric}: ask for ${missing.join(' and ')} as well.`;
  return `No total of ${metric}: ${isMixed ? 'the currencies differ' : 'a project has no value'}.`;
}
