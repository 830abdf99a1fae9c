import { describe, expect, it } from 'vitest';
import { readHar } from '../../../src/domain/har/read/read-har.ts';
import { sanitiseHar } from '../../../src/domain/har/sanitise/sanitise-har.ts';
import { summarizeHar } from '../../../src/domain/har/summary/summarize-har.ts';
import { CANARY, plantCanaries } from './canaries.ts';
import { harSchema } from './har-schema.ts';
import { RECORDED_FILES, readRecorded } from './recorded-files.ts';
import { entry, har, type JsonObject } from './sample.ts';

function copyOf(file: unknown) {
  return sanitiseHar(readHar(file));
}

function firstEntry(parts: Parameters<typeof entry>[0]) {
  const copied = copyOf(har([entry(parts)])).log.entries[0];
  if (!copied) throw new Error('the entry is gone');
  return copied;
}

function leaks(file: { log: JsonObject }): (string | undefined)[] {
  const read = readHar(file);
  const shown = JSON.stringify({ copy: sanitiseHar(read), summary: summarizeHar(read, { top: 1000, errors: 1000 }) });
  return [...shown.matchAll(new RegExp(CANARY, 'gi'))].slice(0, 5).map(({ index }) => shown.slice(index - 60, index + 30));
}

describe('a sanitised HAR', () => {
  it('lets no canary through, and neither does the summary', () => {
    const { har: planted, counts } = plantCanaries(
      har([entry({ url: 'https://www.shop.example/cart?item=1&w=20' }), entry({ url: 'https://cdn.example.net/a.js' })]),
    );
    expect(JSON.stringify(planted)).toMatch(CANARY);
    expect(Object.keys(counts)).toEqual(
      expect.arrayContaining([
        'cookie',
        'header',
        'query',
        'body',
        'user',
        'password',
        'pathToken',
        'email',
        'fragment',
        'title',
        'custom',
      ]),
    );
    expect(leaks(planted)).toEqual([]);
  });

  it('keeps harmless header values by shape and masks all others, names kept', () => {
    const { headers } = firstEntry({
      headers: {
        'content-type': 'text/html; charset=utf-8; profile=me',
        'Cache-Control': 'private, max-age=60, x-user="me"',
        etag: '"W/1234"',
        Vary: 'Accept-Encoding, X-Secret-Name',
        'server-timing': 'cdn;desc="user 7";dur=12.5, db;dur=3',
        location: '/login?next=/orders&lang=en#top',
        'x-cache': 'HIT from node-17.internal',
        age: 'none of your business',
      },
    }).response;
    expect(Object.fromEntries(headers.map(({ name, value }) => [name, value]))).toEqual({
      'content-type': 'text/html; charset=utf-8',
      'Cache-Control': 'private, max-age=60',
      etag: '[removed]',
      Vary: 'Accept-Encoding',
      'server-timing': 'db;dur=3',
      location: '/login?next=[removed]&lang=en',
      'x-cache': 'HIT',
      age: '[removed]',
    });
  });

  it('replaces bodies by a note of their length', () => {
    const copied = firstEntry({
      content: { text: 'x'.repeat(120), encoding: 'base64' },
      request: { postData: { mimeType: 'application/json', text: '{"pin":1}' } },
    });
    expect(copied.response.content).toEqual({ size: 3000, mimeType: 'text/html', comment: 'removed: 120 characters' });
    expect(copied.request.postData).toEqual({ mimeType: 'application/json', text: '', comment: 'removed: 9 characters' });
  });

  it('keeps known custom members with known values and drops all others', () => {
    const copied = firstEntry({
      entry: {
        _priority: 'VeryHigh',
        _initialPriority: 'me',
        _resourceType: 'document',
        _renderBlocking: 'blocking',
        _initiator: { type: 'script', url: 'https://www.shop.example/a.js' },
        _securityDetails: { issuer: 'me' },
      },
      response: { _transferSize: 1000, _error: 'me' },
      timings: { _queued: 3, _mine: 4 },
    });
    const custom = (record: object) => Object.fromEntries(Object.entries(record).filter(([name]) => name.startsWith('_')));
    expect(custom(copied)).toEqual({
      _priority: 'VeryHigh',
      _resourceType: 'document',
      _renderBlocking: 'blocking',
      _initiator_type: 'script',
    });
    expect(custom(copied.response)).toEqual({ _transferSize: 1000 });
    expect(custom(copied.timings)).toEqual({ _queued: 3 });
  });

  it('says the same in the address and its query list', () => {
    const { request } = firstEntry({
      url: 'https://www.shop.example/?page=2&q=shoes',
      request: { queryString: [{ name: 'q', value: 'boots' }] },
    });
    expect(request.url).toBe('https://www.shop.example/?page=2&q=[removed]');
    expect(request.queryString).toEqual([
      { name: 'page', value: '2' },
      { name: 'q', value: '[removed]' },
    ]);
  });

  it('numbers pages whose ids are not those of a recorder', () => {
    const copy = copyOf(
      har([entry({ entry: { pageref: 'jane' } }), entry({ entry: { pageref: 'gone' } })], {
        pages: [{ id: 'jane', title: 'Cart', pageTimings: {} }],
      }),
    );
    expect(copy.log.pages?.map(({ id }) => id)).toEqual(['page_1']);
    expect(copy.log.entries.map(({ pageref }) => pageref)).toEqual(['page_1', undefined]);
  });

  it('is a valid HAR also where the file lacks almost everything', () => {
    const bare = harSchema.safeParse(copyOf({ log: { entries: [{ request: { url: 'https://www.shop.example/' } }] } }));
    expect(bare.error?.issues).toBeUndefined();
  });
});

describe('recorded HAR files', () => {
  it.each(RECORDED_FILES)('%s: no planted canary survives', (name) => {
    const { har: planted, counts } = plantCanaries(JSON.parse(readRecorded(name)));
    expect(counts.query).toBeGreaterThan(30);
    expect(leaks(planted)).toEqual([]);
  });

  it.each(RECORDED_FILES)('%s: no cookie and no unlisted header value survives', (name) => {
    const file = JSON.parse(readRecorded(name));
    const shown = JSON.stringify([copyOf(file), summarizeHar(readHar(file), { top: 1000, errors: 1000 })]);
    const secrets: string[] = file.log.entries.flatMap((raw: { request: Message; response: Message }) =>
      [raw.request, raw.response].flatMap(({ cookies, headers }) => [
        ...cookies.map(({ value }) => value),
        ...headers
          .filter((header) => /^(?:cookie|set-cookie|authorization|etag|p3p|user-agent)$/i.test(header.name))
          .map(({ value }) => value),
      ]),
    );
    // A cookie worth hiding is longer than a word; "1" and "true" occur anywhere.
    const long = new Set(secrets.filter((value) => value.length >= 10));
    expect([...long].filter((value) => shown.includes(value))).toEqual([]);
  });

  it.each(RECORDED_FILES)('%s: the copy is valid, deterministic, its own copy, and sums up to the same', (name) => {
    const text = readRecorded(name);
    const copy = copyOf(text);
    expect(harSchema.safeParse(copy).error?.issues).toBeUndefined();
    expect(JSON.stringify(copyOf(text))).toBe(JSON.stringify(copy));
    const again = readHar(JSON.stringify(copy));
    expect(sanitiseHar(again)).toEqual(JSON.parse(JSON.stringify(copy)));
    expect(summarizeHar(again).totals).toEqual(summarizeHar(readHar(text)).totals);
  });
});

interface Message {
  cookies: { value: string }[];
  headers: { name: string; value: string }[];
}
