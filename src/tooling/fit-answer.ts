import { ApiError } from '../api/errors.ts';
import { DEFAULT_PAGE_SIZE } from '../api/params.ts';
import { isRecord } from '../lib/is-record.ts';
import { renderText } from './render-text.ts';
import type { AnyTool } from './tool.ts';

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

/** The dearer of the two channels; the text is not made where the JSON alone is more than `enough`. */
function tokensOf(data: Data, enough = Number.POSITIVE_INFINITY): number {
  const tokens = countTokens(JSON.stringify(data));
  return tokens > enough ? tokens : Math.max(tokens, countTokens(renderText(data)));
}

/** Lists of an answer and of its members, as paths, the heaviest first. */
function listsOf(data: Data, prefix = ''): { path: string; size: number }[] {
  const lists = Object.entries(data).flatMap(([name, value]) => {
    if (Array.isArray(value)) return [{ path: `${prefix}${name}`, size: JSON.stringify(value).length }];
    return isRecord(value) ? listsOf(value, `${prefix}${name}.`) : [];
  });
  return lists.filter(({ path }) => path !== 'notes' && path !== 'columns').toSorted((a, b) => b.size - a.size);
}

/** Tokens that each channel of an answer may take. */
export function limitOf(tool: AnyTool, { maxTokens, asked }: Budget): number {
  return 'limit' in tool.input.shape && asked['limit'] === undefined ? Math.min(tool.usualTokens ?? USUAL_TOKENS, maxTokens) : maxTokens;
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

/** An answer with one of its lists cut. */
interface Cut {
  readonly data: Data;
  readonly path: string;
  readonly shown: number;
  readonly total: number;
}

/** Notes how much of a list is shown, of all that there are where the answer says how many; the next page is no longer the next. */
function cutNote({ paged }: AnyTool, { data, path, shown, total }: Cut, more: string): Data {
  const { total: all, notes } = data;
  const isPage = path === paged && Array.isArray(notes);
  const kept = isPage ? { ...data, notes: notes.filter((note) => !/; pass page \d/.test(String(note))) } : data;
  return withNote(kept, `Showing ${shown} of ${isPage && typeof all === 'number' ? all : total} ${path}; ${more}.`);
}

/** Without the members of the page's items that can be asked for one by one; undefined where there are none. */
function withoutHeavy({ paged, heavy }: AnyTool, data: Data): Data | undefined {
  const items = paged === undefined ? undefined : data[paged];
  if (paged === undefined || heavy === undefined || !Array.isArray(items)) return undefined;
  if (!items.some((item: Data) => heavy.members.some((name) => name in item))) return undefined;
  const light = items.map((item: Data) => Object.fromEntries(Object.entries(item).filter(([name]) => !heavy.members.includes(name))));
  return withNote({ ...data, [paged]: light }, `Left out, to show more ${paged}: ${heavy.members.join(', ')}${heavy.seeAlso}.`);
}

/** A page of more items than usual, all of them; a long one leaves out the members that can be asked for one by one. */
export function shortPage(tool: AnyTool, data: Data): Data {
  const items = tool.paged === undefined ? undefined : data[tool.paged];
  if (!Array.isArray(items) || items.length <= DEFAULT_PAGE_SIZE || tokensOf(data, USUAL_TOKENS) <= USUAL_TOKENS) return data;
  return withoutHeavy(tool, data) ?? data;
}

/**
 * The answer as both channels have it. Where one of them would be too long, heavy members are left out first, then whole trailing items of
 * the heaviest list, and a note says so. Throws where that cannot help.
 */
export function fitAnswer(tool: AnyTool, data: Data, budget: Budget): Data {
  const limit = limitOf(tool, budget);
  if (tokensOf(data, limit) <= limit) return data;
  const room = limit - NOTE_TOKENS;
  const more = howToSeeMore(tool, data, limit < budget.maxTokens);
  const light = withoutHeavy(tool, data);
  if (light && tokensOf(light, limit) <= limit) return light;
  const fitted = cut(tool, light ?? data, budget, room, (candidate) => tokensOf(candidate, room));
  if (fitted) return cutNote(tool, fitted, more);
  // Better a long answer than none, as long as it stays under the hard cap.
  const tokens = tokensOf(data);
  if (tokens <= budget.maxTokens) return data;
  if (data['status'] === 'done') return trimmed(data, limit);
  // A larger page would hold even more.
  const less = howToSeeMore(tool, data, false);
  throw new ApiError('invalid', `The answer has about ${tokens} tokens; the limit is ${budget.maxTokens}: ${less}.`);
}
