import { tableOf } from '../../../lib/columns.ts';
import { partsOf } from '../read/addresses.ts';
import { type HarEntry, type HarTimings, INITIATOR_TYPES, METHODS } from '../read/har-model.ts';
import { knownCodings, sanitiseContentType } from '../sanitise/sanitise-headers.ts';
import { sanitiseHost, sanitiseUrl, shortUrl } from '../sanitise-url.ts';
import { imageHint } from './images.ts';
import type { HarStudy } from './study-har.ts';
import { endOf, opensConnection, tenth } from './totals.ts';

/** A cell of a table. */
export type HarCell = string | number | boolean | null;

const MAX_URL = 80;
/** Longest address that is shown whole. */
const WHOLE_URL = 500;

const wholeAddress = (url: string | null) => (url === null ? null : shortUrl(url, WHOLE_URL));
const place = (host: string | null) => (host === null ? null : sanitiseHost(host));

const phase =
  (name: keyof HarTimings) =>
  ({ timings }: HarEntry) =>
    tenth(timings[name]);

/** Position of the page from 1; null where the load has but one, or the request belongs to none. */
function pageNumber({ pageId }: HarEntry, { har: { pages } }: HarStudy): number | null {
  const at = pages.findIndex(({ id }) => id === pageId);
  return pages.length < 2 || at === -1 ? null : at + 1;
}

/**
 * All that may be said of a request, each fact by its name, free of secrets; times in ms to a tenth, null where the file does not say.
 * Every row about a request, in whatever answer, is made of these.
 */
const columns = {
  index: ({ index }) => index,
  url: ({ url }) => shortUrl(url, MAX_URL),
  host: ({ url }) => partsOf(sanitiseUrl(url)).host,
  path: ({ url }) => partsOf(sanitiseUrl(url)).path,
  domain: ({ domain }) => place(domain),
  party: ({ party }) => party,
  entity: ({ host, party }, { entityOf }) => (host === null || party === 'first' ? null : (entityOf(host)?.name ?? null)),
  method: ({ method }) => (METHODS.has(method) ? method : 'other'),
  status: ({ status }) => status,
  redirectUrl: ({ redirectUrl }) => wholeAddress(redirectUrl),
  type: ({ type }) => type,
  mime: ({ mime }) => sanitiseContentType(mime) || null,
  page: pageNumber,
  startMs: ({ startMs }) => tenth(startMs),
  endMs: (entry) => (entry.startMs === null ? null : tenth(endOf(entry))),
  durationMs: ({ durationMs }) => tenth(durationMs),
  blockedMs: phase('blockedMs'),
  dnsMs: phase('dnsMs'),
  connectMs: phase('connectMs'),
  sslMs: phase('sslMs'),
  sendMs: phase('sendMs'),
  waitMs: phase('waitMs'),
  receiveMs: phase('receiveMs'),
  transferBytes: ({ transferBytes }) => transferBytes,
  contentBytes: ({ contentBytes }) => contentBytes,
  blocksRendering: (entry, { blocks }) => blocks.has(entry),
  format: (entry) => imageHint(entry).format,
  width: (entry) => imageHint(entry).width,
  height: (entry) => imageHint(entry).height,
  contentEncoding: ({ contentEncoding }) => knownCodings(contentEncoding ?? '') || null,
  protocol: ({ protocol }) => protocol,
  connection: ({ connection }) => (/^\d{1,10}$/.test(connection ?? '') ? connection : null),
  opensConnection,
  fromCache: ({ fromCache }) => fromCache,
  cacheLifetimeSeconds: ({ cacheLifetimeSeconds: seconds }) => (seconds === null ? null : Math.round(seconds)),
  hasValidator: ({ headersKnown, hasValidator }) => (headersKnown ? hasValidator : null),
  priority: ({ priority }) => priority,
  renderBlocking: ({ renderBlocking }) => renderBlocking,
  initiatorType: ({ initiatorType }) => (INITIATOR_TYPES.has(initiatorType ?? '') ? initiatorType : null),
  initiatorUrl: ({ initiatorUrl }) => wholeAddress(initiatorUrl),
} satisfies Record<string, (entry: HarEntry, study: HarStudy) => HarCell>;

type RequestColumn = keyof typeof columns;
type RequestRow<Name extends RequestColumn> = { [Each in Name]: ReturnType<(typeof columns)[Each]> };

/** These facts of a request. */
export function requestRow<Name extends RequestColumn>(entry: HarEntry, names: readonly Name[], study: HarStudy): RequestRow<Name> {
  return Object.fromEntries(names.map((name) => [name, columns[name](entry, study)])) as RequestRow<Name>; // each name with its own fact
}

/** These facts of requests, one row each. */
export const requestTable = (entries: readonly HarEntry[], names: readonly RequestColumn[], study: HarStudy) =>
  tableOf<HarEntry, HarCell>(
    names.map((name) => [name, (entry) => columns[name](entry, study)]),
    entries,
  );

const NOT_OF_ONE = new Set<RequestColumn>(['path', 'endMs', 'blocksRendering', 'format', 'width', 'height']);
const OF_ONE = (Object.keys(columns) as RequestColumn[]).filter((name) => !NOT_OF_ONE.has(name)); // its own names

/** All facts of a request. */
export function requestDetail(entry: HarEntry, study: HarStudy): Record<string, HarCell> {
  return { ...requestRow(entry, OF_ONE, study), url: wholeAddress(entry.url) };
}
