import { type Har, type HarEntry, sanitiseUrl, shortUrl } from '../har/index.ts';
import { sanitiseContentType } from '../har/sanitise-headers.ts';
import { sanitiseHost } from '../har/sanitise-url.ts';
import { shownMethod } from '../har/totals.ts';
import { INITIATOR_TYPES } from '../har/words.ts';
import type { EntityOf } from './entities.ts';
import { type Cell, tenth } from './rows.ts';

const CODING = /^(?:gzip|x-gzip|deflate|br|zstd|compress|identity|dcb|dcz|sdch)$/;
/** Longest address that is shown whole. */
const MAX_URL = 500;

/** All that may be said of one request, its texts sanitised; null where the file does not say. */
export function requestDetail(entry: HarEntry, { pages }: Har, entityOf: EntityOf): Record<string, Cell> {
  const { timings } = entry;
  const phases = Object.fromEntries(Object.entries(timings).map(([name, ms]): [string, Cell] => [name, tenth(ms)]));
  const address = (url: string | null): Cell => (url === null ? null : shortUrl(url, MAX_URL));
  return {
    index: entry.index,
    url: address(entry.url),
    host: entry.host === null ? null : sanitiseHost(entry.host),
    domain: entry.domain === null ? null : sanitiseHost(entry.domain),
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
  const codings = (encoding ?? '').split(',').map((coding) => coding.trim()).filter((coding) => CODING.test(coding)); // biome-ignore format: one thought
  return codings.length > 0 ? codings.join(', ') : null;
}
