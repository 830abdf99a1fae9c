/** The types of requests; `xhr` includes fetch and JSON. */
export const resourceTypes = ['document', 'script', 'stylesheet', 'image', 'font', 'xhr', 'media', 'other'] as const;

/** Purpose of a request: as the browser states it, else by MIME type, else by the file name. */
export type ResourceType = (typeof resourceTypes)[number];

/** Decided by the registrable domain: that of the main document (and what the user declares) is first. */
export type Party = 'first' | 'third';

/** The members of a HAR file as parsed, unchecked and with all its secrets. */
export interface HarSource {
  log: Record<string, unknown> & { entries: unknown[] };
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
