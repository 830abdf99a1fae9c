import { union } from '../../lib/intervals.ts';
import { rangeOf } from '../coverage.ts';
import { type Column, folded, itemTypeOf } from '../query/columns.ts';
import { columnsIn, overlappingGroups, type ShownView, sharesOf, viewColumns, viewName } from '../query/data-view.ts';
import type { RunManifest } from '../store/manifest.ts';
import type { LoadRecord } from './ledger.ts';
import { quoted, tableOf, text, warehouseType } from './schema.ts';

/** Loaded runs of one scope as a part of a statement. */
export interface WarehouseView extends ShownView {
  /** The SELECT that the name stands for. */
  readonly select: string;
}

interface ViewPlace {
  readonly database: string;
  readonly project: string;
}

/** A column of the rows below, which no alias of the same name hides. */
function below(name: string): string {
  return `r.${quoted(name)}`;
}

/** The value of a column, whichever of its names in the table holds it. */
function storedSql(column: Column, records: readonly LoadRecord[]): string {
  const found = records.flatMap(({ columns }) => columns.filter(({ name }) => folded(name) === folded(column.name)));
  // Each of its names is of one type.
  const places = [...new Map(found.map(({ at, type }) => [below(at), type]))].map(([name, type]) => ({
    name,
    value: type === column.type ? name : `CAST(${name} AS ${warehouseType(column.type)})`,
  }));
  const [only, ...others] = places;
  if (!only) return `CAST(${itemTypeOf(column.type) ? '[]' : 'NULL'} AS ${warehouseType(column.type)})`;
  if (others.length === 0) return only.value;
  if (!itemTypeOf(column.type)) return `coalesce(${places.map(({ value }) => value).join(', ')})`;
  return places.reduceRight((rest, { name, value }) => `if(notEmpty(${name}), ${value}, ${rest})`, '[]');
}

/** A number of cents or ms in its derived unit, exact. */
function scaled(value: string, { unit, type }: Column): string {
  const [divisor, decimals] = unit === 'money' ? [100, 2] : [1000, 3];
  return (itemTypeOf(type) ?? type) === 'DOUBLE'
    ? `${value} / ${divisor}`
    : `CAST(${value} AS Nullable(Decimal(18, ${decimals}))) / ${divisor}`;
}

function derivedSql(column: Column): string {
  const from = below(column.from ?? column.name);
  return itemTypeOf(column.type) ? `arrayMap(v -> ${scaled('v', column)}, ${from})` : scaled(from, column);
}

const jobsIn = (records: readonly LoadRecord[]) => new Set(records.map(({ run }) => run.jobId));

/** Rows of loads under way count only where they replace what is loaded already. */
function arrivedSql(records: readonly LoadRecord[]): string[] {
  const loading = records.filter(({ state }) => state === 'loading');
  if (loading.length === 0) return [];
  const ids = loading.map(({ run }) => `(${run.jobId}, ${run.runId})`).join(', ');
  const covered = [...jobsIn(loading)].flatMap((jobId) => {
    const own = records.filter(({ state, run }) => state === 'loaded' && run.jobId === jobId).map(({ run }) => run);
    return union(own.map(rangeOf)).map(({ startMs, endMs }) => coveredSql(jobId, startMs, endMs));
  });
  return [[`(_job, _run) NOT IN (${ids})`, ...covered].join(' OR ')];
}

/** Whether a row of a job lies between two instants. */
export function coveredSql(jobId: number, startMs: number, endMs: number): string {
  return `(_job = ${jobId} AND ${betweenSql(startMs, endMs)})`;
}

function betweenSql(startMs: number, endMs: number): string {
  return `_time >= fromUnixTimestamp64Milli(${startMs}) AND _time < fromUnixTimestamp64Milli(${endMs})`;
}

/** One row for each key, every column as the last export that has the column says it. */
function mergedSql(stored: readonly Column[], records: readonly LoadRecord[], rows: string): string {
  const list = stored.map((column) => {
    const having = jobsIn(records.filter(({ columns }) => columns.some(({ name }) => folded(name) === folded(column.name))));
    const value = `tuple(${below(column.name)})`;
    const latest =
      having.size === jobsIn(records).size
        ? `argMax(${value}, _version)`
        : `argMaxIf(${value}, _version, _job IN (${[...having].join(', ')}))`;
    return `tupleElement(${latest}, 1) AS ${quoted(column.name)}`;
  });
  return `SELECT ${list.join(', ')} FROM (${rows}) AS r GROUP BY _key`;
}

/** The shares that each time is answered from: runs that are matched, and the rest only where these hold nothing. */
function sharesOfRecords(records: readonly LoadRecord[]) {
  const loading = new Set(records.flatMap(({ state, run }) => (state === 'loading' ? run : [])));
  return sharesOf(overlappingGroups(records.map(({ run }) => run)), {
    columns: new Map(records.map(({ run, columns }) => [run, columns.length > 0 ? columns : columnsIn(run)])),
    isComing: (run) => loading.has(run),
  });
}

/** Rows that stand behind better ones of their time, as conditions for those that stay. */
function behindSql({ shares, reduced }: ReturnType<typeof sharesOfRecords>): string[] {
  const kept = new Set(shares.flatMap(({ runs }) => runs));
  const ids = (runs: readonly RunManifest[]) => runs.map(({ jobId, runId }) => `(${jobId}, ${runId})`).join(', ');
  const gone = reduced.filter((run) => !kept.has(run));
  const partly = shares.flatMap(({ runs, taken }) => {
    if (taken.length === 0 || runs.length === 0) return [];
    const within = taken.map(({ startMs, endMs }) => betweenSql(startMs, endMs)).join(' OR ');
    return [`NOT ((_job, _run) IN (${ids(runs)}) AND (${within}))`];
  });
  return [...(gone.length > 0 ? [`(_job, _run) NOT IN (${ids(gone)})`] : []), ...partly];
}

/** Describes loaded runs of one scope as one view, repeated rows once. */
export function warehouseViewOf(records: readonly LoadRecord[], name: string, { database, project }: ViewPlace): WarehouseView {
  const filled = records.filter((record) => record.columns.length > 0);
  const columns = viewColumns(
    filled,
    records.map(({ run }) => run),
  );
  const stored = columns.filter(({ from }) => from === undefined);
  const list = stored.map((column) => `${storedSql(column, filled)} AS ${quoted(column.name)}`).join(', ');
  const table = `${quoted(database)}.${quoted(tableOf(viewName(records[0]?.run.scope ?? '')))}`;
  const jobs = [...jobsIn(records)].join(', ');
  const shares = sharesOfRecords(records);
  const conditions = [
    `_project = ${text(project)}`,
    `_job IN (${jobs})`,
    ...[...arrivedSql(records), ...behindSql(shares)].map((each) => `(${each})`),
  ];
  // Runs of several jobs may hold the same days, and one row may be in several of them.
  const isShared = overlappingGroups(filled.map(({ run }) => run)).some((group) => new Set(group.map(({ jobId }) => jobId)).size > 1);
  const own = isShared ? ', _key, _version, _job' : '';
  const rows =
    filled.length > 0
      ? `SELECT ${list}${own} FROM ${table} AS r FINAL WHERE ${conditions.join(' AND ')}`
      : `SELECT ${list} FROM system.one WHERE 0`;
  const once = own === '' ? rows : mergedSql(stored, filled, rows);
  const derived = columns.filter(({ from }) => from !== undefined);
  const shown = columns.map((column) => `${column.from === undefined ? below(column.name) : derivedSql(column)} AS ${quoted(column.name)}`);
  const select = derived.length === 0 ? once : `SELECT ${shown.join(', ')} FROM (${once}) AS r`;
  return { name, select, columns, rowCount: undefined, notes: shares.notes, held: shares.held };
}
