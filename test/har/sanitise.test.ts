import { describe, expect, it } from 'vitest';
import { readHar } from '../../src/har/read/read-har.ts';
import { sanitiseHar } from '../../src/har/sanitise/sanitise-har.ts';
import { digestOf } from './analyse/views.ts';
import { harSchema } from './har-schema.ts';
import { RECORDED_FILES, readRecorded } from './recorded-files.ts';
import { entry, har } from './sample.ts';

function copyOf(file: unknown) {
  return sanitiseHar(readHar(file));
}

function firstEntry(parts: Parameters<typeof entry>[0]) {
  const copied = copyOf(har([entry(parts)])).log.entries[0];
  if (!copied) throw new Error('the entry is gone');
  return copied;
}

describe('a sanitised HAR', () => {
  it('holds every member that is known, and no other', () => {
    const page = {
      startedDateTime: '2026-11-01T11:00:00.000+0100',
      id: 'page_3_1',
      title: 'Cart of me@shop.example',
      pageTimings: { onContentLoad: 700, onLoad: -1, _firstPaint: 12, _largestContentfulPaint: 34, _fullyLoaded: 99, _mine: 3 },
      _mine: 1,
    };
    const recorded = entry({
      url: 'https://www.shop.example/a?w=20&&q=x=y#top',
      entry: {
        pageref: 'page_3_1',
        connection: '443',
        serverIPAddress: '10.1.2.3',
        _fromCache: 'memory',
        _bytesIn: '512',
        _renderBlocking: 'blocking',
        _initiator: { type: 'parser', url: 'https://www.shop.example/a.js' },
        _priority: 'VeryHigh',
        _initialPriority: 'me',
        _securityDetails: { issuer: 'me' },
      },
      request: { method: 'post', httpVersion: 'HTTP/1.1', headers: [{ name: 'age', value: '1' }], cookies: [{ name: 'sid', value: 'x' }] },
      response: { status: 304, statusText: 'Not Modified', redirectURL: '/b?c=d', bodySize: -1, _transferSize: 1000, _error: 'me' },
      content: { size: 3000, compression: 5, text: '' },
      timings: { ssl: -1, _mine: 4, _queued: 3, _blocked_queueing: 4, _blocked_proxy: 5 },
    });
    const browser = { name: 'Firefox', version: '128.0' };
    const copy = copyOf(har([recorded], { browser, pages: [page], creator: { ...browser, comment: 'me' }, comment: 'me', _mine: 1 }));
    expect(copy.log).toEqual({
      version: '1.2',
      creator: browser,
      browser,
      pages: [
        {
          startedDateTime: '2026-11-01T11:00:00.000+01:00',
          id: 'page_3_1',
          title: '[removed]',
          pageTimings: { onContentLoad: 700, onLoad: -1, _firstPaint: 12, _largestContentfulPaint: 34, _fullyLoaded: 99 },
        },
      ],
      entries: [
        {
          pageref: 'page_3_1',
          startedDateTime: '2026-11-01T10:00:00.000Z',
          time: 100,
          request: {
            method: 'POST',
            url: 'https://www.shop.example/a?w=20&&q=[removed]',
            httpVersion: 'http/1.1',
            cookies: [],
            headers: [{ name: 'age', value: '1' }],
            queryString: [
              { name: 'w', value: '20' },
              { name: 'q', value: '[removed]' },
            ],
            headersSize: 100,
            bodySize: 0,
          },
          response: {
            status: 304,
            statusText: 'Not Modified',
            httpVersion: 'h2',
            cookies: [],
            headers: [{ name: 'content-type', value: 'text/html' }],
            content: { size: 3000, compression: 5, mimeType: 'text/html' },
            redirectURL: '/b?c=[removed]',
            headersSize: 200,
            bodySize: -1,
            _transferSize: 1000,
          },
          cache: {},
          timings: {
            blocked: 1,
            dns: 10,
            connect: 30,
            ssl: -1,
            send: 1,
            wait: 50,
            receive: 8,
            _queued: 3,
            _blocked_queueing: 4,
            _blocked_proxy: 5,
          },
          connection: '443',
          _fromCache: 'memory',
          _bytesIn: 512,
          _priority: 'VeryHigh',
          _renderBlocking: 'blocking',
          _initiator_type: 'parser',
        },
      ],
      comment: expect.stringMatching(/^Sanitised: /),
    });
    expect(copyOf(copy)).toEqual(copy);
  });

  it('of a file without them has no pages, no browser and no name of its maker', () => {
    const { log } = copyOf({ log: { entries: [entry()], creator: { name: 'me@shop.example', version: 'x'.repeat(61) }, browser: {} } });
    expect(Object.keys(log)).toEqual(['version', 'creator', 'entries', 'comment']);
    expect(log.creator).toEqual({ name: '[removed]', version: '[removed]' });
    const makers = ['é of jane', 'jane of é', 'aB3dE5gH7jK9mN1p', 'Firefox (ESR) 128.0/a+b-c_d'];
    const names = makers.map((name) => copyOf({ log: { entries: [entry()], creator: { name, version: '1' } } }).log.creator.name);
    expect(names).toEqual(['[removed]', '[removed]', '[removed]', makers[3]]);
    expect(log.entries[0]).not.toHaveProperty('pageref');
    const bare = copyOf({ log: { entries: [{ request: { url: 'https://www.shop.example/' } }] } });
    expect(harSchema.safeParse(bare).error?.issues).toBeUndefined();
    expect(bare.log.entries[0]).toMatchObject({ startedDateTime: '1970-01-01T00:00:00.000Z', time: 0, timings: { wait: -1 } });
  });

  it.each<[string, Parameters<typeof entry>[0], object]>([
    ['a method of its own', { request: { method: 'JANE' } }, { request: { method: 'GET' } }],
    ['nothing special', {}, { request: { queryString: [] }, response: { bodySize: 800 }, timings: { ssl: 20 } }],
    ['a query without names', { url: '/?abc' }, { request: { queryString: [{ name: '[removed]', value: '' }] } }],
    ['a method within another word', { request: { method: 'JANEPOST' } }, { request: { method: 'GET' } }],
    ['a method before other words', { request: { method: 'POST JANE' } }, { request: { method: 'GET' } }],
    ['a priority', { entry: { _initialPriority: 'High' } }, { _initialPriority: 'High' }],
    ['a protocol of its own', { request: { httpVersion: 'jane' } }, { request: { httpVersion: 'unknown' } }],
    ['a status in its own words', { response: { statusText: 'OK jane@shop.example' } }, { response: { statusText: '' } }],
    ['a status that ends in digits', { response: { statusText: 'OK 12' } }, { response: { statusText: '' } }],
    ['a status that begins with digits', { response: { statusText: '12 OK' } }, { response: { statusText: '' } }],
    ['an empty form', { request: { postData: {} } }, { request: { postData: { comment: 'removed: 0 characters' } } }],
    ['a status that is a token', { response: { statusText: 'A'.repeat(25) } }, { response: { statusText: '' } }],
    ['a date that is none', { startedDateTime: '2026-13-01T10:00:00Z' }, { startedDateTime: '1970-01-01T00:00:00.000Z' }],
    ['a date with words', { startedDateTime: '2026-11-01T10:00:00Z jane' }, { startedDateTime: '1970-01-01T00:00:00.000Z' }],
    ['a file from the disk', { entry: { _fromCache: 'jane' } }, { _fromCache: 'disk' }],
    ['an amount that is none', { time: -5, request: { bodySize: 'jane' } }, { time: 0, request: { bodySize: -1 } }],
    [
      'parameters of a form',
      { request: { postData: { mimeType: 'text/plain', params: [{ name: 'a' }, { name: 'b' }] } } },
      { request: { postData: { mimeType: 'text/plain', text: '', comment: 'removed: 2 parameters' } } },
    ],
    [
      'a form as text too',
      { request: { postData: { text: 'a=1', params: [{ name: 'a' }] } } },
      { request: { postData: { mimeType: '', text: '', comment: 'removed: 3 characters' } } },
    ],
    [
      'a body with words of its own',
      { content: { text: 'four', comment: 'removed: all characters of jane' } },
      { response: { content: { comment: 'removed: 4 characters' } } },
    ],
    [
      'a note that goes on',
      { content: { text: 'four', comment: 'removed: 40 characters of jane' } },
      { response: { content: { comment: 'removed: 4 characters' } } },
    ],
    [
      'a note that begins otherwise',
      { request: { postData: { text: 'four', comment: 'jane removed: 40 characters' } } },
      { request: { postData: { comment: 'removed: 4 characters' } } },
    ],
    [
      'a body that a copy has no more',
      { content: { comment: 'removed: 1250 characters' } },
      { response: { content: { comment: 'removed: 1250 characters' } } },
    ],
  ])('says of %s what is harmless', (_what, parts, expected) => {
    expect(firstEntry(parts)).toMatchObject(expected);
  });

  it.each([
    { entry: { connection: 'jane' } },
    { entry: { connection: '12345678901' } },
    { entry: { connection: 'a1' } },
    { entry: { _initiator_type: 'jane', _bytesIn: 'jane', _priority: 7 } },
  ])('leaves out what is not as known: %j', (parts) => {
    expect(Object.keys(firstEntry(parts))).toEqual(Object.keys(firstEntry({})));
  });

  it('numbers pages all or none, and dates what has none as the first request', () => {
    const pages = (...ids: string[]) => ids.map((id) => ({ id, title: '', pageTimings: {} }));
    const entries = ['soon', '2026-11-01T10:00:00.000Z', '2026-11-01T09:00:00.000Z'].map((startedDateTime) => entry({ startedDateTime }));
    const idsOf = (...ids: string[]) => copyOf(har(entries, { pages: [...pages(...ids), 'jane'] })).log.pages?.map(({ id }) => id);
    expect(idsOf('jane', 'page_12', 'jane')).toEqual(['page_1', 'page_2', 'page_1']);
    expect([idsOf('page_7x'), idsOf('xpage_7'), idsOf('page_12_30_4', 'page_5')]).toEqual([
      ['page_1'],
      ['page_1'],
      ['page_12_30_4', 'page_5'],
    ]);
    const { log } = copyOf(har(entries));
    expect(copyOf(har(entries, { pages: pages('page_1') })).log.pages?.[0]?.startedDateTime).toBe('2026-11-01T09:00:00.000Z');
    expect(log.entries.map(({ startedDateTime }) => startedDateTime.slice(11, 13))).toEqual(['09', '10', '09']);
    const ofPages = ['jane', 'gone'].map((pageref) => entry({ entry: { pageref } }));
    expect(copyOf(har(ofPages, { pages: pages('jane') })).log.entries.map(({ pageref }) => pageref)).toEqual(['page_1', undefined]);
  });

  it.each(RECORDED_FILES)('of %s is valid, deterministic, its own copy, and sums up to the same', (name) => {
    const text = readRecorded(name);
    const copy = copyOf(text);
    expect(harSchema.safeParse(copy).error?.issues).toBeUndefined();
    expect(JSON.stringify(copyOf(text))).toBe(JSON.stringify(copy));
    const again = JSON.stringify(copy);
    expect(copyOf(again)).toEqual(JSON.parse(again));
    expect(digestOf(readHar(again)).totals).toEqual(digestOf(readHar(text)).totals);
  });
});
