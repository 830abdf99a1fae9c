import { getDomain } from 'tldts';
import { sanitiseUrl } from '../sanitise-url.ts';

const PLAIN_HOST = /^(?:https?|wss?):\/\/([a-z0-9.-]+)(?::\d+)?(?:[/?#]|$)/i;
const NETWORK_PROTOCOLS = new Set(['http:', 'https:', 'ws:', 'wss:']);

/** Host of a web address, lower case without port; null for data, blob, extension and unreadable addresses. */
export function hostOf(url: string): string | null {
  const plain = PLAIN_HOST.exec(url)?.[1];
  if (plain) return plain.toLowerCase();
  // Long addresses without a host (data:) are not worth parsing.
  if (!/^\s*(?:https?|wss?):/i.test(url) || !URL.canParse(url)) return null;
  const { protocol, hostname } = new URL(url);
  return NETWORK_PROTOCOLS.has(protocol) && hostname ? hostname : null;
}

/**
 * Registrable domain by the ICANN part of the public suffix list (all of a content network is one party); the host itself where it has
 * none.
 */
export function registrableDomain(host: string): string {
  return getDomain(host, { allowPrivateDomains: false, validateHostname: false }) ?? host;
}

/** A sanitised address in two parts; `host` is null where there is none (data, blob). */
export interface Address {
  readonly host: string | null;
  readonly path: string;
}

const MAX_HOST = 60;
const MAX_PATH = 60;
const PARTS = /^[a-z]+:\/\/([^/?#]*)(.*)$/is;

/** Splits an address for a table, sanitised, both parts shortened; the scheme is left out. */
export function addressOf(url: string): Address {
  return split(sanitiseUrl(url));
}

function split(safe: string): Address {
  const [, host, path = ''] = PARTS.exec(safe) ?? [];
  if (host === undefined) return { host: null, path: cut(safe, MAX_PATH) };
  return { host: cut(host, MAX_HOST), path: shortPath(path || '/') };
}

/** First the query is cut, then the middle. */
function shortPath(path: string): string {
  if (path.length <= MAX_PATH) return path;
  const query = path.indexOf('?');
  return cut(query === -1 ? path : `${path.slice(0, query)}?…`, MAX_PATH);
}

function cut(text: string, limit: number): string {
  const tail = Math.floor(limit / 3);
  return text.length <= limit ? text : `${text.slice(0, limit - tail - 1)}…${text.slice(-tail)}`;
}

/** Host and path in one for a sentence, of an address that is sanitised already. */
export function addressText(safe: string): string {
  const { host, path } = split(safe);
  return `${host ?? ''}${path}`;
}
