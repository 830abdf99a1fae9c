import { ApiError } from '../api/errors.ts';
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

type Members = Readonly<Record<string, unknown>>;

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listAt(data: unknown, path: readonly string[]): readonly unknown[] | undefined {
  const found = path.reduce<unknown>((value, name) => (isMembers(value) ? value[name] : undefined), data);
  return Array.isArray(found) ? found : undefined;
}

function withList(data: unknown, [name, ...rest]: readonly string[], list: readonly unknown[]): unknown {
  if (name === undefined || !isMembers(data)) return list;
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

/** What an answer may cost when the caller asked for nothing special, in tokens. */
const USUAL_TOKENS = 2_000;
/** Kept free for the note that says what was left out. */
const NOTE_TOKENS = 60;

type Data = Record<string, unknown>;

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

function limitOf(tool: AnyTool, { maxTokens, asked }: Budget): number {
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

/** What a write did without its heaviest members: a failure would invite to write again. */
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

/** Drops whole trailing items of the heaviest list until `measure` fits into the room; undefined where that cannot help. */
function cut(tool: AnyTool, data: Data, { asked }: Budget, room: number, measure: (data: Data) => number) {
  for (const { path } of listsOf(data)) {
    const { fits, data: fitted, shown, total } = fitToBudget(data, path, room, measure);
    const page = path === 'rows' && tool.pageAfterCut && { page: tool.pageAfterCut(data['page'], shown, asked) };
    if (fits) return { data: { ...fitted, ...page }, path, shown, total };
  }
  return undefined;
}

/** An answer as both channels have it; they are one object where the text leaves nothing out. */
export interface FittedAnswer {
  readonly structured: Data;
  readonly textData: Data;
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
  // Better an answer that is dear than none, as long as it stays under the hard cap.
  const tokens = tokensOf(tool, data);
  if (tokens <= budget.maxTokens) return both(data);
  if (data['status'] === 'done') return both(trimmed(tool, data, limit));
  // A larger page would hold even more.
  const less = howToSeeMore(tool, data, false);
  throw new ApiError('invalid', `The answer has about ${tokens} tokens; the limit is ${budget.maxTokens}: ${less}.`);
}
