import pagexray from 'pagexray';
import { describe, expect, it } from 'vitest';
import type { HarEntry } from '../../src/har/read/read-entry.ts';
import { readHar } from '../../src/har/read/read-har.ts';
import { loadTotals } from '../../src/har/requests/totals.ts';
import { sumOfKnown } from '../../src/lib/tally.ts';
import { RECORDED_FILES, readRecorded } from './recorded-files.ts';

/** Types by pagexray's names for content; all others are `other`. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'document',
  css: 'stylesheet',
  javascript: 'script',
  image: 'image',
  svg: 'image',
  favicon: 'image',
  font: 'font',
  json: 'xhr',
  video: 'media',
  audio: 'media',
};

/**
 * Where the two disagree about a type, and why. pagexray goes by MIME type alone (fonts aside) and knows JSON as `application/json` only;
 * here the file name decides where the answer names no MIME type, and every kind of JSON is `xhr`.
 */
const OTHER_TYPES: Readonly<Record<string, Record<string, number>>> = {
  'www.nytimes.com.har': { 'other without MIME type, script by name': 4, 'other with text/json, xhr': 1 },
};

/**
 * Entries by how their transferred bytes differ. pagexray takes body and headers as recorded, a body of -1 included; here `_transferSize`
 * wins where it is given, an answer that has no body transfers its headers alone, any other unknown body stays unknown, and where
 * WebPagetest wrote 0 for a body that it did not see its own count is taken.
 */
const TRANSFERRED: Readonly<Record<string, Record<string, number>>> = {
  'chrome.har': { _transferSize: 38 },
  'devtools.har': { _transferSize: 38 },
  'firefox.har': { same: 26, 'no body': 4, unknown: 8 },
  'webpagetest.har': { same: 40, _bytesIn: 36 },
  'allSizes.har': { same: 11 },
  'en.wikipedia.org.spdy-wpt.har': { same: 3, _bytesIn: 99 },
  'http1.1-firefox.har': { same: 12 },
  'http2-chrome.har': { same: 11 },
  'linkedin.har': { same: 21, 'no body': 1, unknown: 1 },
  'redirect-and-redirect-back.har': { _transferSize: 50 },
  'run.sitespeed.io.har': { _transferSize: 10 },
  'www.nytimes.com.har': { same: 262, 'no body': 2, _bytesIn: 64 },
};

interface RawEntry {
  readonly pageref: string;
  request: { url: string; method: string };
  response: { status: number; bodySize: number; headersSize: number; _transferSize?: number; content?: { size?: number } };
  _bytesIn?: string;
}

function tally(names: Iterable<string | number>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
}

function added(records: readonly Record<string, number>[]): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const [name, value] of records.flatMap((record) => Object.entries(record))) sums[name] = (sums[name] ?? 0) + value;
  return sums;
}

const requestsOf = (groups: Record<string, { requests: number }>) =>
  Object.fromEntries(Object.entries(groups).map(([name, { requests }]) => [name, requests]));

/** What pagexray takes for the content: the body where no content is recorded. */
const contentIn = (response: RawEntry['response'] | undefined) => {
  const size = response?.content?.size ?? -1;
  return size < 0 ? (response?.bodySize ?? 0) : size;
};

/** Successes and 304, which alone have a content type for pagexray: a redirect has no content. */
const hasContent = ({ status }: Pick<HarEntry, 'status'>) => Math.floor((status ?? 0) / 100) === 2 || status === 304;

function whyOther(entry: HarEntry): string {
  return entry.mime === '' ? `other without MIME type, ${entry.type} by name` : `other with ${entry.mime}, ${entry.type}`;
}

describe('as pagexray counts', () => {
  describe.each(RECORDED_FILES)('%s', (name) => {
    const raw: { log: { pages: { id: string }[]; entries: RawEntry[] } } = JSON.parse(readRecorded(name));
    // Each page by itself.
    const ofPage = (id: string) => raw.log.entries.map((entry) => entry.pageref === id && entry);
    const loads = raw.log.pages.map((page) => readHar({ log: { pages: [page], entries: ofPage(page.id) } }));
    const entries = loads.flatMap((load) => load.entries);
    const totals = loads.map(loadTotals);
    const pages = pagexray.convert(JSON.parse(readRecorded(name)), { includeAssets: true });
    const assets = pages.flatMap((page) => page.assets);

    it('there are as many requests, on each page and to each host', () => {
      expect(sumOfKnown(totals, ({ requests }) => requests)).toBe(sumOfKnown(pages, ({ requests }) => requests));
      const requestsOfPages = loads.flatMap((load) =>
        load.pages.map(({ id }) => load.entries.filter(({ pageId }) => pageId === id).length),
      );
      expect(tally(requestsOfPages)).toEqual(tally(pages.map(({ requests }) => requests)));
      expect(tally(entries.map(({ host }) => host ?? ''))).toEqual(added(pages.map(({ domains }) => requestsOf(domains))));
      expect(new Set(entries.flatMap(({ host }) => host ?? [])).size).toBe(
        new Set(pages.flatMap(({ domains }) => Object.keys(domains))).size,
      );
    });

    it('they have the same statuses, and the document as many redirects', () => {
      expect(tally(entries.map(({ status }) => status ?? 'unknown'))).toEqual(added(pages.map(({ responseCodes }) => responseCodes)));
      expect(loads[0]?.redirects.length).toBe(pages[0]?.documentRedirects);
    });

    it('they are of the same types, save where the file name or another name for JSON tells more', () => {
      const theirs: Record<string, number> = {};
      for (const [type, requests] of Object.entries(added(pages.map(({ contentTypes }) => requestsOf(contentTypes))))) {
        const known = TYPES[type] ?? 'other';
        theirs[known] = (theirs[known] ?? 0) + requests;
      }
      const contents = entries.filter(hasContent);
      const ofAsset = new Map(assets.map(({ url, status, type }) => [`${status} ${url}`, TYPES[type] ?? 'other']));
      const typeOfAsset = ({ status, url }: HarEntry) => ofAsset.get(`${status} ${url}`);
      const different = contents.filter((entry) => typeOfAsset(entry) !== entry.type);
      expect(tally(different.map(whyOther))).toEqual(OTHER_TYPES[name] ?? {});
      const alike = contents.map((entry) => (different.includes(entry) ? 'other' : entry.type));
      const present = Object.fromEntries(Object.entries(theirs).filter(([, requests]) => requests > 0));
      expect(tally(alike)).toEqual(present);
    });

    it('they transfer the same bytes, save what pagexray does not count', () => {
      const corrections = raw.log.entries.map(({ request, response, _bytesIn }, index) => {
        const { transferBytes = null } = entries.find((entry) => entry.index === index) ?? {};
        const { bodySize, headersSize, _transferSize } = response;
        const counted = bodySize + Math.max(0, headersSize);
        if (_transferSize !== undefined) return { bytes: _transferSize - counted, why: '_transferSize' };
        const hasNoBody = request.method === 'HEAD' || [101, 204, 304].includes(response.status);
        if (hasNoBody && headersSize >= 0 && headersSize !== counted) return { bytes: headersSize - counted, why: 'no body' };
        if (bodySize === -1) return { bytes: -counted, why: 'unknown' };
        return transferBytes === counted ? { bytes: 0, why: 'same' } : { bytes: Number(_bytesIn) - counted, why: '_bytesIn' };
      });
      const theirs = sumOfKnown(pages, ({ transferSize, headerSize }) => transferSize + headerSize);
      const corrected = theirs + sumOfKnown(corrections, ({ bytes }) => bytes);
      expect(sumOfKnown(totals, ({ transferBytes }) => transferBytes)).toBe(corrected);
      expect(tally(corrections.map(({ why }) => why))).toEqual(TRANSFERRED[name]);
    });

    it('they hold the same content, save where the file does not know it', () => {
      // Of an unknown content pagexray takes the body; here it stays unknown, also where WebPagetest wrote 0 for a body that it did not
      // see.
      // Answers without a body hold nothing, whatever is recorded.
      const unknown = entries.filter(({ contentBytes, method, status }) => {
        return contentBytes === null || method === 'HEAD' || status === 101 || status === 204;
      });
      const ofUnknown = sumOfKnown(unknown, ({ index }) => contentIn(raw.log.entries[index]?.response));
      const theirs = sumOfKnown(pages, ({ contentSize }) => contentSize);
      expect(theirs - ofUnknown).toBe(sumOfKnown(totals, ({ contentBytes }) => contentBytes));
    });
  });
});
