import { ApiError } from '../api/errors.ts';
import { isRecord } from '../lib/is-record.ts';
import { formatMoney, formatNumber, isRoundedMoney, NO_VALUE } from '../lib/number-text.ts';
import { oneLine } from '../lib/strangers-text.ts';
import { type Cell, textTable } from '../lib/text-table.ts';
import type { AnyTool } from './tool.ts';

type DataMembers = Readonly<Record<string, unknown>>;

function isScalar(value: unknown): value is Cell {
  return value === null || value === undefined || ['string', 'number', 'boolean'].includes(typeof value);
}

/** A record small enough to be read without the names of its members, such as a field and its alias. */
function isPair(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length <= 2 && Object.values(value).every(isScalar);
}

/** One value on one line; what is too deep for that stays JSON. */
function inline(value: unknown): Cell {
  if (isScalar(value)) return value;
  if (Array.isArray(value) && value.every(isScalar)) return value.map(String).join(', ');
  if (Array.isArray(value) && value.every(isPair))
    return value.map((pair: DataMembers) => Object.values(pair).map(String).join('=')).join(', ');
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
function flat(record: DataMembers): Record<string, Cell> {
  const cells: [string, Cell][] = [];
  function add(members: DataMembers, prefix: string): void {
    for (const [name, value] of Object.entries(members)) {
      if (isRecord(value)) add(value, `${prefix}${name}.`);
      else cells.push([`${prefix}${name}`, inline(value)]);
    }
  }
  add(record, '');
  return Object.fromEntries(cells);
}

/** No cell of an answer is cut short: an address that is cut is worth nothing. */
const UNCUT = { maxCellChars: 10_000 };

function listText(name: string, items: readonly unknown[], money: MoneyWriter): string {
  if (items.length === 0) return `${name}: none`;
  if (items.every(isRecord))
    return `${name} (${items.length}):\n${textTable(
      items.map((item) => money.record(flat(item))),
      undefined,
      UNCUT,
    )}`;
  return `${name}: ${items.map((item) => oneLine(String(inline(item)))).join(', ')}`;
}

function scalar(value: Cell): string {
  if (typeof value === 'number') return formatNumber(value);
  return value === null || value === undefined ? NO_VALUE : oneLine(String(value));
}

function memberText(name: string, value: unknown, money: MoneyWriter): string {
  if (isScalar(value)) return `${name}: ${scalar(value)}`;
  if (Array.isArray(value)) return listText(name, value, money);
  if (!isRecord(value)) return '';
  const scalars = Object.entries(value).filter(([, inner]) => isScalar(inner));
  const rest = Object.entries(value).filter(([, inner]) => !isScalar(inner));
  const cells = money.record(Object.fromEntries(scalars) as Record<string, Cell>); // scalars by the filter above
  const first = Object.entries(cells)
    .map(([inner, content]) => `${inner} ${scalar(content)}`)
    .join(' · ');
  return [`${name}: ${first}`, ...rest.map(([inner, content]) => memberText(`${name}.${inner}`, content, money))].join('\n');
}

/** The text channel of an answer, made from the very data of the structured one: tables with one header, one line for the rest. */
export function renderText(data: DataMembers): string {
  const { columns, rows, notes, range: _stated, ...rest } = data;
  const money = moneyWriter();
  const units = isRecord(rest['units']) ? rest['units'] : {};
  const parts = Object.entries(rest).map(([name, value]) => memberText(name, value, money));
  if (Array.isArray(columns) && Array.isArray(rows)) {
    const names = columns.map(String);
    const records = rows.map((row: unknown[]) =>
      money.record(Object.fromEntries(names.map((name, index) => [name, money.cell(name, units[name], inline(row[index]))]))),
    );
    parts.push(rows.length > 0 ? textTable(records, names, UNCUT) : 'no rows');
  }
  const noted = [...(Array.isArray(notes) ? notes : []), ...money.note()];
  if (noted.length > 0) parts.push(`notes:\n${noted.map((note) => `- ${oneLine(String(note))}`).join('\n')}`);
  return parts.filter((part) => part !== '').join('\n');
}

/** Tokens as answers count them: four characters each. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** `fits: false`: dropping items cannot help, because there is no list at the path or not even one item fits; `data` is then unchanged. */
export interface Fitted<T> {
  fits: boolean;
  data: T;
  /** Items left and items there were; both 0 where there is no list. */
  shown: number;
  total: number;
}

function listAt(data: unknown, path: readonly string[]): readonly unknown[] | undefined {
  const found = path.reduce<unknown>((value, name) => (isRecord(value) ? value[name] : undefined), data);
  return Array.isArray(found) ? found : undefined;
}

function withList(data: unknown, [name, ...rest]: readonly string[], list: readonly unknown[]): unknown {
  if (name === undefined || !isRecord(data)) return list;
  return { ...data, [name]: withList(data[name], rest, list) };
}

/**
 * Keeps as many leading items of the list at `path` (`reports`, `scenario.reports`) as fit into `budgetTokens`; nothing else is touched.
 * `measure` counts the tokens of an answer, by default those of its JSON; it must not shrink when items are added.
 */
export function fitToBudget<T extends object>(
  data: T,
  path: string,
  budgetTokens: number,
  measure: (data: T) => number = (candidate) => countTokens(JSON.stringify(candidate)),
): Fitted<T> {
  const names = path.split('.');
  const list = listAt(data, names) ?? [];
  const total = list.length;
  if (measure(data) <= budgetTokens) return { fits: true, data, shown: total, total };

  const leading = (count: number) => withList(data, names, list.slice(0, count)) as T; // a shorter list has the same type
  let fitting = 0;
  let tooMany = total;
  while (tooMany - fitting > 1) {
    const count = Math.floor((fitting + tooMany) / 2);
    if (measure(leading(count)) <= budgetTokens) fitting = count;
    else tooMany = count;
  }
  if (fitting === 0) return { fits: false, data, shown: total, total };
  return { fits: true, data: leading(fitting), shown: fitting, total };
}

/** Token budget of an answer when the caller asked for nothing special. */
const USUAL_TOKENS = 2_000;
/** Kept free for the note that says what was left out. */
const NOTE_TOKENS = 60;

type Data = Record<string, unknown>;

/** Tokens that an answer may take. */
export interface Budget {
  /** The hard cap of the settings, per channel. */
  readonly maxTokens: number;
  /** The arguments as given; a given `limit` is respected. */
  readonly asked: Data;
}

/** The data that the text is made from. */
function textDataOf({ brief }: AnyTool, data: Data): Data {
  const { notes, range, ...own } = data;
  if (!brief || Object.values(own).every((member) => Array.isArray(member) && member.length === 0)) return data;
  // Each tool takes the type of its own output, which only the tool itself knows.
  const { data: textData, note } = brief(own as never);
  return { ...textData, ...(range !== undefined && { range }), notes: [...(Array.isArray(notes) ? notes : []), note] };
}

/** The dearer of the two channels; the text is not made where the JSON alone is more than `enough`. */
function tokensOf(tool: AnyTool, data: Data, enough = Number.POSITIVE_INFINITY): number {
  const tokens = countTokens(JSON.stringify(data));
  return tokens > enough ? tokens : Math.max(tokens, countTokens(renderText(textDataOf(tool, data))));
}

/** Lists of an answer and of its members, as paths, the heaviest first. */
function listsOf(data: Data, prefix = ''): { path: string; size: number }[] {
  const lists = Object.entries(data).flatMap(([name, value]) => {
    if (Array.isArray(value)) return [{ path: `${prefix}${name}`, size: JSON.stringify(value).length }];
    return typeof value === 'object' && value !== null ? listsOf(value as Data, `${prefix}${name}.`) : [];
  });
  return lists.filter(({ path }) => path !== 'notes' && path !== 'columns').toSorted((a, b) => b.size - a.size);
}

/** Tokens that each channel of an answer may take. */
export function limitOf(tool: AnyTool, { maxTokens, asked }: Budget): number {
  return 'limit' in tool.input.shape && asked['limit'] === undefined ? Math.min(USUAL_TOKENS, maxTokens) : maxTokens;
}

function howToSeeMore(tool: AnyTool, data: Data, isUsual: boolean): string {
  if (data['status'] === 'preview') return 'the others would be sent too';
  if (isUsual) return tool.pageAfterCut ? 'pass cursor to go on, or limit' : 'pass limit to see more';
  const names = Object.keys(tool.input.shape);
  const ways = [
    ...(names.length > 0 ? [`narrow with ${names.join(', ')}`] : []),
    ...(typeof data['uri'] === 'string' ? [`read ${data['uri']}`] : []),
  ];
  return ways.length > 0 ? ways.join(' or ') : 'the setting WEB_ANALYTICS_MAX_RESULT_TOKENS allows more';
}

function withNote(data: Data, note: string): Data {
  return { ...data, notes: [note, ...(Array.isArray(data['notes']) ? data['notes'] : [])] };
}

/** The result of a write without its heaviest members: a failure would invite to write again. */
function trimmed(tool: AnyTool, data: Data, limit: number): Data {
  const sizes = Object.entries(data).map(([name, value]) => ({ name, size: JSON.stringify(value)?.length ?? 0 }));
  const heaviest = sizes.filter(({ name }) => name !== 'status').toSorted((a, b) => b.size - a.size);
  let rest = data;
  for (const { name } of heaviest) {
    if (tokensOf(tool, rest) <= limit - NOTE_TOKENS) break;
    const { [name]: _, ...others } = rest;
    rest = withNote(others, `${name} was too long to be shown.`);
  }
  return rest;
}

/** Without what is said beside items that are no longer in the page. */
function withPage({ paged, beside = [] }: AnyTool, data: Data): Data {
  if (paged === undefined || beside.length === 0) return data;
  const items = data[paged];
  const idOf = (item: unknown) => (isRecord(item) ? item['jobId'] : undefined);
  const kept = new Set(Array.isArray(items) ? items.map(idOf) : []);
  const others = beside.flatMap((name) => {
    const list = data[name];
    return Array.isArray(list) ? [[name, list.filter((item) => kept.has(idOf(item)))] as const] : [];
  });
  return { ...data, ...Object.fromEntries(others) };
}

/** Drops whole trailing items of the heaviest list until `measure` fits into the room; undefined where that cannot help. */
function cut(tool: AnyTool, data: Data, { asked }: Budget, room: number, measure: (data: Data) => number) {
  for (const { path } of listsOf(data)) {
    if (tool.beside?.includes(path)) continue;
    const { fits, data: fitted, shown, total } = fitToBudget(data, path, room, (candidate) => measure(withPage(tool, candidate)));
    const page = path === 'rows' && tool.pageAfterCut && { page: tool.pageAfterCut(data['page'], shown, asked) };
    if (fits) return { data: { ...withPage(tool, fitted), ...page }, path, shown, total };
  }
  return undefined;
}

/** An answer as both channels have it; they are one object where the text leaves nothing out. */
export interface FittedAnswer {
  readonly structured: Data;
  readonly textData: Data;
}

/** The whole answer; the text leaves out what the tool's `brief` does. */
export function uncutAnswer(tool: AnyTool, data: Data): FittedAnswer {
  return { structured: data, textData: textDataOf(tool, data) };
}

/** Drops whole trailing items of the heaviest list until both channels fit, and says so; throws where that cannot help. */
export function fitAnswer(tool: AnyTool, data: Data, budget: Budget): FittedAnswer {
  const limit = limitOf(tool, budget);
  const both = (structured: Data, all = structured): FittedAnswer =>
    tool.brief ? { structured, textData: textDataOf(tool, all) } : { structured, textData: structured };
  if (tokensOf(tool, data, limit) <= limit) return both(data);
  const room = limit - NOTE_TOKENS;
  const more = howToSeeMore(tool, data, limit < budget.maxTokens);
  // A text that leaves members out may hold items that are too long for the other channel.
  if (tool.brief && countTokens(renderText(textDataOf(tool, data))) <= room) {
    const fitted = cut(tool, data, budget, room, (candidate) => countTokens(JSON.stringify(candidate)));
    const note = fitted && `The structured content shows ${fitted.shown} of ${fitted.total} ${fitted.path}, the text all; ${more}.`;
    if (note) return both(withNote(fitted.data, note), withNote(data, note));
  }
  const fitted = cut(tool, data, budget, room, (candidate) => tokensOf(tool, candidate, room));
  if (fitted) return both(withNote(fitted.data, `Showing ${fitted.shown} of ${fitted.total} ${fitted.path}; ${more}.`));
  // Better a long answer than none, as long as it stays under the hard cap.
  const tokens = tokensOf(tool, data);
  if (tokens <= budget.maxTokens) return both(data);
  if (data['status'] === 'done') return both(trimmed(tool, data, limit));
  // A larger page would hold even more.
  const less = howToSeeMore(tool, data, false);
  throw new ApiError('invalid', `The answer has about ${tokens} tokens; the limit is ${budget.maxTokens}: ${less}.`);
}
