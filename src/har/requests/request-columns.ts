import { partsOf } from '../read/addresses.ts';
import { METHODS } from '../read/har-model.ts';
import type { HarEntry } from '../read/read-entry.ts';
import { knownCodings, sanitiseContentType } from '../sanitise/sanitise-headers.ts';
import { sanitiseHost, sanitiseUrl, shortened, shortUrl } from '../sanitise-url.ts';
import { imageHint } from './images.ts';
import type { HarStudy } from './study-har.ts';
import { endOf, opensConnection } from './totals.ts';

/** A cell of a table. */
export type HarCell = string | number | boolean | null;

const MAX_URL = 80;
/** Longest address that is shown whole. */
const WHOLE_URL = 500;

const wholeAddress = (url: string | null) => (url === null ? null : shortUrl(url, WHOLE_URL));

/**
 * All that may be said of a request, each fact by its name, free of secrets; null where the file does not say. Every row about a request,
 * in whatever answer, is made of these.
 */
function factsOf(entry: HarEntry, { blocks, entityOf, har: { pages } }: HarStudy) {
  const { index, party, status, type, startMs, durationMs, transferBytes, contentBytes, protocol, fromCache, priority } = entry;
  const { host, domain, method, contentEncoding, connection, cacheLifetimeSeconds, initiatorType, renderBlocking } = entry;
  const address = sanitiseUrl(entry.url);
  const page = pages.findIndex(({ id }) => id === entry.pageId);
  return {
    index,
    url: shortened(address, MAX_URL),
    ...partsOf(address),
    domain: domain === null ? null : sanitiseHost(domain),
    party,
    entity: host === null || party === 'first' ? null : (entityOf(host)?.name ?? null),
    method: METHODS.has(method) ? method : 'other',
    status,
    redirectUrl: wholeAddress(entry.redirectUrl),
    type,
    mime: sanitiseContentType(entry.mime) || null,
    /** Position of the page from 1; null where the load has but one, or the request belongs to none. */
    page: pages.length < 2 || page === -1 ? null : page + 1,
    startMs,
    endMs: startMs === null ? null : endOf(entry),
    durationMs,
    ...entry.timings,
    transferBytes,
    contentBytes,
    blocksRendering: blocks.has(entry),
    ...(type === 'image' && imageHint(entry)),
    contentEncoding: knownCodings(contentEncoding ?? '') || null,
    protocol,
    connection,
    opensConnection: opensConnection(entry),
    fromCache,
    cacheLifetimeSeconds,
    hasValidator: entry.headersKnown ? entry.hasValidator : null,
    priority,
    renderBlocking,
    initiatorType,
    initiatorUrl: wholeAddress(entry.initiatorUrl),
  };
}

type RequestFacts = ReturnType<typeof factsOf>;
type RequestColumn = keyof RequestFacts;

/** These facts of a request. */
export function requestRow<Name extends RequestColumn>(entry: HarEntry, names: readonly Name[], study: HarStudy): Pick<RequestFacts, Name> {
  const facts = factsOf(entry, study);
  return Object.fromEntries(names.map((name) => [name, facts[name]])) as Pick<RequestFacts, Name>; // each name with its own fact
}

/** A table of these facts, a row for each of some records. */
export const tableOf = <Name extends string>(names: readonly Name[], records: readonly { readonly [Each in Name]?: HarCell }[]) => ({
  columns: [...names],
  rows: records.map((record) => names.map((name): HarCell => record[name] ?? null)),
});

/** These facts of requests, one row each. */
export const requestTable = (entries: readonly HarEntry[], names: readonly RequestColumn[], study: HarStudy) =>
  tableOf(
    names,
    entries.map((entry) => factsOf(entry, study)),
  );

/** All facts of a request. */
export function requestDetail(entry: HarEntry, study: HarStudy): Record<string, HarCell> {
  const { path: _, ...facts } = factsOf(entry, study);
  return { ...facts, url: wholeAddress(entry.url) };
}
