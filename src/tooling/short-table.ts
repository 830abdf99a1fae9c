import { type Cell, textTable } from '../lib/text-table.ts';

type Row = Readonly<Record<string, Cell>>;

/** A table that a text is made of. */
interface LongTable {
  readonly rows: readonly Row[];
  readonly columns: readonly string[];
}

/** No cell of an answer is cut short: an address that is cut is worth nothing. */
const UNCUT = { maxCellChars: 10_000 };
/** Fewer rows are read faster as they are. */
const LEAST_ROWS = 30;
/** An id whose facts are said apart stands in so many rows at least, on average. */
const LEAST_REPEATED = 4;
/** Fewer characters are not worth a table of their own. */
const LEAST_SAVED = 400;

const textOf = (cell: Cell) => (cell === null || cell === undefined ? '' : String(cell));

/** The first row of each value of a column. */
function firstRows({ rows }: LongTable, key: string): Map<Cell, Row> {
  const first = new Map<Cell, Row>();
  for (const row of rows) if (!first.has(row[key])) first.set(row[key], row);
  return first;
}

/** An id with the columns that say something of it alone, such as its name, and the characters that saying these once saves. */
interface Keyed {
  readonly key: string;
  readonly facts: readonly string[];
  readonly firsts: readonly Row[];
  readonly saved: number;
}

function keyedBy(table: LongTable, key: string): Keyed {
  const first = firstRows(table, key);
  const isFact = (column: string) => column !== key && table.rows.every((row) => row[column] === first.get(row[key])?.[column]);
  const facts = table.columns.filter(isFact);
  const firsts = [...first.values()];
  const lengthOf = (rows: readonly Row[]) =>
    rows.reduce((sum, row) => sum + facts.reduce((all, column) => all + textOf(row[column]).length + 1, 0), 0);
  const keys = firsts.reduce((sum, row) => sum + textOf(row[key]).length + 1, 0);
  return { key, facts, firsts, saved: lengthOf(table.rows) - lengthOf(firsts) - keys };
}

/** The id whose facts are worth a table of their own; undefined where none is. */
function bestKey(table: LongTable): Keyed | undefined {
  const ids = table.columns.filter((column) => column.endsWith('Id') && table.rows.every((row) => textOf(row[column]) !== ''));
  const keyed = ids.map((key) => keyedBy(table, key));
  const [best] = keyed
    .filter(({ facts, firsts }) => facts.length > 0 && firsts.length * LEAST_REPEATED <= table.rows.length)
    .toSorted((a, b) => b.saved - a.saved);
  return best && best.saved >= LEAST_SAVED ? best : undefined;
}

/** A table as text. Of many rows what says something of an id alone is said once for each, in a table before it: nothing is left out. */
export function shortTable(rows: readonly Row[], columns: readonly string[]): string {
  if (rows.length < LEAST_ROWS) return textTable(rows, columns, UNCUT);
  const { key = '', facts = [], firsts = [] }: Partial<Keyed> = bestKey({ rows, columns }) ?? {};
  const main = textTable(
    rows,
    columns.filter((column) => !facts.includes(column)),
    UNCUT,
  );
  return facts.length === 0 ? main : `${textTable(firsts, [key, ...facts], UNCUT)}\n${main}`;
}
