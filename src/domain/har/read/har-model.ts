/** The types of requests; `xhr` includes fetch and JSON. */
export const resourceTypes = ['document', 'script', 'stylesheet', 'image', 'font', 'xhr', 'media', 'other'] as const;

/** Purpose of a request: as the browser states it, else by MIME type, else by the file name. */
export type ResourceType = (typeof resourceTypes)[number];

/** Decided by the registrable domain: that of the main document (and what the user declares) is first. */
export type Party = 'first' | 'third';

/** Milliseconds of each phase, null for -1 and absent; `sslMs` is a part of `connectMs`, never added to it. */
export interface HarTimings {
  blockedMs: number | null;
  dnsMs: number | null;
  connectMs: number | null;
  sslMs: number | null;
  sendMs: number | null;
  waitMs: number | null;
  receiveMs: number | null;
}

/** One request, normalised. Texts are as recorded and may hold secrets: show them through `sanitiseUrl` or `shortUrl` only. */
export interface HarEntry {
  /** Position in `log.entries` of the file. */
  index: number;
  pageId: string | null;
  /** Since the earliest entry of the file; null when the file gives no readable start. */
  startMs: number | null;
  durationMs: number | null;
  method: string;
  url: string;
  /** Lower case without port; null for data, blob and other addresses without a host. */
  host: string | null;
  /** Registrable domain by the public suffix list; the host itself for IP addresses and single names. */
  domain: string | null;
  party: Party | null;
  /** 0 when no response arrived (blocked, aborted, failed), null when the file does not say. */
  status: number | null;
  redirectUrl: string | null;
  /** Start of the first redirect that led here, ms like `startMs`; that of the request itself where none did. */
  askedMs: number | null;
  /** Lower case without parameters, empty when unknown. */
  mime: string;
  type: ResourceType;
  /** Bytes over the network: `_transferSize`, else body plus headers where the file knows them; null when unknown. */
  transferBytes: number | null;
  /** Bytes after unpacking (`content.size`); null when unknown. */
  contentBytes: number | null;
  timings: HarTimings;
  /** `http/1.0`, `http/1.1`, `h2`, `h3` or `spdy`; null when unknown. */
  protocol: string | null;
  /** Identifier of the TCP connection as the recorder numbers it. */
  connection: string | null;
  fromCache: boolean;
  /** False for what no network was asked for: data, blob, about, files of an extension. */
  isNetwork: boolean;
  /** A socket or an event stream, of which only the opening is a wait: `durationMs` ends with it. */
  isStream: boolean;
  /** Name of the GraphQL operation, for telling requests of one address apart; never to be shown. */
  operation: string | null;
  /** Priority as Chrome names it. */
  priority: string | null;
  /** Render-blocking status as Chrome names it, null when the file does not say. */
  renderBlocking: string | null;
  /** `parser`, `script`, … and the address of what asked for it, where the file says. */
  initiatorType: string | null;
  initiatorUrl: string | null;
  /** False when the file has no response headers for this entry: then nothing is known of caching and compression. */
  headersKnown: boolean;
  contentEncoding: string | null;
  /** Freshness by Cache-Control, else Expires; 0 = must not be reused unasked, null = the response does not say. */
  cacheLifetimeSeconds: number | null;
  /** ETag or Last-Modified is there. */
  hasValidator: boolean;
}

/** A page of the file; times in ms after its start, null when not recorded. */
export interface HarPage {
  id: string;
  startMs: number | null;
  onContentLoadMs: number | null;
  onLoadMs: number | null;
  /** As a custom member of the recorder says; few do. */
  firstPaintMs: number | null;
}

/** The members of a HAR file as parsed, unchecked and with all its secrets. */
export interface HarSource {
  log: Record<string, unknown> & { entries: unknown[] };
}

/** A HAR file that was read: the page load that ended it, its entries normalised and in order of start. */
export interface Har {
  /** Of the earliest entry of the load, from which all starts count; ms since 1970, null when the file gives no readable one. */
  startedMs: number | null;
  /** That of the document first. */
  pages: HarPage[];
  entries: HarEntry[];
  /** The main document and the redirects that led to it, in order. */
  document: HarEntry | null;
  redirects: HarEntry[];
  /** Sentences about what was left out or could not be read; free of the file's texts. */
  notes: string[];
  /** Positions in `log.entries` of all entries that could be read, of the other loads too; with `source` for `sanitiseHar`. */
  readable: number[];
  source: HarSource;
}

/** Priorities as Chrome and its recorders name them. */
export const PRIORITIES = new Set(['VeryHigh', 'High', 'Medium', 'Low', 'VeryLow', 'Highest', 'Lowest', 'Idle']);

/** Render-blocking statuses as Chrome's traces name them, by their letters alone: its protocol and recorders spell them otherwise. */
const RENDER_BLOCKING = new Map([
  ['blocking', 'blocking'],
  ['inbodyparserblocking', 'in_body_parser_blocking'],
  ['potentiallyblocking', 'potentially_blocking'],
  ['nonblocking', 'non_blocking'],
  ['nonblockingdynamic', 'dynamically_injected_non_blocking'],
  ['dynamicallyinjectednonblocking', 'dynamically_injected_non_blocking'],
]);

/** The render-blocking status by one name for all spellings; null for anything unknown. */
export function renderBlockingName(status: string): string | null {
  return RENDER_BLOCKING.get(status.toLowerCase().replaceAll(/[^a-z]/g, '')) ?? null;
}

/** Methods by their names; others may be anything. */
export const METHODS = new Set('GET HEAD POST PUT PATCH DELETE OPTIONS CONNECT TRACE'.split(' '));

/** Kinds of initiators as the developer tools name them. */
export const INITIATOR_TYPES = new Set(['parser', 'script', 'preload', 'preflight', 'redirect', 'SignedExchange', 'other']);

/** Chrome's resource types. */
export const RESOURCE_TYPES = new Set(
  'document stylesheet image media font script texttrack xhr fetch prefetch eventsource websocket manifest ping preflight other'.split(' '),
);

/** Protocol versions as the recorders spell them. */
const PROTOCOLS: readonly (readonly [spelling: RegExp, name: string])[] = [
  [/^(?:h2c?|http\/2(?:\.0)?|2\.0)$/i, 'h2'],
  [/^(?:http\/)?1\.1$/i, 'http/1.1'],
  [/^(?:http\/)?1\.0$/i, 'http/1.0'],
  [/^h3|^http\/3(?:\.0)?$|quic/i, 'h3'],
  [/^spdy/i, 'spdy'],
];

/** Protocol version by one name for all spellings of the recorders; null for anything unknown. */
export function protocolName(version: string): string | null {
  return PROTOCOLS.find(([spelling]) => spelling.test(version))?.[1] ?? null;
}

/** A HAR file that cannot be read; the message is a sentence that says where and what was expected, and quotes nothing of the file. */
export class HarError extends Error {
  override name = 'HarError';
}
