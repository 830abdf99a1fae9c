import { getDomain } from 'tldts';
import { sanitiseUrl, shortened } from '../sanitise-url.ts';

const NETWORK_PROTOCOLS = new Set(['http:', 'https:', 'ws:', 'wss:']);

/** Host of a web address, lower case without port; null for data, blob, extension and unreadable addresses. */
export function hostOf(url: string): string | null {
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

/** Characters of a host and of a path that a table or a sentence shows. */
const MAX_PART = 60;
const PARTS = /^[a-z]+:\/\/([^/?#]*)(.*)$/is;

/**
 * Host and path of an address that is sanitised already, both shortened, without the scheme; `host` is null where there is none (data,
 * blob).
 */
export function partsOf(safe: string) {
  const [, host, path = ''] = PARTS.exec(safe) ?? [];
  return host === undefined
    ? { host: null, path: shortened(safe, MAX_PART) }
    : { host: shortened(host, MAX_PART), path: shortened(path || '/', MAX_PART) };
}

/** The address of a request for a sentence, sanitised. */
export function addressIn({ url }: { readonly url: string }): string {
  const { host, path } = partsOf(sanitiseUrl(url));
  return `${host ?? ''}${path}`;
}
