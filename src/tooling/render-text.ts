import { isRecord } from '../lib/is-record.ts';
import { formatNumber, NO_VALUE } from '../lib/number-text.ts';
import { sentencesOf } from '../lib/sentences.ts';
import { oneLine } from '../lib/strangers-text.ts';
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
function shortTable(rows: readonly Row[], columns: readonly string[]): string {
  if (rows.length < LEAST_ROWS) return textTable(rows, columns, UNCUT);
  const { key = '', facts = [], firsts = [] }: Partial<Keyed> = bestKey({ rows, columns }) ?? {};
  const main = textTable(
    rows,
    columns.filter((column) => !facts.includes(column)),
    UNCUT,
  );
  return facts.length === 0 ? main : `${textTable(firsts, [key, ...facts], UNCUT)}\n${main}`;
}

type DataMembers = Readonly<Record<string, unknown>>;

function isScalar(value: unknown): value is Cell {
  return value === null || value === undefined || ['string', 'number', 'boolean'].includes(typeof value);
}

/** A record small enough to be read without the names of its members, such as a field and its alias. */
function isPair(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length <= 2 && Object.values(value).every(isScalar);
}

/** An instant without its zeros: to the minute or to the second where nothing is lost by that; any other text as it is. */
function shortInstant(text: string): string {
  const [, minute, second, zone] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d)(?::(\d\d))(?:\.0+)?(Z|[+-]\d\d:?\d\d)$/.exec(text) ?? [];
  if (minute === undefined || zone === undefined) return text;
  return second === '00' ? `${minute}${zone}` : `${minute}:${second}${zone}`;
}

/** One value on one line; what is too deep for that stays JSON. */
function inline(value: unknown): Cell {
  if (typeof value === 'string') return shortInstant(value);
  if (isScalar(value)) return value;
  if (Array.isArray(value) && value.every(isScalar)) return value.map((each) => String(inline(each))).join(', ');
  if (Array.isArray(value) && value.every(isPair))
    return value.map((pair: DataMembers) => Object.values(pair).map(String).join('=')).join(', ');
  if (Array.isArray(value) && value.every(isRecord) && value.every((record) => Object.values(record).every(isScalar)))
    return recordsInline(value);
  return JSON.stringify(value);
}

/** Quotes a value that could be read as two values or two records. */
const NEEDS_QUOTES = /[,;()"]|^$/;

/** Records on one line: their names before the first of those that are alike, then values alone. `(metric, from) visits, 3; revenue, 4` */
function recordsInline(records: readonly DataMembers[]): string {
  let names = '';
  const each = records.map((record) => {
    const own = Object.keys(record).join(', ');
    const head = own === names ? '' : `(${own}) `;
    names = own;
    const values = Object.values(record).map((value) => {
      const text = value === null || value === undefined ? NO_VALUE : String(inline(value));
      return typeof value === 'string' && NEEDS_QUOTES.test(text) ? JSON.stringify(text) : text;
    });
    return head + values.join(', ');
  });
  return each.join('; ');
}

/** Columns of a table of amounts that hold something else. */
const NO_AMOUNT = /percent|share|mix$|^days$/i;

/** Whether a unit is one of money: the code of a currency (ISO 4217), or the words for one that was not given. */
function isCurrency(unit: unknown): boolean {
  return typeof unit === 'string' && /^([A-Z]{3}$|currency\b|money$)/.test(unit);
}

/** A value as a cell: an amount of money with its cents, whatever its size. */
function cellOf(name: string, value: unknown, unit: unknown): Cell {
  const cell = inline(value);
  return typeof cell === 'number' && isCurrency(unit) && !NO_AMOUNT.test(name) ? formatNumber(cell, { digits: 2 }) : cell;
}

/** Members of members become columns of their own: `summary.fail`. */
function flat(record: DataMembers): Record<string, Cell> {
  const cells: [string, Cell][] = [];
  function add(members: DataMembers, prefix: string): void {
    for (const [name, value] of Object.entries(members)) {
      if (isRecord(value)) add(value, `${prefix}${name}.`);
      else cells.push([`${prefix}${name}`, cellOf(name, value, members['unit'])]);
    }
  }
  add(record, '');
  return Object.fromEntries(cells);
}

/** Fewer rows are read faster as they are. */
const FEWEST_ROWS_TO_SHARE = 3;

/** Puts a value that every row shares once above the table, instead of into a column. */
function listText(name: string, items: readonly unknown[]): string {
  if (items.length === 0) return `${name}: none`;
  if (!items.every(isRecord)) return `${name}: ${items.map((item) => oneLine(String(inline(item)))).join(', ')}`;
  const rows = items.map(flat);
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const isShared = (column: string) => {
    const value = rows[0]?.[column];
    return value !== null && value !== undefined && value !== '' && rows.every((row) => row[column] === value);
  };
  const shared = rows.length < FEWEST_ROWS_TO_SHARE ? [] : columns.filter(isShared);
  // Rows that are all alike keep their columns.
  const hoisted = shared.length < columns.length ? shared : [];
  const each = hoisted.map((column) => `${column} ${scalar(rows[0]?.[column])}`).join(' · ');
  const table = shortTable(
    rows,
    columns.filter((column) => !hoisted.includes(column)),
  );
  return `${name} (${items.length}${each === '' ? '' : `, each: ${each}`}):\n${table}`;
}

function scalar(value: Cell): string {
  if (typeof value === 'number') return formatNumber(value);
  return value === null || value === undefined ? NO_VALUE : oneLine(String(inline(value)));
}

/** The headline of an answer, and each further sentence in a line below. */
function answerText(answer: string): string {
  const [headline = '', ...rest] = sentencesOf(oneLine(answer));
  return [headline, ...rest].join('\n');
}

/** A list of sentences, one a line. */
const linesText = (name: string, lines: readonly string[]) =>
  lines.length === 0 ? '' : `${name}:\n${lines.map((line) => `- ${oneLine(line)}`).join('\n')}`;

/** A finding on one line: its sentence, where the answer has not said it, and its facts under the last part of their names. */
function findingText({ sentence, ...facts }: DataMembers, answer: string): string {
  const own = answer.includes(String(sentence)) ? [] : [String(sentence)];
  const shown = Object.entries(flat(facts)).filter(([, cell]) => cell !== null && cell !== undefined && cell !== '' && cell !== false);
  return [...own, shown.map(([name, cell]) => `${name.slice(name.lastIndexOf('.') + 1)} ${scalar(cell)}`).join(', ')].join(' ');
}

function memberText(name: string, value: unknown, answer = ''): string {
  if (name === 'findings' && Array.isArray(value) && value.every((each) => isRecord(each) && typeof each['sentence'] === 'string')) {
    const lines = value.filter(isRecord).map((finding) => findingText(finding, answer));
    return linesText(
      name,
      lines.filter((line) => line !== ''),
    );
  }
  if (name === 'details' && Array.isArray(value)) return linesText(name, value.map(String));
  if (name === 'answer' && typeof value === 'string') return answerText(value);
  if (isScalar(value)) return `${name}: ${scalar(value)}`;
  if (Array.isArray(value)) return listText(name, value);
  if (!isRecord(value)) return '';
  const rest = Object.entries(value).filter(([, inner]) => !isScalar(inner));
  const first = Object.entries(value)
    .flatMap(([inner, content]) => (isScalar(content) ? [`${inner} ${scalar(cellOf(inner, content, value['unit']))}`] : []))
    .join(' · ');
  const own = first === '' && rest.length > 0 ? [] : [`${name}: ${first}`];
  return [...own, ...rest.map(([inner, content]) => memberText(`${name}.${inner}`, content))].join('\n');
}

/**
 * The text channel of an answer, made from the very data of the structured one, all of it: tables with one header, one line for the rest.
 * The range stands in the notes, in words.
 */
export function renderText(data: DataMembers): string {
  const { columns, rows, notes, range: _worded, ...rest } = data;
  const units = isRecord(rest['units']) ? rest['units'] : {};
  const { answer } = rest;
  const parts = Object.entries(rest).map(([name, value]) => memberText(name, value, typeof answer === 'string' ? answer : ''));
  if (Array.isArray(columns) && Array.isArray(rows)) {
    const names = columns.map(String);
    const unitAt = names.indexOf('unit');
    const records = rows.map((row: unknown[]) =>
      Object.fromEntries(names.map((name, index) => [name, cellOf(name, row[index], [units[name], row[unitAt]].find(isCurrency))])),
    );
    parts.push(rows.length > 0 ? shortTable(records, names) : `${names.join('\t')}\nno rows`);
  }
  if (Array.isArray(notes) && notes.length > 0) parts.push(`notes:\n${notes.map((note) => `- ${oneLine(String(note))}`).join('\n')}`);
  return parts.filter((part) => part !== '').join('\n');
}
