import { formatMoney, formatNumber, isRoundedMoney, NO_VALUE } from '../lib/number-text.ts';
import { type Cell, textTable } from '../lib/text-table.ts';

type Members = Record<string, unknown>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isScalar(value: unknown): value is Cell {
  return value === null || value === undefined || ['string', 'number', 'boolean'].includes(typeof value);
}

/** A record small enough to be read without the names of its members, such as a field and its alias. */
function isPair(value: unknown): boolean {
  return isMembers(value) && Object.keys(value).length <= 2 && Object.values(value).every(isScalar);
}

/** One value on one line; what is too deep for that stays JSON. */
function inline(value: unknown): Cell {
  if (isScalar(value)) return value;
  if (Array.isArray(value) && value.every(isScalar)) return value.map(String).join(', ');
  if (Array.isArray(value) && value.every(isPair))
    return value.map((pair: Members) => Object.values(pair).map(String).join('=')).join(', ');
  return JSON.stringify(value);
}

/** Columns of a table of amounts that hold something else. */
const NO_AMOUNT = /percent|share|mix$|^days$/i;

/** Whether a unit is a currency: its code (ISO 4217), or the words for a code that was not given. */
function isCurrency(unit: unknown): boolean {
  return typeof unit === 'string' && /^([A-Z]{3}$|currency\b)/.test(unit);
}

/** Writes amounts of money with their cents, and remembers whether any was rounded. */
function moneyWriter() {
  let hasRounded = false;
  const write = (name: string, cell: Cell): Cell => {
    if (typeof cell !== 'number' || NO_AMOUNT.test(name)) return cell;
    hasRounded ||= isRoundedMoney(cell);
    return formatMoney(cell);
  };
  return {
    /** The cells of a record, all of them amounts where its `unit` is a currency. */
    record: (cells: Record<string, Cell>): Record<string, Cell> =>
      isCurrency(cells['unit']) ? Object.fromEntries(Object.entries(cells).map(([name, cell]) => [name, write(name, cell)])) : cells,
    cell: (name: string, unit: unknown, cell: Cell) => (isCurrency(unit) ? write(name, cell) : cell),
    note: () => (hasRounded ? ['Amounts of 100,000 and more are rounded in this text; structured content has the cents.'] : []),
  };
}
type MoneyWriter = ReturnType<typeof moneyWriter>;

/** Members of members become columns of their own: `summary.fail`. */
function flat(record: Members, prefix = ''): Record<string, Cell> {
  const cells = Object.entries(record).flatMap(([name, value]): [string, Cell][] =>
    isMembers(value) ? Object.entries(flat(value, `${prefix}${name}.`)) : [[`${prefix}${name}`, inline(value)]],
  );
  return Object.fromEntries(cells);
}

/** No cell of an answer is cut short: an address that is cut is worth nothing. */
const UNCUT = { maxCellChars: 10_000 };

function list(name: string, items: readonly unknown[], money: MoneyWriter): string {
  if (items.length === 0) return `${name}: none`;
  if (items.every(isMembers))
    return `${name} (${items.length}):\n${textTable(
      items.map((item) => money.record(flat(item))),
      undefined,
      UNCUT,
    )}`;
  return `${name}: ${items.map((item) => String(inline(item))).join(', ')}`;
}

function scalar(value: Cell): string {
  if (typeof value === 'number') return formatNumber(value);
  return value === null || value === undefined ? NO_VALUE : String(value);
}

function member(name: string, value: unknown, money: MoneyWriter): string {
  if (isScalar(value)) return `${name}: ${scalar(value)}`;
  if (Array.isArray(value)) return list(name, value, money);
  if (!isMembers(value)) return '';
  const scalars = Object.entries(value).filter(([, inner]) => isScalar(inner));
  const rest = Object.entries(value).filter(([, inner]) => !isScalar(inner));
  const cells = money.record(Object.fromEntries(scalars) as Record<string, Cell>); // scalars by the filter above
  const first = Object.entries(cells)
    .map(([inner, content]) => `${inner} ${scalar(content)}`)
    .join(' · ');
  return [`${name}: ${first}`, ...rest.map(([inner, content]) => member(`${name}.${inner}`, content, money))].join('\n');
}

/** The text channel of an answer, made from the very data of the structured one: tables with one header, one line for the rest. */
export function renderText(data: Members): string {
  const { columns, rows, notes, range: _stated, ...rest } = data;
  const money = moneyWriter();
  const units = isMembers(rest['units']) ? rest['units'] : {};
  const parts = Object.entries(rest).map(([name, value]) => member(name, value, money));
  if (Array.isArray(columns) && Array.isArray(rows)) {
    const names = columns.map(String);
    const records = rows.map((row: unknown[]) =>
      money.record(Object.fromEntries(names.map((name, index) => [name, money.cell(name, units[name], inline(row[index]))]))),
    );
    parts.push(rows.length > 0 ? textTable(records, names, UNCUT) : 'no rows');
  }
  const noted = [...(Array.isArray(notes) ? notes : []), ...money.note()];
  if (noted.length > 0) parts.push(`notes:\n${noted.map((note) => `- ${String(note)}`).join('\n')}`);
  return parts.filter((part) => part !== '').join('\n');
}
