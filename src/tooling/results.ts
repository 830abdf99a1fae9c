import { ApiError } from '../api/errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../api/params.ts';
import { valueText } from '../findings/wording.ts';
import { grouped } from '../lib/grouped.ts';
import { shownHints } from '../lib/hint.ts';
import { isRecord } from '../lib/is-record.ts';
import { mapTexts } from '../lib/map-texts.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { counted, formatNumber, NO_VALUE } from '../lib/number-text.ts';
import type { Redactor } from '../lib/redact.ts';
import { capital, present, sentencesOf } from '../lib/sentences.ts';
import { ORDERS_ARE_DATA, oneLine, plainText, readsAsOrders, unrendered } from '../lib/strangers-text.ts';
import { sumOfKnown } from '../lib/tally.ts';
import { type Cell, textTable } from '../lib/text-table.ts';
import { nameOf } from '../metrics/metric-names.ts';
import { type ChartSpec, joined, panelsOf } from '../views/spec.ts';
import type { Call } from './call-context.ts';
import { outputOf } from './schema.ts';
import type { AnyTool, Link, MakeChart } from './tool.ts';

type Row = Readonly<Record<string, Cell>>;

/** Fewer rows are read faster as they are. */
const LEAST_ROWS = 30;
/** An id whose facts are said apart stands in so many rows at least, on average. */
const LEAST_REPEATED = 4;
/** Fewer characters are not worth a table of their own. */
const LEAST_SAVED = 400;

const textOf = (cell: Cell) => String(cell ?? '');

/** An id with the columns that say something of it alone, such as its name, and the characters that saying these once saves. */
function keyedBy(key: string, rows: readonly Row[], columns: readonly string[]) {
  const groups = [...grouped(rows, (row) => row[key]).values()];
  const isFact = (column: string) => groups.every(([first, ...others]) => others.every((row) => row[column] === first?.[column]));
  const facts = columns.filter((column) => column !== key && isFact(column));
  const firsts = groups.map(([first = {}]) => first);
  const lengthOf = (some: readonly Row[], names: readonly string[]) =>
    sumOfKnown(some, (row) => sumOfKnown(names, (name) => textOf(row[name]).length + 1));
  return { key, facts, firsts, saved: lengthOf(rows, facts) - lengthOf(firsts, [key, ...facts]) };
}

/** The id whose facts are worth a table of their own; undefined where none is. */
function bestKey(rows: readonly Row[], columns: readonly string[]) {
  const ids = columns.filter((column) => column.endsWith('Id') && rows.every((row) => textOf(row[column]) !== ''));
  return ids
    .map((key) => keyedBy(key, rows, columns))
    .filter(({ firsts, saved }) => firsts.length * LEAST_REPEATED <= rows.length && saved >= LEAST_SAVED)
    .toSorted((a, b) => b.saved - a.saved)[0];
}

/** A table as text. Of many rows what says something of an id alone is said once for each, in a table before it: nothing is left out. */
function shortTable(rows: readonly Row[], columns: readonly string[]): string {
  const best = rows.length < LEAST_ROWS ? undefined : bestKey(rows, columns);
  if (!best) return textTable(rows, columns);
  const { key, facts, firsts } = best;
  const rest = columns.filter((column) => !facts.includes(column));
  return `${textTable(firsts, [key, ...facts])}\n${textTable(rows, rest)}`;
}

type DataMembers = Readonly<Record<string, unknown>>;

/** The items of a member that is a list; none of any other. */
const itemsOf = <Item = unknown>(value: unknown): Item[] => (Array.isArray(value) ? value : []);

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
      const text = String(inline(value) ?? NO_VALUE);
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
    return textOf(value) !== '' && rows.every((row) => row[column] === value);
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
  return oneLine(String(inline(value) ?? NO_VALUE));
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
  const shown = Object.entries(flat(facts)).filter(([, cell]) => textOf(cell) !== '' && cell !== false);
  return [...own, shown.map(([name, cell]) => `${name.slice(name.lastIndexOf('.') + 1)} ${scalar(cell)}`).join(', ')].join(' ');
}

function memberText(name: string, value: unknown, answer = ''): string {
  if (name === 'findings' && Array.isArray(value) && value.every((each) => isRecord(each) && typeof each['sentence'] === 'string')) {
    return linesText(name, present(...value.filter(isRecord).map((finding) => findingText(finding, answer))));
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
  return present(...parts, linesText('notes', itemsOf(notes).map(String))).join('\n');
}

/** Tokens as answers count them: four characters each. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** Token budget of an answer when the caller asked for nothing special. */
const USUAL_TOKENS = 2_000;
/** Kept free for the note that says what was left out. */
const NOTE_TOKENS = 60;

type Data = Record<string, unknown>;

/** The dearer of the two channels; the text is not made where the JSON alone is more than `enough`. */
function tokensOf(data: Data, enough = Number.POSITIVE_INFINITY): number {
  const tokens = countTokens(JSON.stringify(data));
  return tokens > enough ? tokens : Math.max(tokens, countTokens(renderText(data)));
}

/** A list of an answer or of a member, and the answer with only the first of its items. */
interface Cuttable {
  readonly path: string;
  readonly total: number;
  readonly size: number;
  readonly first: (count: number) => Data;
}

function listsOf(data: Data): Cuttable[] {
  return Object.entries(data).flatMap(([name, value]): Cuttable[] => {
    const withMember = (member: unknown) => ({ ...data, [name]: member });
    if (Array.isArray(value)) {
      const size = JSON.stringify(value).length;
      return [{ path: name, total: value.length, size, first: (count) => withMember(value.slice(0, count)) }];
    }
    const inner = isRecord(value) ? listsOf(value) : [];
    return inner.map((list) => ({ ...list, path: `${name}.${list.path}`, first: (count) => withMember(list.first(count)) }));
  });
}

/** The most items that fit; 0 where not even one does. */
function mostThatFit(total: number, fits: (count: number) => boolean): number {
  let fitting = 0;
  let tooMany = total;
  while (tooMany - fitting > 1) {
    const count = Math.floor((fitting + tooMany) / 2);
    if (fits(count)) fitting = count;
    else tooMany = count;
  }
  return fitting;
}

/** Tokens that each channel of an answer may take; a given `limit` is respected. */
function limitOf({ tool, input, caller }: Call): number {
  const { maxResultTokens } = caller.session.options;
  const isUsual = 'limit' in tool.input.shape && input['limit'] === undefined;
  return isUsual ? Math.min(tool.usualTokens ?? USUAL_TOKENS, maxResultTokens) : maxResultTokens;
}

function howToSeeMore(tool: AnyTool, data: Data, isUsual: boolean): string {
  if (data['status'] === 'preview') return 'the others would be sent too';
  if (isUsual) return tool.pageAfterCut ? 'pass cursor to go on, or limit' : 'pass limit to see more';
  const names = Object.keys(tool.input.shape);
  const ways = present(names.length > 0 && `narrow with ${names.join(', ')}`, typeof data['uri'] === 'string' && `read ${data['uri']}`);
  return ways.length > 0 ? ways.join(' or ') : 'the setting WEB_ANALYTICS_MAX_RESULT_TOKENS allows more';
}

function withNote(data: Data, note: string): Data {
  return { ...data, notes: [note, ...itemsOf(data['notes'])] };
}

/** The result of a write without its heaviest members: a failure would invite to write again. */
function trimmed(data: Data, limit: number): Data {
  const sizes = Object.entries(data).map(([name, value]) => ({ name, size: JSON.stringify(value)?.length ?? 0 }));
  const heaviest = sizes.filter(({ name }) => name !== 'status').toSorted((a, b) => b.size - a.size);
  let rest = data;
  for (const { name } of heaviest) {
    if (tokensOf(rest) <= limit - NOTE_TOKENS) break;
    const { [name]: _, ...others } = rest;
    rest = withNote(others, `${name} was too long to be shown.`);
  }
  return rest;
}

/** Without what is said beside items that are no longer in the page. */
function withPage({ paged = '', beside = [] }: AnyTool, data: Data): Data {
  const idOf = (item: unknown) => (isRecord(item) ? item['jobId'] : undefined);
  const kept = new Set(itemsOf(data[paged]).map(idOf));
  const listed = beside.filter((name) => Array.isArray(data[name]));
  const others = listed.map((name) => [name, itemsOf(data[name]).filter((item) => kept.has(idOf(item)))] as const);
  return { ...data, ...Object.fromEntries(others) };
}

/** Drops whole trailing items of the heaviest list until the answer fits into the room; undefined where that cannot help. */
function cut({ tool, input }: Call, data: Data, room: number) {
  const lists = listsOf(data).filter(({ path }) => path !== 'notes' && path !== 'columns' && !tool.beside?.includes(path));
  for (const { path, total, first } of lists.toSorted((a, b) => b.size - a.size)) {
    const shown = mostThatFit(total, (count) => tokensOf(withPage(tool, first(count)), room) <= room);
    if (shown === 0) continue;
    const page = path === 'rows' && tool.pageAfterCut && { page: tool.pageAfterCut(data['page'], shown, input) };
    return { data: withPage(tool, { ...first(shown), ...page }), path, shown, total };
  }
  return undefined;
}

/** Notes how much of a list is shown, of all that there are where the answer says how many; the next page is no longer the next. */
function cutNote({ paged }: AnyTool, { data, path, shown, total }: NonNullable<ReturnType<typeof cut>>, more: string): Data {
  const { total: all, notes } = data;
  const isPage = path === paged && Array.isArray(notes);
  const kept = isPage ? { ...data, notes: notes.filter((note) => !/; pass page \d/.test(String(note))) } : data;
  return withNote(kept, `Showing ${shown} of ${isPage && typeof all === 'number' ? all : total} ${path}; ${more}.`);
}

/** Without the members of the page's items that can be asked for one by one; undefined where there are none. */
function withoutHeavy({ paged = '', heavy }: AnyTool, data: Data): Data | undefined {
  const items = itemsOf<Data>(data[paged]);
  if (!heavy || !items.some((item) => heavy.members.some((name) => name in item))) return undefined;
  const light = items.map((item) => Object.fromEntries(Object.entries(item).filter(([name]) => !heavy.members.includes(name))));
  return withNote({ ...data, [paged]: light }, `Left out, to show more ${paged}: ${heavy.members.join(', ')}${heavy.seeAlso}.`);
}

/** A page of more items than usual, all of them; a long one leaves out the members that can be asked for one by one. */
function shortPage(tool: AnyTool, data: Data): Data {
  const isLong = itemsOf(data[tool.paged ?? '']).length > DEFAULT_PAGE_SIZE && tokensOf(data, USUAL_TOKENS) > USUAL_TOKENS;
  return (isLong && withoutHeavy(tool, data)) || data;
}

/**
 * An answer that is too long, cut: heavy members are left out first, then whole trailing items of the heaviest list, and a note says so.
 * Throws where that cannot help.
 */
function fitAnswer(call: Call, data: Data): Data {
  const { tool } = call;
  const { maxResultTokens } = call.caller.session.options;
  const limit = limitOf(call);
  const light = withoutHeavy(tool, data);
  if (light && tokensOf(light, limit) <= limit) return light;
  const fitted = cut(call, light ?? data, limit - NOTE_TOKENS);
  if (fitted) return cutNote(tool, fitted, howToSeeMore(tool, data, limit < maxResultTokens));
  // Better a long answer than none, as long as it stays under the hard cap.
  const tokens = tokensOf(data);
  if (tokens <= maxResultTokens) return data;
  if (data['status'] === 'done') return trimmed(data, limit);
  // A larger page would hold even more.
  const less = howToSeeMore(tool, data, false);
  throw new ApiError('invalid', `The answer has about ${tokens} tokens; the limit is ${maxResultTokens}: ${less}.`);
}

/** A picture as the protocol carries it. */
interface Image {
  readonly data: string;
  readonly mimeType: 'image/png';
}

/** The chart and its note, which a call with `chart: true` adds to its answer. */
interface Drawn {
  readonly chart?: ChartSpec;
  readonly image?: Image;
  /** One sentence for the notes: what was drawn, or why nothing was. */
  readonly note: string;
}

const NOTHING = 'No chart: there is no picture of this answer.';
const NO_RESVG = 'No image: that needs the optional package @resvg/resvg-js, which is not installed.';

/** A picture leaves its answer, so each says which project it is of. */
function named(spec: ChartSpec, project: string | undefined): ChartSpec {
  if (project === undefined) return spec;
  return joined(panelsOf(spec).map((panel) => ({ ...panel, subtitle: present(project, panel.subtitle).join(', ') }))) ?? spec;
}

/** Draws the chart of an answer, without secrets. */
export async function drawAnswer(make: MakeChart | undefined, redact: Redactor, project: string | undefined): Promise<Drawn> {
  const made = await make?.();
  if (!made) return { note: NOTHING };
  const chart = mapTexts(named(made, project), (text) => plainText(redact(text))) as ChartSpec; // texts stay texts
  try {
    const [{ drawSvg }, { drawPng }] = await Promise.all([import('../views/draw-svg.ts'), import('../views/draw-png.ts')]);
    const png = await drawPng(drawSvg(chart));
    if (!png) return { chart, note: NO_RESVG };
    const drawn = panelsOf(chart).map(({ kind, title }) => `${kind} chart: ${title}`);
    return { chart, image: { data: png.toString('base64'), mimeType: 'image/png' }, note: `Drawn as ${drawn.join('; ')}.` };
  } catch {
    // The numbers are right without their picture.
    return { chart, note: 'No image: drawing failed.' };
  }
}

/** A finished answer: both channels say the same. */
export interface Answer {
  readonly isError?: true;
  readonly structured?: Record<string, unknown>;
  readonly text: string;
  readonly links: readonly Link[];
  readonly image?: Image;
}

/** Without the notes that only sent the reader to tools that the connection does not offer. */
function withoutEmptyNotes(data: Data): Data {
  return Array.isArray(data['notes']) ? { ...data, notes: data['notes'].filter((note) => note !== '') } : data;
}

/** A text of a call's answer without secrets, with hints at tools that there are. */
const leavingText = ({ client, caller, options }: Call, text: string) =>
  client.redact(shownHints(text, caller.offer?.absent, options.projectId));

/** How many of what a list or table has, in all and in this answer: `25 of 40 runs.` */
function countLead(member: string, { length }: readonly unknown[], { total, page, [member]: items }: Data): string {
  const shown = itemsOf(items).length;
  const matched = isRecord(page) ? page['matched'] : total;
  const all = typeof matched === 'number' ? matched : length;
  const words = member.replaceAll(/([A-Z])/g, ' $1').toLowerCase();
  if (all === 0) return `No ${words}.`;
  return all > shown ? `${shown} of ${all} ${words}.` : `${counted(all, words.replace(/s$/, ''), words)}.`;
}

/** The figures of a table of metrics that has one row. */
function tableLead(units: Data, columns: readonly unknown[], [row]: readonly (readonly Cell[])[]): string {
  const at = (name: string) => row?.[columns.indexOf(name)];
  const figures = Object.keys(units)
    .slice(0, MOST_FIGURES)
    .map((name) => `${nameOf(name).toLowerCase()} ${valueText(Number(at(name) ?? Number.NaN), String(units[name]))}`);
  return `${capital(figures.join(', '))}.`;
}

/** More would be a table. */
const MOST_FIGURES = 3;

/** The first sentence of a reading tool without one of its own: its figures, how many of what it lists, or what it is of. */
function leadOf({ title, annotations }: AnyTool, data: Data, whole: Data): string {
  if ((data['answer'] ?? '') !== '' || !annotations.readOnlyHint) return '';
  const { units, columns } = data;
  const rows = itemsOf<readonly Cell[]>(data['rows']);
  const isMetric = isRecord(units) && Array.isArray(columns);
  if (isMetric && rows.length < 2) return `${tableLead(units, columns, rows)}\n`;
  const [, verb = '', subject = isMetric ? title : ''] = /^(Get|List|Find|Query) (?:an? |the )?(.+)$/.exec(title) ?? [];
  const isList = ['List', 'Find'].includes(verb) && data['rows'] === undefined;
  const [list] = Object.entries(whole).flatMap(([name, value]): [string, unknown[]][] =>
    Array.isArray(value) && (isList ? name !== 'notes' : name === 'rows') ? [[name, value]] : [],
  );
  return isList && list ? `${countLead(...list, data)}\n` : recordLead(subject, list, data);
}

/** `Export job "Hourly sessions".`, and of a table how many rows it has. */
function recordLead(subject: string, list: [string, unknown[]] | undefined, data: Data): string {
  if (subject === '') return '';
  const name = data['name'] ?? Object.values(data).find(isRecord)?.['name'];
  const words = `${capital(subject)}${typeof name === 'string' ? ` "${name}"` : ''}`;
  return `${words}${list ? `: ${countLead(...list, data)}` : '.'}\n`;
}

/** Both channels without secrets, the text made from the very data that leaves. */
function leavingAnswer(call: Call, data: Data, whole = data) {
  let hasOrders = false;
  const leaving = (text: string) => {
    hasOrders ||= readsAsOrders(text);
    return leavingText(call, text);
  };
  // A preview shows the caller's own words as they are, and rows of a statement the values that another statement can ask for.
  const { request, ...own } = data;
  const shown = (name: string) => (name === 'rows' && call.input['sql'] !== undefined ? oneLine : plainText);
  const there = Object.entries(own).filter(([, value]) => value !== undefined);
  const cleaned = there.map(([name, value]) => [name, mapTexts(value, (text) => shown(name)(leaving(text)))] as const);
  const left = withoutEmptyNotes({ ...Object.fromEntries(cleaned), ...(request !== undefined && { request: mapTexts(request, leaving) }) });
  const structured = hasOrders ? { ...left, notes: [...itemsOf(left['notes']), ORDERS_ARE_DATA] } : left;
  return { structured, text: unrendered(leadOf(call.tool, structured, whole) + renderText(structured)) };
}

/** The answer cut to the budget; one that fits is made once. */
function withinBudget(call: Call, whole: Data) {
  if (call.caller.whole) return leavingAnswer(call, whole);
  const data = shortPage(call.tool, whole);
  const limit = limitOf(call);
  if (countTokens(JSON.stringify(data)) <= limit) {
    const made = leavingAnswer(call, data, whole);
    if (countTokens(made.text) <= limit) return made;
  }
  return leavingAnswer(call, fitAnswer(call, data), whole);
}

/** Strips data to the tool's output, cuts it to the budget, removes secrets, and makes the text from it; a chart costs no budget. */
export function answerOf(call: Call, data: Data, { chart, image }: Partial<Drawn> = {}): Answer {
  const { notes, ...documented } = outputOf(call.tool).parse(data);
  const whole = Array.isArray(notes) && notes.length > 0 ? { ...documented, notes } : documented;
  const { structured, text } = withinBudget(call, whole);
  // Texts become other texts.
  const links = call.links.map((link) => mapTexts(link, (each) => plainText(leavingText(call, each))) as Link);
  return { structured: chart ? { ...structured, chart } : structured, text, links, ...(image && { image }) };
}

/**
 * A page that is full may not be the last: the interface says neither how many there are nor whether the first has the number 0 or 1.
 * Pages that this server cuts have a `total`, and a `nextPage` until the last.
 */
export function notePage(
  tool: AnyTool,
  data: Record<string, unknown>,
  { limit, page }: Readonly<Record<string, unknown>>,
  note: (sentence: string) => void,
): void {
  const items = tool.paged === undefined ? undefined : data[tool.paged];
  const size = typeof limit === 'number' ? limit : DEFAULT_PAGE_SIZE;
  if (!Array.isArray(items) || items.length < size) return;
  const { total, nextPage } = data;
  if (typeof total === 'number' && (total <= items.length || (page !== undefined && nextPage === undefined))) return;
  const orMore = size < MAX_PAGE_SIZE ? ' or a larger limit' : '';
  const following = typeof page === 'number' ? page + 1 : nextPage;
  const next =
    typeof following === 'number'
      ? `page ${following}${orMore}.`
      : `page 1${orMore}. If page 1 repeats these rows, pages begin at 1: go on with page 2.`;
  const shown = typeof total === 'number' ? `${items.length} of ${total}` : `A full page of ${size}: there may be more`;
  note(ofAnswer(`${shown}; pass ${next}`));
}
