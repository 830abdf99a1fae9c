import { grouped } from '../../lib/grouped.ts';
import { type Batch, formatOf, type Part } from '../query/batches.ts';
import { type ItemType, itemTypeOf, type WholeNumber, wholeNumberOf } from '../query/column-types.ts';
import { type Column, columnsOf, folded, namesInFile } from '../query/columns.ts';
import { keysOf } from '../query/data-view.ts';
import type { ConvertTask } from '../query/protocol.ts';
import { identifier, literal, type Source, storedRowsSql } from '../query/view-sql.ts';
import type { RunManifest, StoredColumn } from '../store/manifest.ts';

/** What the table of a run holds, and how it is written. */
export interface TablePlan {
  readonly columns: StoredColumn[];
  readonly task: Omit<ConvertTask, 'kind' | 'target'>;
}

/** How the engine says that an id cannot be held as a number. */
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

function sourcesOf(run: RunManifest, batches: readonly Batch[]): Source[] {
  return batches.flatMap(({ layout, parts }) =>
    [...grouped(parts, ({ file }) => file.gzip)].map(([gzip, members]) => ({
      format: formatOf(run),
      gzip,
      names: layout.names,
      files: members.map(({ path }) => path),
    })),
  );
}

/** An id as a number that gives the same text again; the statement ends with `NO_NUMBER` where one does not. */
function numberSql(name: string, type: WholeNumber): string {
  const [id, number] = [identifier(name), `TRY_CAST(${identifier(name)} AS ${type})`];
  return `CASE WHEN ${id} IS NULL OR ${number}::VARCHAR = ${id} THEN ${number} ELSE error(${literal(NO_NUMBER)})::${type} END AS ${id}`;
}

/** Plans the table of a run; ids whose samples are whole numbers are held as numbers, unless `idsAsText`. */
export function tablePlan(run: RunManifest, parts: readonly Part[], batches: readonly Batch[], idsAsText = false): TablePlan {
  const promised = { names: namesInFile(run.fields), fields: run.fields, samples: new Map<string, unknown[]>() };
  const columns = columnsOf(batches.length > 0 ? batches.map(({ layout }) => layout) : [promised]).filter(({ from }) => from === undefined);
  const time = columns.find(({ field, name, type }) => /^(session|view)_time$/.test(field ?? name) && type === 'TIMESTAMP');
  const keys = keysOf(run.scope, columns).names;
  const stored = columns.map(({ from: _, ...column }): StoredColumn => {
    if (idsAsText || column.type !== 'VARCHAR' || !keys.includes(folded(column.name))) return column;
    const heldAs = wholeNumberOf(batches.flatMap(({ layout }) => layout.samples.get(column.name) ?? []));
    return { ...column, ...(heldAs && { heldAs }) };
  });
  const numbers = stored.flatMap(({ name, heldAs }) => (heldAs ? [numberSql(name, heldAs)] : []));
  const rows = storedRowsSql(columns, sourcesOf(run, batches));
  return {
    columns: stored,
    task: {
      select: numbers.length > 0 ? `SELECT * REPLACE (${numbers.join(', ')}) FROM (${rows})` : rows,
      files: parts.map(({ path }) => path),
      // All rows of a run are of one project.
      order: columns.flatMap(({ name, field = name }) => (keys.includes(folded(name)) && field !== 'project_id' ? [name] : [])),
      ...(time && { day: `CAST(${identifier(time.name)} AS DATE)` }),
      amounts: amountsOf(columns),
    },
  };
}
