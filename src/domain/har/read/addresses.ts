import { getDomain, getDomainWithoutSuffix } from 'tldts';
import { sanitiseUrl } from '../sanitise/sanitise-url.ts';

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

/** Words that people add to the name of a site for the hosts that carry its files. */
const CARRIES = 'cdn|static|assets?|img|images?|media|files?|content|fonts?|edge|cache|uploads?|cloud|data';
/** Words that say what a site is, not whose. */
const GENERIC = /^(?:shop|store|online|web|site|app|www|home|news|mail|my|the|get|go)$/;
/** Networks that carry the files of others below names of their customers; elsewhere such a label is only the name of an account. */
const CONTENT_NETWORKS = new Set(
  (
    'akamaized.net akamaihd.net azureedge.net azurefd.net b-cdn.net cdn77.org cloudfront.net cloudinary.com edgekey.net edgesuite.net ' +
    'fastly.net fastlylb.net gcdn.co hwcdn.net imgix.net kxcdn.com netdna-ssl.com stackpathcdn.com'
  ).split(' '),
);
/** Shorter names occur in those of others by chance. */
const LEAST_LETTERS = 4;

/** The name of a site without words that many sites have: `nordlicht-shop` gives `nordlicht`; undefined where nothing else is left. */
function distinctiveName(host: string): string | undefined {
  const name = getDomainWithoutSuffix(host, { allowPrivateDomains: false, validateHostname: false });
  const words = (name ?? '').toLowerCase().split(/[-_]/);
  const letters = words.filter((word) => !GENERIC.test(word)).join('');
  return /^[a-z0-9]+$/.test(letters) && letters.length >= LEAST_LETTERS ? letters : undefined;
}

/**
 * Recognises hosts that carry the name of a site outside its domain: the same name under another ending (`name.net`), with a word for
 * files beside it (`name-cdn.net`, `staticname.com`), or as a label below a content network (`name.cloudfront.net`). A guess, which the
 * answers call inferred.
 */
export function siteNameMatcher(siteHost: string): (host: string) => boolean {
  const name = distinctiveName(siteHost);
  if (name === undefined) return () => false;
  const fits = new RegExp(`^(?:(?:${CARRIES})\\d*|shop|store|online)?${name}(?:(?:${CARRIES})\\d*|shop|store|online)*$`);
  return (host) => {
    // Few hosts get further, and what follows is dear.
    if (!host.replaceAll(/[-_]/g, '').includes(name)) return false;
    const domain = registrableDomain(host);
    const below = CONTENT_NETWORKS.has(domain) ? host.slice(0, Math.max(0, host.length - domain.length - 1)).split('.') : [];
    const labels = [...below, domain.split('.')[0] ?? ''];
    return labels.some((label) => fits.test(label.replaceAll(/[-_]/g, '')));
  };
}
