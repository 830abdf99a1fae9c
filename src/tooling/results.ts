import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../api/params.ts';
import { callsOfProject, shownHints } from '../lib/hint.ts';
import { mapTexts } from '../lib/map-texts.ts';
import { ofAnswer } from '../lib/note-mark.ts';
import { ORDERS_ARE_DATA, plainText, readsAsOrders, unrendered } from '../lib/strangers-text.ts';
import type { MakeChart } from '../usecases/context.ts';
import { type ChartSpec, joined, panelsOf } from '../views/spec.ts';
import { countTokens, fitAnswer, limitOf, shortPage } from './fit-answer.ts';
import { renderText } from './render-text.ts';
import { outputOf } from './schema.ts';
import type { Session } from './session.ts';
import type { AnyTool, Link, Offer } from './tool.ts';

/** A picture as the protocol carries it. */
export interface Image {
  readonly data: string;
  readonly mimeType: 'image/png';
}

/** The chart and its note, which a call with `chart: true` adds to its answer. */
export interface Drawn {
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
function leavingAnswer(data: Record<string, unknown>, { redact: clean, offer, projectId }: AnswerOptions) {
  let hasOrders = false;
  const redact = (text: string) => {
    hasOrders ||= readsAsOrders(text);
    const own = projectId === undefined ? text : callsOfProject(text, projectId);
    return clean(shownHints(own, offer?.absent));
  };
  // A preview shows the caller's own words as they are.
  const { request, ...own } = data;
  const cleaned = mapTexts(own, (text) => plainText(redact(text))) as Record<string, unknown>; // a record stays one
  const left = withoutEmptyNotes({ ...cleaned, ...(request !== undefined && { request: mapTexts(request, redact) }) });
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
