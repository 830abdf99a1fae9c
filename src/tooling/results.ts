import { ApiError } from '../api/errors.ts';
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../api/params.ts';
import { shownHints } from '../lib/hint.ts';
import { isRecord } from '../lib/is-record.ts';
import { mapTexts } from '../lib/map-texts.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import type { Redactor } from '../lib/redact.ts';
import { ORDERS_ARE_DATA, oneLine, plainText, readsAsOrders, unrendered } from '../lib/strangers-text.ts';
import type { MakeChart } from '../usecases/context.ts';
import { type ChartSpec, joined, panelsOf } from '../views/spec.ts';
import type { Call } from './call-context.ts';
import { renderText } from './render-text.ts';
import { outputOf } from './schema.ts';
import type { AnyTool, Link } from './tool.ts';

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

/** An answer with one of its lists cut. */
interface Cut {
  readonly data: Data;
  readonly path: string;
  readonly shown: number;
  readonly total: number;
}

/** Drops whole trailing items of the heaviest list until the answer fits into the room; undefined where that cannot help. */
function cut({ tool, input }: Call, data: Data, room: number): Cut | undefined {
  const lists = listsOf(data).filter(({ path }) => path !== 'notes' && path !== 'columns' && !tool.beside?.includes(path));
  for (const { path, total, first } of lists.toSorted((a, b) => b.size - a.size)) {
    const shown = mostThatFit(total, (count) => tokensOf(withPage(tool, first(count)), room) <= room);
    if (shown === 0) continue;
    const page = path === 'rows' && tool.pageAfterCut && { page: tool.pageAfterCut(data['page'], shown, input) };
    return { data: { ...withPage(tool, first(shown)), ...page }, path, shown, total };
  }
  return undefined;
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

const NOTHING = 'No chart: this answer holds nothing that can be drawn.';
const NO_RESVG = 'No image: that needs the optional package @resvg/resvg-js, which is not installed.';

/** A picture leaves its answer, so each says which project it is of. */
function named(spec: ChartSpec, project: string | undefined): ChartSpec {
  if (project === undefined) return spec;
  return joined(panelsOf(spec).map((panel) => ({ ...panel, subtitle: [project, panel.subtitle].filter(Boolean).join(', ') }))) ?? spec;
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

/** Both channels without secrets, the text made from the very data that leaves. */
function leavingAnswer(call: Call, data: Data) {
  let hasOrders = false;
  const leaving = (text: string) => {
    hasOrders ||= readsAsOrders(text);
    return leavingText(call, text);
  };
  // A preview shows the caller's own words as they are, and rows of a statement the values that another statement can ask for.
  const { request, ...own } = data;
  const shown = (name: string) => (name === 'rows' && call.input['sql'] !== undefined ? oneLine : plainText);
  const cleaned = Object.entries(own).map(([name, value]) => [name, mapTexts(value, (text) => shown(name)(leaving(text)))] as const);
  const left = withoutEmptyNotes({ ...Object.fromEntries(cleaned), ...(request !== undefined && { request: mapTexts(request, leaving) }) });
  const structured = hasOrders ? { ...left, notes: [...(Array.isArray(left['notes']) ? left['notes'] : []), ORDERS_ARE_DATA] } : left;
  return { structured, text: unrendered(renderText(structured)) };
}

/** The answer cut to the budget; one that fits is made once. */
function withinBudget(call: Call, whole: Data) {
  if (call.caller.whole) return leavingAnswer(call, whole);
  const data = shortPage(call.tool, whole);
  const limit = limitOf(call);
  if (countTokens(JSON.stringify(data)) <= limit) {
    const made = leavingAnswer(call, data);
    if (countTokens(made.text) <= limit) return made;
  }
  return leavingAnswer(call, fitAnswer(call, data));
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
