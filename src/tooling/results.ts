import { ApiError } from '../api/errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../api/params.ts';
import { callsOfProject, shownHints } from '../lib/hint.ts';
import { isRecord } from '../lib/is-record.ts';
import { mapTexts } from '../lib/map-texts.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { ORDERS_ARE_DATA, oneLine, plainText, readsAsOrders, unrendered } from '../lib/strangers-text.ts';
import type { MakeChart } from '../usecases/context.ts';
import { type ChartSpec, joined, panelsOf } from '../views/spec.ts';
import { renderText } from './render-text.ts';
import { outputOf } from './schema.ts';
import type { Session } from './session.ts';
import type { AnyTool, Link, Offer } from './tool.ts';

/** Tokens as answers count them: four characters each. */
export function countTokens(text: string): number {
  return Math.ceil(text.length / 4);
}

/** `fits: false`: dropping items cannot help, because there is no list at the path or not even one item fits; `data` is then unchanged. */
interface Fitted<T> {
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
interface Budget {
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
function limitOf(tool: AnyTool, { maxTokens, asked }: Budget): number {
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
function shortPage(tool: AnyTool, data: Data): Data {
  const items = tool.paged === undefined ? undefined : data[tool.paged];
  if (!Array.isArray(items) || items.length <= DEFAULT_PAGE_SIZE || tokensOf(data, USUAL_TOKENS) <= USUAL_TOKENS) return data;
  return withoutHeavy(tool, data) ?? data;
}

/**
 * The answer as both channels have it. Where one of them would be too long, heavy members are left out first, then whole trailing items of
 * the heaviest list, and a note says so. Throws where that cannot help.
 */
function fitAnswer(tool: AnyTool, data: Data, budget: Budget): Data {
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

const NOTHING = 'No chart: this answer holds nothing that can be drawn.';
const NO_RESVG = 'No image: that needs the optional package @resvg/resvg-js, which is not installed.';

/** A picture leaves its answer, so each says which project it is of. */
function named(spec: ChartSpec, project: string | undefined): ChartSpec {
  if (project === undefined) return spec;
  return joined(panelsOf(spec).map((panel) => ({ ...panel, subtitle: [project, panel.subtitle].filter(Boolean).join(', ') }))) ?? spec;
}

/** Draws the chart of an answer; what is drawn went through `clean` first, so that no secret stands in a picture. */
export async function drawAnswer(
  make: MakeChart | undefined,
  { clean, project }: { clean: (spec: ChartSpec) => ChartSpec; project: string | undefined },
): Promise<Drawn> {
  const made = await make?.();
  if (!made) return { note: NOTHING };
  const chart = clean(named(made, project));
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

interface AnswerOptions {
  readonly session: Session;
  readonly offer: Offer | undefined;
  readonly links: readonly Link[];
  readonly redact: (text: string) => string;
  /** The arguments as given; a given `limit` is respected. */
  readonly asked: Record<string, unknown>;
  /** The requested chart; not counted in the budget and not part of the text. */
  readonly drawn?: Drawn;
  /** No token budget. */
  readonly whole?: boolean | undefined;
  /** The project that the call chose; calls that the answer prints name it. */
  readonly projectId?: number | undefined;
}

/** Without the notes that only sent the reader to tools that the connection does not offer. */
function withoutEmptyNotes(data: Record<string, unknown>): Record<string, unknown> {
  return Array.isArray(data['notes']) ? { ...data, notes: data['notes'].filter((note) => note !== '') } : data;
}

/** A chart without secrets. */
export function redactChart(chart: ChartSpec, redact: (text: string) => string): ChartSpec {
  return mapTexts(chart, (text) => plainText(redact(text))) as ChartSpec; // texts stay texts
}

/** Both channels without secrets, the text made from the very data that leaves. */
function leavingAnswer(data: Record<string, unknown>, { redact: clean, offer, projectId, asked }: AnswerOptions) {
  let hasOrders = false;
  const redact = (text: string) => {
    hasOrders ||= readsAsOrders(text);
    const own = projectId === undefined ? text : callsOfProject(text, projectId);
    return clean(shownHints(own, offer?.absent));
  };
  // A preview shows the caller's own words as they are, and rows of a statement the values that another statement can ask for.
  const { request, ...own } = data;
  const leaving = (name: string) => (name === 'rows' && asked['sql'] !== undefined ? oneLine : plainText);
  const cleaned = Object.entries(own).map(([name, value]) => [name, mapTexts(value, (text) => leaving(name)(redact(text)))] as const);
  const left = withoutEmptyNotes({ ...Object.fromEntries(cleaned), ...(request !== undefined && { request: mapTexts(request, redact) }) });
  const structured = hasOrders ? { ...left, notes: [...(Array.isArray(left['notes']) ? left['notes'] : []), ORDERS_ARE_DATA] } : left;
  return { structured, text: unrendered(renderText(structured)) };
}

/** The answer cut to the budget; one that fits is made once. */
function withinBudget(tool: AnyTool, whole: Record<string, unknown>, options: AnswerOptions) {
  if (options.whole) return leavingAnswer(whole, options);
  const data = shortPage(tool, whole);
  const budget = { maxTokens: options.session.options.maxResultTokens, asked: options.asked };
  const limit = limitOf(tool, budget);
  if (countTokens(JSON.stringify(data)) <= limit) {
    const made = leavingAnswer(data, options);
    if (countTokens(made.text) <= limit) return made;
  }
  return leavingAnswer(fitAnswer(tool, data, budget), options);
}

/** Strips data to the tool's output, cuts it to the budget, removes secrets, and makes the text from it. */
export function answerOf(tool: AnyTool, data: Record<string, unknown>, options: AnswerOptions): Answer {
  const { notes, ...documented } = outputOf(tool).parse(data);
  const whole = Array.isArray(notes) && notes.length > 0 ? { ...documented, notes } : documented;
  const { structured, text } = withinBudget(tool, whole, options);
  // Texts become other texts.
  const links = options.links.map((link) => mapTexts(link, (each) => plainText(options.redact(each))) as Link);
  const { chart, image } = options.drawn ?? {};
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
