import { isoTime } from '../../../src/lib/clock.ts';
import type { Trial } from '../tables.ts';
import { between, type Random, seeded } from '../verdicts/random.ts';
import { judgedByTool } from './platforms.ts';
import type { ReportEntry } from './speed-worlds.ts';

/** One request of a page as all runs share it. */
interface Planned {
  readonly url: string;
  readonly host: string;
  readonly mime: string;
  readonly bytes: number;
  /** Usual duration, ms. */
  readonly ms: number;
  /** Standard deviation of its duration from run to run, log scale. */
  readonly scatter: number;
  /** When it is asked for: once the document is there, with the page below, or after the largest paint. */
  readonly phase: 'document' | 'head' | 'body' | 'late';
  /** After the beginning of its phase, ms. */
  readonly offsetMs: number;
  /** Share of the runs that make it. */
  readonly chance: number;
  readonly isBlocking: boolean;
}

/** A page as all runs share it. */
interface Page {
  readonly requests: readonly Planned[];
  readonly hero: Planned;
}

type Range = readonly [number, number];
type HostPlan = readonly [
  host: string,
  phase: Planned['phase'],
  ending: string,
  mime: string,
  kilobytes: Range,
  ms: Range,
  blocking?: number,
];

const HOSTS: readonly (readonly [count: Range, ...HostPlan])[] = [
  [[2, 4], 'static.shop.example', 'head', 'css', 'text/css', [8, 60], [40, 160], 1],
  [[5, 10], 'static.shop.example', 'head', 'js', 'text/javascript', [15, 180], [50, 260], 0.3],
  [[10, 26], 'img.shop-cdn.example', 'body', 'webp', 'image/webp', [12, 90], [30, 190]],
  [[2, 6], 'api.shop.example', 'body', 'json', 'application/json', [1, 20], [60, 320]],
  [[1, 3], 'consent.example', 'head', 'js', 'text/javascript', [20, 90], [50, 240], 0.4],
  [[2, 5], 'tags.example', 'late', 'js', 'text/javascript', [20, 120], [50, 260]],
  [[2, 6], 'chat.example', 'late', 'js', 'text/javascript', [5, 150], [60, 300]],
  [[1, 4], 'ads.example', 'late', 'gif', 'image/gif', [0.05, 0.5], [30, 160]],
];

const letters = 'abcdefghijklmnopqrstuvwxyz';

function plannedOf(random: Random, [host, phase, ending, mime, kilobytes, ms, blocking = 0]: HostPlan, index: number): Planned {
  return {
    url: `https://${host}/files/${letters[index]}-${ending}.${ending}`,
    host,
    mime,
    bytes: Math.round(1000 * between(random, ...kilobytes)),
    ms: between(random, ...ms),
    scatter: between(random, 0.12, 0.36),
    phase,
    offsetMs: between(random, 0, phase === 'head' ? 60 : 900),
    chance: ending === 'gif' ? 0.5 : 1,
    isBlocking: random.uniform() < blocking,
  };
}

/** Draws a page of some twenty to sixty requests to eight hosts. */
function makePage(random: Random): Page {
  const document: Planned = {
    url: 'https://www.shop.example/',
    host: 'www.shop.example',
    mime: 'text/html',
    bytes: 40_000,
    ms: between(random, 180, 700),
    scatter: between(random, 0.08, 0.2),
    phase: 'document',
    offsetMs: 0,
    chance: 1,
    isBlocking: false,
  };
  const others = HOSTS.flatMap(([count, ...plan]) =>
    Array.from({ length: random.integer(...count) }, (_, index) => plannedOf(random, plan, index)),
  );
  const hero: Planned = {
    ...plannedOf(random, ['img.shop-cdn.example', 'body', 'webp', 'image/webp', [90, 400], [90, 400]], 0),
    url: 'https://img.shop-cdn.example/files/hero.webp',
    offsetMs: between(random, 0, 300),
  };
  return { requests: [document, ...others, hero], hero };
}

const HOUR_MS = 3_600_000;
const RUNS = 121;
/** The least by which a planted fault slows a single image, ms. */
const LARGE_MS = 600;
const END_MS = Date.parse('2025-09-01T00:00:00Z');

/** What makes the slow run of a pair slow. */
const FAULTS = [
  'document',
  'one host',
  'one image',
  'whole run',
  'slow machine',
  'nothing',
  'nothing, single requests slow by chance',
] as const;
/** One of these; what is slow by chance in a compared run with nothing planted may be named with reason, and is measured by itself. */
type Fault = (typeof FAULTS)[number];

/** How one run differs from the usual one, beyond its scatter. */
interface Slowness {
  readonly pace: number;
  readonly durations: number;
  readonly factorOf: (request: Planned) => number;
  readonly extraMsOf: (request: Planned) => number;
}

const USUAL: Slowness = { pace: 1, durations: 1, factorOf: () => 1, extraMsOf: () => 0 };

/** A request with its place in a run, ms after the start. */
interface Loaded {
  readonly request: Planned;
  readonly startMs: number;
  readonly ms: number;
}

interface Run {
  readonly loaded: readonly Loaded[];
  readonly firstByteMs: number;
  readonly fcpMs: number;
  readonly lcpMs: number;
  readonly loadMs: number;
}

/** Two runs of a page, the runs around them, and what only their maker knows. */
interface RunPair {
  readonly before: string;
  readonly after: string;
  readonly slower: 'before' | 'after';
  /** Host or address of what was made slow. */
  readonly culprit: string | undefined;
  readonly reports: readonly ReportEntry[];
  /** The HAR file of a run. */
  readonly harOf: (stepResultId: string) => string | undefined;
}

/**
 * Loads the page once: each phase begins when what it waits for has arrived. One request in a hundred is slow by chance, but where that
 * would be more than `mostChanceMs`.
 */
function loadOnce(random: Random, { requests, hero }: Page, runFactor: number, slowness: Slowness, mostChanceMs: number): Run {
  const { pace, durations, factorOf, extraMsOf } = slowness;
  const hosts = new Map(requests.map(({ host }) => [host, Math.exp(0.08 * random.normal())]));
  const msOf = (request: Planned) => {
    const spike = random.uniform() < 0.01 ? between(random, 1.8, 3.5) : 1;
    const scatter = Math.exp(request.scatter * random.normal());
    const isTooSlow = (request.phase === 'document' && mostChanceMs <= LARGE_MS) || (spike * scatter - 1) * request.ms > mostChanceMs;
    const own = scatter * (isTooSlow ? 1 : spike);
    return request.ms * runFactor * durations * (hosts.get(request.host) ?? 1) * own * factorOf(request) + extraMsOf(request);
  };
  const offsetOf = (ms: number) => ms * runFactor * pace * Math.exp(0.1 * random.normal());
  const loaded: Loaded[] = [];
  const load = (phase: Planned['phase'], fromMs: number) => {
    for (const request of requests)
      if (request.phase === phase && random.uniform() < request.chance)
        loaded.push({ request, startMs: fromMs + offsetOf(request.offsetMs), ms: msOf(request) });
  };
  const endOf = (isCounted: (request: Planned) => boolean) =>
    Math.max(...loaded.filter(({ request }) => isCounted(request)).map(({ startMs, ms }) => startMs + ms));
  load('document', 0);
  // A slow machine also takes longer until the document is there.
  const documentMs = endOf(() => true) * (durations === 1 ? pace : 1);
  loaded.splice(0, 1, ...loaded.map((each) => ({ ...each, ms: documentMs })));
  load('head', documentMs + offsetOf(15));
  const fcpMs =
    Math.max(
      documentMs,
      endOf(({ isBlocking }) => isBlocking),
    ) + offsetOf(60);
  load('body', Math.max(documentMs + offsetOf(120), fcpMs - offsetOf(40)));
  const lcpMs = Math.max(fcpMs, endOf((request) => request === hero) + offsetOf(25));
  load('late', lcpMs + offsetOf(200));
  return { loaded, firstByteMs: 0.85 * documentMs, fcpMs, lcpMs, loadMs: endOf(() => true) + offsetOf(30) };
}

function entryOf({ request, startMs, ms }: Loaded, dateMs: number): object {
  const { url, mime, bytes, isBlocking } = request;
  const receive = Math.min(ms * 0.3, bytes / 2_000);
  return {
    pageref: 'page_1',
    startedDateTime: isoTime(dateMs + startMs),
    time: ms,
    _renderBlocking: isBlocking ? 'blocking' : 'non_blocking',
    request: { method: 'GET', url, httpVersion: 'h2', headers: [], cookies: [], queryString: [], headersSize: 100, bodySize: 0 },
    response: {
      status: 200,
      statusText: 'OK',
      httpVersion: 'h2',
      headers: [{ name: 'content-type', value: mime }],
      cookies: [],
      redirectURL: '',
      headersSize: 200,
      bodySize: bytes,
      content: { size: bytes, mimeType: mime },
    },
    cache: {},
    timings: { blocked: 0, dns: -1, connect: -1, ssl: -1, send: 0, wait: ms - receive, receive },
  };
}

function harText({ loaded, loadMs }: Run, dateMs: number): string {
  const startedDateTime = isoTime(dateMs);
  const page = { startedDateTime, id: 'page_1', title: 'Shop', pageTimings: { onContentLoad: loadMs / 2, onLoad: loadMs } };
  const entries = loaded.toSorted((a, b) => a.startMs - b.startMs).map((each) => entryOf(each, dateMs));
  return JSON.stringify({ log: { version: '1.2', creator: { name: 'Agent', version: '1' }, pages: [page], entries } });
}

function reportOf({ loaded, firstByteMs, fcpMs, lcpMs, loadMs }: Run, date: number, stepResultId: string): ReportEntry {
  const timings = {
    firstByte: Math.round(firstByteMs),
    firstContentfulPaint: Math.round(fcpMs),
    largestContentfulPaint: Math.round(lcpMs),
    totalBlockingTime: Math.round(0.1 * lcpMs),
    loadEvent: Math.round(loadMs),
  };
  const weight = loaded.reduce((sum, { request }) => sum + request.bytes, 0);
  const step = {
    stepId: 101,
    stepResultId,
    name: 'Home',
    fail: 0,
    timings,
    weight,
    requestsCount: loaded.length,
    loadTime: timings.loadEvent,
  };
  return { resultId: stepResultId, date, summary: { fail: 0, average: timings, sum: timings }, steps: [step] };
}

/** What a fault does to a run of this page, and the host or address that it concerns. */
function slownessOf(random: Random, fault: Fault, { requests, hero }: Page): { slowness: Slowness; culprit: string | undefined } {
  const factor = between(random, 2.2, 5);
  const only = (isHit: (request: Planned) => boolean): Slowness => ({ ...USUAL, factorOf: (request) => (isHit(request) ? factor : 1) });
  if (fault === 'document') return { slowness: only(({ phase }) => phase === 'document'), culprit: undefined };
  if (fault === 'one host') {
    const names = [...new Set(requests.map(({ host }) => host))];
    const many = names.filter((name) => requests.filter(({ host, chance }) => host === name && chance === 1).length >= 3);
    const culprit = many[random.integer(0, many.length - 1)] ?? '';
    return { slowness: only(({ host }) => host === culprit), culprit };
  }
  if (fault === 'one image') {
    const images = requests.filter(({ mime }) => mime === 'image/webp');
    const image = random.uniform() < 0.5 ? hero : (images[random.integer(0, images.length - 1)] ?? hero);
    const extraMs = between(random, LARGE_MS, 3_000);
    return { slowness: { ...USUAL, extraMsOf: (request) => (request === image ? extraMs : 0) }, culprit: new URL(image.url).pathname };
  }
  const times = between(random, 1.8, 4.5);
  if (fault === 'whole run') return { slowness: { ...USUAL, pace: times, durations: times }, culprit: undefined };
  return { slowness: fault === 'slow machine' ? { ...USUAL, pace: times } : USUAL, culprit: undefined };
}

/** Makes five days of hourly runs of a page and picks two of them; the same seed gives the same. */
function makeRunPair(fault: Fault, seed: number): RunPair {
  const random = seeded(seed);
  const page = makePage(random);
  const { slowness, culprit } = slownessOf(random, fault, page);
  const first = random.integer(10, 90);
  const second = first + random.integer(1, 24);
  const slow = random.uniform() < 0.5 ? first : second;
  const idOf = (index: number) => `p${seed % 1_000_000}r${index}`;
  const runs = new Map<string, { run: Run; date: number }>();
  let deviation = random.normal();
  for (let index = 0; index < RUNS; index += 1) {
    deviation = 0.3 * deviation + Math.sqrt(1 - 0.09) * random.normal();
    const isChosen = index === first || index === second;
    // A compared run has no fault as large as one that is planted: it would be as true a culprit. Those around it have.
    const ofCompared = fault === 'nothing' ? 0 : LARGE_MS;
    const outlier = !isChosen && random.uniform() < 0.02 ? between(random, 1.5, 3) : 1;
    const run = loadOnce(
      random,
      page,
      outlier * Math.exp(0.08 * deviation),
      index === slow ? slowness : USUAL,
      isChosen ? ofCompared : Number.POSITIVE_INFINITY,
    );
    runs.set(idOf(index), { run, date: END_MS - (RUNS - index) * HOUR_MS });
  }
  return {
    before: idOf(first),
    after: idOf(second),
    slower: slow === first ? 'before' : 'after',
    culprit,
    reports: [...runs].map(([id, { run, date }]) => reportOf(run, date, id)),
    harOf(stepResultId) {
      const found = runs.get(stepResultId);
      return found && harText(found.run, found.date);
    },
  };
}

interface Culprit {
  readonly kind: string;
  readonly name: string | null;
  readonly slower: string | null;
}

/** The word of the answer for each fault. */
const KINDS: Readonly<Record<Fault, string>> = {
  document: 'document',
  'one host': 'host',
  'one image': 'request',
  'whole run': 'whole run',
  'slow machine': 'whole run',
  nothing: 'nothing',
  'nothing, single requests slow by chance': 'nothing',
};

function isNamed(fault: Fault, { culprit, slower }: RunPair, named: Culprit): boolean {
  if (named.kind !== KINDS[fault]) return false;
  return KINDS[fault] === 'nothing' || (named.slower === slower && (culprit === undefined || named.name?.includes(culprit) === true));
}

/** Two runs of a generated page, one with a planted slowness, compared by the built tool. */
export const pairNature = (trial: Trial) =>
  judgedByTool(trial, {
    title: 'Two runs through the built tool',
    columns: ['planted', 'named', 'what was named'],
    cases: FAULTS.map((name) => ({ name })),
    own: ({ name }) => FAULTS.indexOf(name),
    async outcomeOf({ name }, seed, { platform, peer }) {
      const pair = makeRunPair(name, seed);
      const { before, after, reports, harOf } = pair;
      const call = { before, after, scenarioId: platform.show(reports, harOf) };
      const { culprit } = await peer.answer<{ culprit: Culprit }>('compare_hars', call);
      return { verdict: culprit.kind, isRight: isNamed(name, pair, culprit) };
    },
    cellsOf: (_, { share, verdicts }) => [share(({ isRight }) => isRight), verdicts],
  });
