import { grouped } from '../../lib/grouped.ts';
import { type Batch, formatOf, type TablePart } from '../query/batches.ts';
import { type ItemType, itemTypeOf, mayBeNumbers, type WholeNumber, wholeNumberOf } from '../query/column-types.ts';
import { type Column, columnsOf, folded, promisedLayout, timeColumn } from '../query/columns.ts';
import { keysOf } from '../query/data-view.ts';
import type { ConvertTask } from '../query/protocol.ts';
import { identifier, literal, type Source, storedRowsSql } from '../query/view-sql.ts';
import type { RunManifest, StoredColumn } from '../store/manifest.ts';

/** The content of a run's table, and how it is written. */
export interface TablePlan {
  readonly columns: StoredColumn[];
  readonly task: Omit<ConvertTask, 'kind' | 'target'>;
}

/** The engine's message for an id that does not fit a number. */
export const NO_NUMBER = 'an id is no whole number';

const AMOUNTS = new Set(['cents', 'money']);

/** The amounts of a row as expressions of whole numbers; of a list their sum. */
function amountsOf(columns: readonly Column[]): string[] {
  const whole = (value: string, item: ItemType) => (item === 'DOUBLE' ? `round(${value} * 1000)` : value);
  return columns.flatMap(({ name, type, unit }) => {
    if (!unit || !AMOUNTS.has(unit)) return [];
    const item = itemTypeOf(type);
    if (item) return [`array_aggregate(array_transform(${identifier(name)}, lambda v: ${whole('v', item)}), 'sum')`];
    return [whole(identifier(name), type === 'DOUBLE' ? 'DOUBLE' : 'BIGINT')];
  });
}

function sourcesOf(run: RunManifest, batches: readonly Batch[], isMended: boolean): Source[] {
  return batches.flatMap(({ layout, header, parts }) =>
    [...grouped(parts, ({ file }) => file.gzip)].map(([gzip, members]) => ({
      format: formatOf(run),
      ...(header === false && { header }),
      gzip,
      ...(isMended && { isMended }),
      names: layout.names,
      ...(layout.inFile && { inFile: layout.inFile }),
      files: members.map(({ path }) => path),
    })),
  );
}

/** Ids of rows as numbers that give the same text again; the statement ends with `NO_NUMBER` where one does not. */
function withNumbers(rows: string, columns: readonly StoredColumn[]): string {
  const held = columns.flatMap(({ name, heldAs }, index) =>
    heldAs && heldAs !== 'VARCHAR' ? [{ id: identifier(name), number: `__number_${index}`, heldAs }] : [],
  );
  if (held.length === 0) return rows;
  const numbers = held.map(({ id, number, heldAs }) => `TRY_CAST(${id} AS ${heldAs}) AS ${number}`);
  const wrong = (heldAs: WholeNumber) => `error(${literal(NO_NUMBER)})::${heldAs}`;
  const checked = held.map(
    ({ id, number, heldAs }) => `CASE WHEN ${number}::VARCHAR IS DISTINCT FROM ${id} THEN ${wrong(heldAs)} ELSE ${number} END AS ${id}`,
  );
  const own = held.map(({ number }) => number).join(', ');
  return `SELECT * EXCLUDE (${own}) REPLACE (${checked.join(', ')}) FROM (SELECT *, ${numbers.join(', ')} FROM (${rows}))`;
}

/** How a table is written, by what an attempt before showed. */
export interface TableWay {
  /** An id is no number, though samples are. */
  readonly idsAsText: boolean;
  /** Lines of JSON hold halves of characters. */
  readonly isMended: boolean;
}

/** Plans the table of a run; ids whose samples are whole numbers are stored as numbers, unless `idsAsText`. */
export function tablePlan(
  run: RunManifest,
  parts: readonly TablePart[],
  batches: readonly Batch[],
  { idsAsText, isMended }: TableWay,
): TablePlan {
  const columns = columnsOf(batches.length > 0 ? batches.map(({ layout }) => layout) : [promisedLayout(run.fields)]).filter(
    ({ from }) => from === undefined,
  );
  const valuesOf = (name: string) => batches.flatMap(({ layout }) => layout.samples.get(name) ?? []);
  const time = timeColumn(columns);
  const { names: keys, missing } = keysOf(run.scope, columns);
  // Users are compared and looked up as sessions are.
  const ids = new Set([...keys, ...columns.flatMap(({ name, field = name }) => (field === 'user_id' ? [folded(name)] : []))]);
  const stored = columns.map(({ from: _, ...column }): StoredColumn => {
    if (idsAsText || column.type !== 'VARCHAR' || !ids.has(folded(column.name))) return column;
    const heldAs = wholeNumberOf(valuesOf(column.name));
    return { ...column, ...(heldAs && { heldAs }) };
  });
  return {
    columns: stored,
    task: {
      texts: stored.flatMap(({ name, type, heldAs }) =>
        type === 'VARCHAR' && !heldAs && mayBeNumbers(name, valuesOf(name)) ? [name] : [],
      ),
      select: withNumbers(storedRowsSql(columns, sourcesOf(run, batches, isMended)), stored),
      files: parts.map(({ path }) => path),
      // All rows of a run are of one project.
      order: columns.flatMap(({ name, field = name }) => (ids.has(folded(name)) && field !== 'project_id' ? [name] : [])),
      ...(time && { day: `CAST(${identifier(time.name)} AS DATE)` }),
      amounts: amountsOf(columns),
      identity: missing.length > 0 ? [] : keys,
    },
  };
}
