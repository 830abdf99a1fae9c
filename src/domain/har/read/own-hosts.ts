import { getDomainWithoutSuffix } from 'tldts';
import { registrableDomain } from './addresses.ts';

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
