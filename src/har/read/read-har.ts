import { getDomainWithoutSuffix } from 'tldts';
import { isRecord } from '../../lib/is-record.ts';
import { counted, formatBytes, formatMs } from '../../lib/number-text.ts';
import { byMost } from '../../lib/order.ts';
import { firstOf, present } from '../../lib/sentences.ts';
import { sumOfKnown } from '../../lib/tally.ts';
import { sanitiseHost } from '../sanitise-url.ts';
import { addressIn, registrableDomain } from './addresses.ts';
import { decodeHar } from './decode-har.ts';
import { followersOf, loadsOf, type PageLoad, startOrLast } from './find-document.ts';
import { HarError, type HarSource } from './har-model.ts';
import { createLookups, remembered, ZONE } from './lookups.ts';
import { kindOf, listOf, recordOf, textOf } from './member.ts';
import { bodyHoldsHeaders, type EntryReading, type HarEntry, readEntry, readPages } from './read-entry.ts';

/** Words that people add to the name of a site for the hosts that carry its files. */
const CARRIES = 'cdn|static|assets?|img|images?|media|files?|content|fonts?|edge|cache|uploads?|cloud|data';
/** Words that say what a site is, not whose. */
const GENERIC = new Set('shop store online web site app www home news mail my the get go'.split(' '));
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
  const letters = words.filter((word) => !GENERIC.has(word)).join('');
  return /^[a-z0-9]+$/.test(letters) && letters.length >= LEAST_LETTERS ? letters : undefined;
}

/**
 * Recognises hosts that carry the name of a site outside its domain. The name may have another ending (`name.net`), a word for files beside
 * it (`name-cdn.net`, `staticname.com`), or be a label below a content network (`name.cloudfront.net`). A guess, which the answers call
 * inferred.
 */
export function siteNameMatcher(siteHost: string): (host: string) => boolean {
  const name = distinctiveName(siteHost);
  if (name === undefined) return () => false;
  const fits = new RegExp(`^(?:(?:${CARRIES})\\d*|shop|store|online)?${name}(?:(?:${CARRIES})\\d*|shop|store|online)*$`);
  return (host) => {
    // The checks below are expensive; most hosts stop here.
    if (!host.replaceAll(/[-_]/g, '').includes(name)) return false;
    const domain = registrableDomain(host);
    const below = CONTENT_NETWORKS.has(domain) ? host.slice(0, Math.max(0, host.length - domain.length - 1)).split('.') : [];
    const labels = [...below, domain.split('.')[0] ?? ''];
    return labels.some((label) => fits.test(label.replaceAll(/[-_]/g, '')));
  };
}

/** A HAR file that was read: its heaviest page load, entries normalised and in order of start. */
export type Har = ReturnType<typeof readHar>;

/**
 * Reads a HAR given as JSON text, object, gzip and base64, or bytes: its heaviest page load, of several as heavy the last, with the others
 * named in `notes`. Hosts or domains may count as first party beside that of the main document. Entries without a request address are left
 * out, unreadable members count as unknown, both are counted in `notes`; any other file throws `HarError` with the place.
 */
export function readHar(har: unknown, { firstParty = [] }: { readonly firstParty?: readonly string[] | undefined } = {}) {
  const source = sourceOf(decodeHar(har));
  const { entries: readable, pages: allPages, notes } = readEntries(source);
  const network = readable.filter(({ isNetwork }) => isNetwork);
  const beside = readable.length - network.length;
  const loads = loadsOf(network, allPages);
  // Loads of a file are visits, repeats with a full cache, or pages that lead on to another.
  const judged = loads.toReversed().toSorted(byMost(bytesOf))[0] as PageLoad; // at least one
  const { entries, pages, document, redirects } = judged;
  const startedMs = countFromStart(entries, redirects);
  const inferred = assignParties(entries, document, firstParty);
  const missing = !document && entries.length > 0;
  return {
    /** Of the earliest entry of the load, from which all starts count; ms since 1970, null when the file gives no readable one. */
    startedMs,
    /** That of the document first; times in ms after its start, null when not recorded. */
    pages: pages.map((page) => ({ ...page, startMs: since(startedMs, page.startMs) })),
    entries,
    /** Page loads of the file. */
    loads: loads.length,
    /** The main document and the redirects that led to it, in order. */
    document,
    redirects,
    /** Sentences about what was left out or could not be read; free of the file's texts. */
    notes: present(
      ...notes,
      beside > 0 &&
        `${counted(beside, 'entry', 'entries')} (data:, blob:, tunnels of a proxy and the like) asked nothing of the network, so ` +
          `${beside === 1 ? 'it is' : 'they are'} not counted.`,
      loads.length > 1 && loadsNote(loads.filter((load) => load !== judged)),
      inferred.length > 0 &&
        `Inferred to be the site's own, because hosts carry its name: ${firstOf(inferred.map(sanitiseHost), MAX_DOMAINS)}. ` +
          'WEB_ANALYTICS_OWN_DOMAINS states own domains for certain.',
      missing && 'The file holds no main document, so its requests cannot be divided into first and third party.',
    ),
    /** Positions in `log.entries` of all entries that could be read, of the other loads too; with `source` for `sanitiseHar`. */
    readable: readable.map(({ index }) => index),
    source,
  };
}

/** Counts the times of a load from its own first request; gives when that began. */
function countFromStart(entries: readonly HarEntry[], redirects: readonly HarEntry[]): number | null {
  for (const redirect of redirects) redirect.type = 'document';
  const followers = followersOf(entries);
  const startedMs = entries[0]?.startMs ?? null;
  for (const entry of entries) {
    // A request was asked for when the first redirect that led to it began.
    const target = followers.get(entry);
    if (target) target.askedMs = entry.askedMs;
    entry.startMs = since(startedMs, entry.startMs);
    entry.askedMs = since(startedMs, entry.askedMs);
  }
  return startedMs;
}

/** Loads and domains that a note names. */
const NAMED_LOADS = 3;
const MAX_DOMAINS = 3;

const bytesOf = ({ entries }: PageLoad) => sumOfKnown(entries, ({ transferBytes }) => transferBytes);

/** That the figures are those of the heaviest of several loads, and what the others were, the latest first. */
function loadsNote(others: readonly PageLoad[]): string {
  const named = others.toReversed().map((load) => {
    const [page] = load.pages;
    const loaded = page?.onLoadMs == null ? '' : `, loaded after ${formatMs(page.onLoadMs)}`;
    const bytes = formatBytes(bytesOf(load));
    return `${addressIn({ url: load.document?.url ?? '' })} (${counted(load.entries.length, 'request')}, ${bytes}${loaded})`;
  });
  return `The file holds ${others.length + 1} page loads; these figures are of the heaviest. The others: ${firstOf(named, NAMED_LOADS)}.`;
}

/** The readable entries in the order of their starts, the pages, and notes on what could not be read. */
function readEntries({ log }: HarSource) {
  const counts = { dropped: 0, misread: 0 };
  const firsts = { dropped: '', misread: '' };
  const report: EntryReading['report'] = (effect, index, member, found) => {
    firsts[effect] ||= `log.entries[${index}]${member} is ${found}`;
    counts[effect] += 1;
  };
  const lookups = createLookups(zoneOf(log));
  const reading = { report, lookups, bodyHoldsHeaders: bodyHoldsHeaders(log.entries) };
  const entries = log.entries.flatMap((raw, index) => readEntry(raw, index, reading) ?? []);
  if (counts.dropped > 0 && entries.length === 0) throw new HarError(`No entry of the HAR file has a request address: ${firsts.dropped}.`);
  const notes = present(
    counts.dropped > 0 &&
      `${counts.dropped} of ${log.entries.length} entries are left out, because they have no request address (first: ${firsts.dropped}).`,
    counts.misread > 0 && `${counts.misread} members could not be read and count as unknown (first: ${firsts.misread}).`,
  );
  entries.sort((a, b) => startOrLast(a) - startOrLast(b));
  return { entries, pages: readPages(listOf(log.pages), lookups), notes };
}

/** The zone of dates that name none: that of a page that does, else UTC. */
function zoneOf(log: HarSource['log']): string {
  const zones = listOf(log.pages).map((page) => ZONE.exec(textOf(recordOf(page).startedDateTime))?.[0]);
  return zones.find((zone) => zone !== undefined) ?? 'Z';
}

function sourceOf(parsed: unknown): HarSource {
  if (!isRecord(parsed)) throw noHar('the root', 'an object with the member "log"', parsed);
  const { log } = parsed;
  if (!isRecord(log)) throw noHar('log', 'an object', log);
  const { entries } = log;
  if (!Array.isArray(entries)) throw noHar('log.entries', 'a list', entries);
  return { log: { ...log, entries } };
}

function noHar(path: string, expected: string, found: unknown): HarError {
  return new HarError(`This is not a HAR file: ${path} is ${kindOf(found)}, where ${expected} is expected.`);
}

function since(originMs: number | null, ms: number | null): number | null {
  return ms === null || originMs === null ? null : ms - originMs;
}

/**
 * Decides first or third party, which stays open where no first domain is known. Gives the domains that are taken for the site's own by
 * their name alone.
 */
function assignParties(entries: readonly HarEntry[], document: HarEntry | null, ownDomains: readonly string[]): string[] {
  const named = [document?.domain ?? null, ...ownDomains.map((domain) => registrableDomain(domain.toLowerCase()))];
  const firstDomains = new Set(named.filter((domain) => domain !== null));
  const siteHost = document?.host ?? null;
  const carriesName = siteHost === null ? () => false : remembered(siteNameMatcher(siteHost));
  const inferred = new Set<string>();
  for (const entry of entries) {
    const { host, domain } = entry;
    if (host === null || domain === null || firstDomains.size === 0) continue;
    const isNamed = !firstDomains.has(domain) && carriesName(host);
    if (isNamed) inferred.add(domain);
    entry.party = isNamed || firstDomains.has(domain) ? 'first' : 'third';
  }
  return [...inferred];
}
