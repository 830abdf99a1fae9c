import { counted, formatBytes, formatMs } from '../../lib/number-text.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import { addressIn } from '../read/addresses.ts';
import { withoutFragment } from '../read/find-document.ts';
import type { ResourceType } from '../read/har-model.ts';
import type { HarEntry } from '../read/read-entry.ts';
import { isCompressible } from '../read/resource-type.ts';
import { imageHint, imageWords, savedShare } from '../requests/images.ts';
import type { HarStudy } from '../requests/study-har.ts';
import { groupsOf, hostNames, opensConnection, totalsOf, weight } from '../requests/totals.ts';
import { blockingCosts, type Concerned, each, type Rule } from './problem.ts';
import type { ProblemKind } from './problem-kinds.ts';

/** Below it a text fits one packet and packing it saves no time. */
const WORTH_PACKING_BYTES = 1400;
const PACKED = /\b(?:gzip|br|zstd|deflate|dcb|dcz|sdch)\b/;
/** The share that compression leaves of a text, where the file has no compressed text to measure. */
const USUAL_PACKED_SHARE = 0.3;

function wasFetched({ status, fromCache }: HarEntry): boolean {
  return status === 200 && !fromCache;
}

/** Came with a content encoding that packs; `identity` does not. */
function isCompressed({ contentEncoding }: HarEntry): boolean {
  return contentEncoding !== null && PACKED.test(contentEncoding);
}

/** True for what a program answered a page that is already there: data, not a file of the site. */
function isApiAnswer({ type, mime, method }: HarEntry): boolean {
  return type === 'xhr' || method !== 'GET' || /[/+]json$/.test(mime);
}

/** Text that was fetched and is worth packing, but came without content encoding; without response headers nothing is known of it. */
function isUncompressed(entry: HarEntry): boolean {
  const isWorth = (entry.contentBytes ?? 0) >= WORTH_PACKING_BYTES;
  return wasFetched(entry) && entry.headersKnown && isWorth && !isCompressed(entry) && isCompressible(entry.mime);
}

/** The share that compression leaves of a text, measured on the compressed texts of the file. */
function compressedShare({ entries }: HarStudy): number {
  const packed = entries.filter((entry) => {
    const { transferBytes, contentBytes, mime } = entry;
    return transferBytes && contentBytes && transferBytes <= contentBytes && isCompressed(entry) && isCompressible(mime);
  });
  const { transferBytes, contentBytes } = totalsOf(packed);
  return contentBytes ? (transferBytes ?? 0) / contentBytes : USUAL_PACKED_SHARE;
}

/** Texts that were sent as they are, files of the site or answers of programs. */
const uncompressed = (what: string, isAnswer: boolean): Rule => ({
  basis: 'estimate',
  selects: each((entry) => isUncompressed(entry) && isApiAnswer(entry) === isAnswer && 'sent uncompressed'),
  costs: ({ sum }, study) => ({ bytes: Math.round(sum * (1 - compressedShare(study))) }),
  says: ({ requests }) => `${counted(requests, `${what} is`, `${what}s are`)} sent uncompressed`,
  advice: 'compression',
  which: ({ sum, worst }) => [`${formatBytes(sum)} as sent`, `largest ${addressIn(worst)}`],
});

/** Requests of which one of the same key came before; what is wrong with them may name that one. */
const repeats =
  (
    keyOf: (entry: HarEntry) => string | null | false,
    detailOf: (entry: HarEntry, first: HarEntry) => string | false,
    costOf: (entry: HarEntry) => number = weight,
  ) =>
  ({ entries }: HarStudy): Concerned[] => {
    const firsts = new Map<string, HarEntry>();
    return entries.flatMap((entry) => {
      const key = keyOf(entry);
      if (!key) return [];
      const first = firsts.get(key) ?? entry;
      firsts.set(key, first);
      const detail = first !== entry && detailOf(entry, first);
      return detail ? [{ entry, detail, cost: costOf(entry) }] : [];
    });
  };

const addressKey = ({ pageId, url }: HarEntry) => `${pageId} ${withoutFragment(url)}`;

/** How many addresses these requests are of; the same on another page is another. */
export const addressesIn = (entries: readonly HarEntry[]) => new Set(entries.map(addressKey)).size;

/** Smaller scripts have equal sizes by chance. */
const LEAST_COPY_BYTES = 5000;

/** Name of a script's file without hash, version and `min`: two builds of one library have the same. */
function libraryOf(url: string): string {
  const [path = ''] = url.split(/[?#]/, 1);
  const file = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  return file.replace(/\.m?js$/, '').replaceAll(/[.\-_@]?(?:min|v?\d+(?:\.\d+)*|[0-9a-f]{4,40})(?=[.\-_@]|$)/g, '');
}

const copyKey = ({ type, status, contentBytes, pageId, url }: HarEntry) =>
  type === 'script' && status === 200 && (contentBytes ?? 0) >= LEAST_COPY_BYTES && `${pageId} ${contentBytes} ${libraryOf(url)}`;

/** Smaller images save nothing that is worth a word. */
const LEAST_IMAGE_BYTES = 10_000;
/** Images of a page together that save less are no problem. */
export const LEAST_SAVED_BYTES = 30_000;

const isImage = (entry: HarEntry) => entry.type === 'image' && wasFetched(entry);

/** The images of a load that were fetched. */
export function imagesOf({ entries }: HarStudy): HarEntry[] {
  return entries.filter(isImage);
}

/** Bytes of these images that WebP or AVIF saves. */
const savedBytes = (images: readonly HarEntry[]) => Math.round(sumOfKnown(images, (image) => savedShare(image) * weight(image)));

const isLargeImage = (entry: HarEntry) => weight(entry) >= LEAST_IMAGE_BYTES;

/** Fewer requests over the old protocol hardly queue for its connections. */
const WORTH_MULTIPLEXING = 3;

function isHttp1({ protocol }: HarEntry): boolean {
  return protocol === 'http/1.1' || protocol === 'http/1.0';
}

/** Over the network: neither from the cache nor without any response. */
function wasSent({ host, fromCache, isStream, status }: HarEntry): boolean {
  return host !== null && !fromCache && !isStream && status !== 0;
}

/** Name resolution and connecting together, TLS included. */
const openingMs = ({ timings: { dnsMs, connectMs } }: HarEntry) => (dnsMs ?? 0) + (connectMs ?? 0);

const SHORT_CACHE_SECONDS = 7 * 86_400;
const STATIC_TYPES = new Set<ResourceType>(['script', 'stylesheet', 'image', 'font', 'media']);
/** Images of one pixel that count visits have 35 to 100 bytes and must be fetched each time. */
const MOST_PIXEL_BYTES = 150;

/** A fetched file of the site whose headers are known; no answer of a program, and no image that only tells its server something. */
function isStaticFile(entry: HarEntry): boolean {
  const isFile = STATIC_TYPES.has(entry.type) && entry.host !== null && !isApiAnswer(entry);
  const bytes = entry.contentBytes ?? entry.transferBytes;
  const isPixel = entry.type === 'image' && bytes !== null && bytes <= MOST_PIXEL_BYTES;
  return wasFetched(entry) && entry.headersKnown && isFile && !isPixel;
}

function lifetimeWords({ cacheLifetimeSeconds: seconds }: HarEntry): string {
  if (seconds === null) return 'says no lifetime';
  return seconds === 0 ? 'may not be reused' : `may be kept ${formatMs(seconds * 1000)}`;
}

/** Static files of such a lifetime, seconds; 0 where they may not be reused or do not say for how long. */
const cached = (isOf: (seconds: number) => boolean, words: (them: string) => string): Rule => ({
  when: 'next visits',
  unit: 'bytes',
  selects: each((entry) => isStaticFile(entry) && isOf(entry.cacheLifetimeSeconds ?? 0) && lifetimeWords(entry)),
  says: ({ requests }) => `${counted(requests, 'static file is', 'static files are')} sent ${words(requests === 1 ? 'it' : 'them')}`,
  advice: 'a longer lifetime',
  which: ({ worst }) => [`Largest ${addressIn(worst)}`],
});

/** Rules about bytes and connections that need not have been. */
export const BYTE_RULES = {
  uncompressed_text: uncompressed('text file', false),
  uncompressed_answers: uncompressed('API answer', true),
  /** Each fetch of an address after the first on the same page, from the network. */
  duplicates: {
    unit: 'bytes',
    selects: repeats(
      (entry) => wasFetched(entry) && entry.method === 'GET' && entry.host !== null && addressKey(entry),
      () => 'fetched again',
    ),
    says({ requests, entries }) {
      const times = requests === 1 ? 'once' : counted(requests, 'time');
      return `${counted(addressesIn(entries), 'address is', 'addresses are')} fetched again ${times}`;
    },
    advice: 'fetching each once',
    which({ entries }) {
      const [heaviest] = groupsOf(entries, ({ url }) => url);
      return [heaviest && `Heaviest ${addressIn({ url: heaviest.key })}`];
    },
  },
  /** Scripts that came under another address before: the same name and exactly the same size on one page. */
  duplicated_scripts: {
    basis: 'heuristic',
    unit: 'bytes',
    selects: repeats(
      copyKey,
      (entry, first) => withoutFragment(first.url) !== withoutFragment(entry.url) && `same name and size as ${addressIn(first)}`,
    ),
    says: ({ requests }) => `${counted(requests, 'script is', 'scripts are')} probably loaded twice under different addresses`,
    advice: 'one copy',
    which: ({ worst, detail }) => [`${addressIn(worst)} has the ${detail}`],
  },
  /** Images in old formats, with what modern ones save about; the likely LCP image has findings of its own, but counts here. */
  image_formats: {
    basis: 'estimate',
    selects: each((entry) => isImage(entry) && isLargeImage(entry) && savedShare(entry) > 0 && imageWords(entry)),
    costs: ({ entries }) => ({ bytes: savedBytes(entries) }),
    isWorth: ({ entries }) => savedBytes(entries) >= LEAST_SAVED_BYTES,
    says({ requests, entries }, study) {
      const formats = [...new Set(entries.map((entry) => imageHint(entry).format))].join(' or ');
      const all = imagesOf(study).filter(isLargeImage).length;
      return `${requests} of ${counted(all, 'image')} above 10 kB ${requests === 1 ? 'is' : 'are'} ${formats}`;
    },
    advice: 'WebP or AVIF',
    which: ({ sum, worst, detail }) => [formatBytes(sum), `the largest of them ${addressIn(worst)}: ${detail}`],
  },
  /** The cost is the longest single queue, because they overlap. */
  http1: {
    selects: each(
      (entry) => {
        const { blockedMs } = entry.timings;
        return isHttp1(entry) && wasSent(entry) && (blockedMs === null ? 'over HTTP/1.x' : `queued ${formatMs(blockedMs)}`);
      },
      ({ timings }) => timings.blockedMs,
    ),
    isWorth: ({ requests }) => requests >= WORTH_MULTIPLEXING,
    costs({ entries, most }, study) {
      const { wins } = blockingCosts(study, (entry) => (entries.includes(entry) && entry.timings.blockedMs) || 0);
      return { ms: most || null, ...(study.largest && { wins }) };
    },
    says: ({ requests, entries }) => `${counted(requests, 'request')} to ${hostNames(entries, 2)} went over HTTP/1.x`,
    advice: 'HTTP/2',
    which: ({ most }) => [most > 0 && `The longest queued ${formatMs(most)} for a connection`],
  },
  /** Connections that a host opened after its first for a protocol that needs one only (HTTP/2, HTTP/3, SPDY). */
  reconnects: {
    selects: repeats(
      (entry) => entry.protocol !== null && wasSent(entry) && !isHttp1(entry) && opensConnection(entry) && entry.host,
      (entry) => `connecting took ${formatMs(openingMs(entry))}`,
      openingMs,
    ),
    says: ({ requests }) =>
      `${counted(requests, 'connection')} more than one for each host ${requests === 1 ? 'was' : 'were'} opened over HTTP/2 or 3`,
    which: ({ entries, most }) => [hostNames(entries, 2), `the longest took ${formatMs(most)} to open`],
  },
  no_cache: cached(
    (seconds) => seconds === 0,
    (them) => `without a time for which the browser may keep ${them}`,
  ),
  short_cache: cached(
    (seconds) => seconds > 0 && seconds < SHORT_CACHE_SECONDS,
    () => 'to be kept for less than a week',
  ),
} satisfies Partial<Record<ProblemKind, Rule>>;
