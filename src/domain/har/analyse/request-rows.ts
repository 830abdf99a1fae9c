import { addressOf } from '../read/addresses.ts';
import { type Har, type HarEntry, INITIATOR_TYPES } from '../read/har-model.ts';
import { sanitiseContentType } from '../sanitise/sanitise-headers.ts';
import { sanitiseHost, sanitiseUrl, shortUrl } from '../sanitise-url.ts';
import { shownMethod } from '../summary/har-summary.ts';
import { endOf } from './blocking.ts';
import { imageHint } from './image-hint.ts';
import type { Problem, ProblemKind } from './problem.ts';
import type { EntityOf, PartyGroup } from './third-parties.ts';

/** A cell of a table. */
export type HarCell = string | number | boolean | null;

/** A table with its header once. */
export interface Table {
  columns: string[];
  rows: HarCell[][];
}

/** Milliseconds to a tenth, which is finer than any recorder measures. */
export function tenth(ms: number): number;
export function tenth(ms: number | null): number | null;
export function tenth(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms * 10) / 10;
}

const REQUEST_COLUMNS = ['index', 'host', 'path', 'status', 'type', 'party', 'startMs', 'durationMs', 'transferBytes', 'contentBytes'];

/** Requests in short, one row each. */
export function requestTable(entries: readonly HarEntry[]): Table {
  return {
    columns: REQUEST_COLUMNS,
    rows: entries.map((entry) => {
      const { host, path } = addressOf(entry.url);
      const { index, status, type, party, transferBytes, contentBytes } = entry;
      return [index, host, path, status, type, party, tenth(entry.startMs), tenth(entry.durationMs), transferBytes, contentBytes];
    }),
  };
}

/** Images in short, with their format and the dimensions that their addresses name. */
export function imageTable(entries: readonly HarEntry[]): Table {
  const { columns, rows } = requestTable(entries);
  const hints = entries.map((entry) => imageHint(entry));
  return {
    columns: [...columns, 'format', 'width', 'height'],
    rows: rows.map((row, index) => [...row, hints[index]?.format ?? null, hints[index]?.width ?? null, hints[index]?.height ?? null]),
  };
}

const WATERFALL_COLUMNS = [
  'index',
  'host',
  'path',
  'type',
  'startMs',
  'endMs',
  'blockedMs',
  'dnsMs',
  'connectMs',
  'sslMs',
  'waitMs',
  'receiveMs',
  'transferBytes',
  'contentBytes',
  'blocksRendering',
];

/** Requests with the phases of their time, in order of start; `sslMs` lies inside `connectMs`. */
export function waterfallTable(entries: readonly HarEntry[], blocking: ReadonlySet<HarEntry>): Table {
  return {
    columns: WATERFALL_COLUMNS,
    rows: entries.map((entry) => {
      const { host, path } = addressOf(entry.url);
      const { blockedMs, dnsMs, connectMs, sslMs, waitMs, receiveMs } = entry.timings;
      const phases = [blockedMs, dnsMs, connectMs, sslMs, waitMs, receiveMs].map((ms) => tenth(ms));
      const endMs = entry.startMs === null ? null : tenth(endOf(entry));
      const { index, type, transferBytes, contentBytes } = entry;
      return [index, host, path, type, tenth(entry.startMs), endMs, ...phases, transferBytes, contentBytes, blocking.has(entry)];
    }),
  };
}

const PARTY_COLUMNS = [
  'name',
  'party',
  'category',
  'domains',
  'hosts',
  'requests',
  'transferBytes',
  'contentBytes',
  'blocking',
  'blockingUntilMs',
  'firstMs',
  'busyMs',
];
/** Domains of one party that are named; the rest is counted. */
const DOMAINS = 4;

/** Parties, one row each. */
export function partyTable(groups: readonly PartyGroup[]): Table {
  return {
    columns: PARTY_COLUMNS,
    rows: groups.map((group) => {
      const { name, party, category, domains, hosts, totals, blocking } = group;
      const shown = [...domains].slice(0, DOMAINS).join(' ');
      const named = domains.size > DOMAINS ? `${shown} +${domains.size - DOMAINS}` : shown;
      const times = [group.blockingUntilMs, group.firstMs, group.busyMs].map((ms) => tenth(ms));
      const { requests, transferBytes, contentBytes } = totals;
      return [name, party, category, named, hosts, requests, transferBytes, contentBytes, blocking, ...times];
    }),
  };
}

const CODING = /^(?:gzip|x-gzip|deflate|br|zstd|compress|identity|dcb|dcz|sdch)$/;
/** Longest address that is shown whole. */
const MAX_URL = 500;

/** All that may be said of one request, its texts sanitised; null where the file does not say. */
export function requestDetail(entry: HarEntry, { pages }: Har, entityOf: EntityOf): Record<string, HarCell> {
  const { timings } = entry;
  const phases = Object.fromEntries(Object.entries(timings).map(([name, ms]): [string, HarCell] => [name, tenth(ms)]));
  const address = (url: string | null): HarCell => (url === null ? null : shortUrl(url, MAX_URL));
  const place = (host: string | null): HarCell => (host === null ? null : sanitiseHost(host));
  return {
    index: entry.index,
    url: address(entry.url),
    host: place(entry.host),
    domain: place(entry.domain),
    party: entry.party,
    entity: entry.host === null || entry.party === 'first' ? null : (entityOf(entry.host)?.name ?? null),
    method: shownMethod(entry.method),
    status: entry.status,
    redirectUrl: entry.redirectUrl === null ? null : sanitiseUrl(entry.redirectUrl).slice(0, MAX_URL),
    type: entry.type,
    mime: sanitiseContentType(entry.mime) || null,
    page: pageNumber(entry, pages),
    startMs: tenth(entry.startMs),
    durationMs: tenth(entry.durationMs),
    ...phases,
    transferBytes: entry.transferBytes,
    contentBytes: entry.contentBytes,
    contentEncoding: codingOf(entry.contentEncoding),
    protocol: entry.protocol,
    connection: /^\d{1,10}$/.test(entry.connection ?? '') ? entry.connection : null,
    opensConnection: (timings.connectMs ?? 0) > 0,
    fromCache: entry.fromCache,
    cacheLifetimeSeconds: entry.cacheLifetimeSeconds === null ? null : Math.round(entry.cacheLifetimeSeconds),
    hasValidator: entry.headersKnown ? entry.hasValidator : null,
    priority: entry.priority,
    renderBlocking: entry.renderBlocking,
    initiatorType: INITIATOR_TYPES.has(entry.initiatorType ?? '') ? entry.initiatorType : null,
    initiatorUrl: address(entry.initiatorUrl),
  };
}

/** Position of the page from 1; null where the file has but one, or the request belongs to none. */
function pageNumber(entry: HarEntry, pages: Har['pages']): number | null {
  const at = pages.findIndex(({ id }) => id === entry.pageId);
  return pages.length < 2 || at === -1 ? null : at + 1;
}

/** Codings that are known, others may be anything. */
function codingOf(encoding: string | null): string | null {
  const codings = (encoding ?? '')
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => CODING.test(coding));
  return codings.length > 0 ? codings.join(', ') : null;
}

/** A request with what is wrong with it. */
export interface ProblemRequest {
  readonly problem: ProblemKind;
  readonly entry: HarEntry;
  readonly detail: string;
}

/** Those of the chosen requests that a problem concerns, in the order of the problems and in each the costliest first. */
export function problemRequests(problems: readonly Problem[], entries: readonly HarEntry[]): ProblemRequest[] {
  const chosen = new Set(entries);
  return problems.flatMap(({ problem, concerned }) =>
    concerned
      .filter(({ entry }) => chosen.has(entry))
      .toSorted((a, b) => b.cost - a.cost)
      .map(({ entry, detail }) => ({ problem, entry, detail })),
  );
}

const COLUMNS = ['problem', 'detail', 'index', 'host', 'path', 'status', 'type', 'durationMs', 'transferBytes', 'contentBytes'];

/** Requests with their problems, one row for each pair. */
export function problemTable(requests: readonly ProblemRequest[]): Table {
  return {
    columns: COLUMNS,
    rows: requests.map(({ problem, entry, detail }) => {
      const { host, path } = addressOf(entry.url);
      const { index, status, type, durationMs, transferBytes, contentBytes } = entry;
      return [problem, detail, index, host, path, status, type, tenth(durationMs), transferBytes, contentBytes];
    }),
  };
}
