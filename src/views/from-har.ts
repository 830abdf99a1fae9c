import { type HarQuery, viewOf } from '../har/answer/har-query.ts';
import { chosenRequests, loadEntities, problemTold, studyHar } from '../har/index.ts';
import type { HarEntry } from '../har/read/read-entry.ts';
import type { Har } from '../har/read/read-har.ts';
import { requestFilter } from '../har/requests/filter-requests.ts';
import type { PaintTimes } from '../har/requests/largest-paint.ts';
import type { HarStudy } from '../har/requests/study-har.ts';
import { partiesOf } from '../har/requests/third-parties.ts';
import { rounded } from '../har/requests/totals.ts';
import type { Problem } from '../har/rules/problem.ts';
import { sanitiseHost, sanitiseUrl } from '../har/sanitise-url.ts';
import { counted } from '../lib/number-text.ts';
import { headlineOf, present } from '../lib/sentences.ts';
import { momentWords, plainText } from './charts/values.ts';
import { type BarsSpec, type Mark, type WaterfallRow, type WaterfallSpec, waterfallColumns } from './spec.ts';

/** More rows could not be read, and would make the picture too large. */
const MAX_ROWS = 80;
const MAX_PARTIES = 20;
const LABEL_CHARACTERS = 46;

/** Facts that the HAR file itself does not hold. */
export interface WaterfallOptions {
  /** The words of the answer, whose first sentence is the title, and the problem that it tells. */
  readonly answer: string;
  readonly problem?: Problem | undefined;
  /** Moments of the page known from elsewhere, such as FCP and LCP, in ms after the start of the first page. */
  readonly marks?: readonly Mark[];
  /** Which requests to show; left out, all of them. */
  readonly entries?: readonly HarEntry[];
  /** When the run was made, as `2026-11-25T14:13Z`. */
  readonly time?: string | undefined;
  /** The step that it is of. */
  readonly of?: string | undefined;
}

/** The sanitised address without scheme and query. */
const addressOf = (url: string) => sanitiseUrl(url).replaceAll(/^https?:\/\/|\?.*$/gis, '');

/** The same with the domain alone, on the page's own host without it, and of a long one only domain and last part. */
function labelOf({ url, host, domain }: HarEntry, ownHost: string | null): string {
  const path = addressOf(url).replace(/^[^/]*/, '');
  const name = host === ownHost ? '' : plainText(sanitiseHost(domain ?? ''), LABEL_CHARACTERS / 2);
  if (name.length + path.length <= LABEL_CHARACTERS) return name + path;
  const end = path.slice(path.lastIndexOf('/', path.length - 2));
  return `${name}/…${plainText(end, LABEL_CHARACTERS - name.length - 2)}`;
}

function rowOf(entry: HarEntry, startMs: number, ownHost: string | null): WaterfallRow {
  const { blockedMs, dnsMs, connectMs: openMs, sslMs, sendMs, waitMs, receiveMs } = entry.timings;
  const connectMs = openMs === null ? null : Math.max(0, openMs - (sslMs ?? 0));
  const phases = [blockedMs, dnsMs, connectMs, sslMs, sendMs, waitMs, receiveMs];
  return [labelOf(entry, ownHost), entry.status, entry.transferBytes, startMs, entry.durationMs, ...phases];
}

/** Says how many of how many requests are drawn, where it is not all of them. */
function requestsText(har: Har, entries: readonly HarEntry[], shown: number): string {
  const which = shown < entries.length ? `the ${shown} longest of ${entries.length}` : String(shown);
  const noun = which === '1' ? 'request' : 'requests';
  return entries.length < har.entries.length ? `${which} chosen ${noun}, of ${har.entries.length} in all` : `${which} ${noun}`;
}

/** Where in a list the items are that a condition holds for. */
function positions<Item>(items: readonly Item[], holds: (item: Item) => boolean): number[] {
  return items.flatMap((item, index) => (holds(item) ? [index] : []));
}

/** Step, page and run of a picture, before what of it is drawn. */
const aboutOf = ({ har }: HarStudy, { of, time }: WaterfallOptions, what: string) =>
  present(
    of && plainText(of, 100),
    har.document && plainText(addressOf(har.document.url), 80),
    time && `run of ${momentWords(time.slice(0, 16), 'run', true)} ${time.slice(16).replace('Z', 'UTC')}`,
    what,
  ).join(', ');

/** The bytes that each third party moves, those in colour that block rendering; undefined where there is none. */
function partiesChart(study: HarStudy, { entries = study.entries, ...options }: WaterfallOptions): BarsSpec | undefined {
  const all = partiesOf(entries, study.entityOf, study.blocks).filter(({ party }) => party === 'third');
  const shown = all.slice(0, MAX_PARTIES);
  if (shown.length === 0) return undefined;
  const accent = shown.filter(({ blocking }) => blocking > 0).map(({ name }) => name);
  const which = shown.length < all.length ? `, the ${shown.length} heaviest of ${all.length}` : '';
  return {
    kind: 'bars',
    title: headlineOf(options.answer),
    subtitle: aboutOf(study, options, `bytes over the network by third party${which}`),
    unit: 'bytes',
    labels: shown.map(({ name }) => name),
    series: [{ name: 'bytes', values: shown.map(({ transferBytes }) => transferBytes) }],
    notes: shown.map(({ requests, blocking }) => `${counted(requests, 'request')}${blocking > 0 ? `, ${blocking} blocking` : ''}`),
    ...(accent.length > 0 && { accent }),
  };
}

/** The waterfall of a HAR file: at most 80 requests, the longest, in the order given; undefined where none has a start. */
export function waterfallOf(study: HarStudy, options: WaterfallOptions): WaterfallSpec | undefined {
  const { answer, problem, marks = [], entries = study.entries } = options;
  const { har, blocks } = study;
  const meant = new Set(problem?.concerned.map(({ entry }) => entry));
  const placed = entries.flatMap((entry) => (entry.startMs === null ? [] : [{ entry, startMs: entry.startMs }]));
  if (placed.length === 0) return undefined;
  const weight = ({ entry }: (typeof placed)[number]) =>
    entry === har.document || meant.has(entry) ? Number.POSITIVE_INFINITY : (entry.durationMs ?? 0);
  const longest = new Set(placed.toSorted((a, b) => weight(b) - weight(a)).slice(0, MAX_ROWS));
  const shown = placed.filter((each) => longest.has(each));
  const blocking = positions(shown, ({ entry }) => blocks.has(entry));
  const found = positions(shown, ({ entry }) => meant.has(entry));
  const thirdParty = positions(shown, ({ entry }) => entry.party === 'third');
  const page = har.pages[0];
  const origin = page?.startMs ?? 0;
  const loaded = page && page.onLoadMs !== null ? [{ name: 'onLoad', atMs: page.onLoadMs }] : [];
  return {
    kind: 'waterfall',
    title: headlineOf(answer),
    subtitle: aboutOf(study, options, requestsText(har, entries, shown.length)),
    columns: waterfallColumns,
    rows: rounded(shown.map(({ entry, startMs }) => rowOf(entry, startMs, har.document?.host ?? null))),
    ...(found.length > 0 && { finding: { rows: found, isInferred: problem?.basis === 'heuristic' } }),
    ...(blocking.length > 0 && { blocking }),
    ...(thirdParty.length > 0 && { thirdParty }),
    marks: [...marks, ...loaded].map(({ name, atMs }) => ({ name, atMs: Math.round(origin + atMs) })),
  };
}

/** A run as far as its picture names it. */
interface RunDrawn {
  readonly run: { readonly scenario?: string | undefined; readonly step?: string | undefined; readonly time?: string | undefined };
  readonly paints: PaintTimes | undefined;
}

/** The waterfall of the requests that a query of a step's HAR file is about, or the bytes of each third party; the summary is about all. */
export async function stepWaterfall(
  har: Har,
  query: HarQuery,
  { run: { scenario, step, time }, paints }: RunDrawn,
  answer: string,
): Promise<BarsSpec | WaterfallSpec | undefined> {
  const study = studyHar(har, await loadEntities(), paints);
  const entries = viewOf(query) === 'summary' ? har.entries : chosenRequests(study, query);
  const marks = Object.entries({ FCP: paints?.fcpMs, LCP: paints?.lcpMs }).flatMap(([name, atMs]) =>
    typeof atMs === 'number' ? [{ name, atMs }] : [],
  );
  // `Checkout – mobile, step 2 "Cart", type image`, as far as it is known.
  const filters = Object.entries(query).map(
    ([name, wanted]) =>
      wanted !== undefined &&
      (name === 'orderBy' ? `in order of ${wanted}` : (name === 'problem' || Object.hasOwn(requestFilter, name)) && `${name} ${wanted}`),
  );
  const of = present(scenario, step && `step ${step}`, ...filters).join(', ');
  return (viewOf(query) === 'third_parties' ? partiesChart : waterfallOf)(study, {
    answer,
    problem: problemTold(study, query),
    entries,
    marks,
    time,
    of,
  });
}
