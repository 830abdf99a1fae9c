import { describe, expect, it } from 'vitest';
import { readHar } from '../../../src/domain/har/read/read-har.ts';
import { sanitiseHar } from '../../../src/domain/har/sanitise/sanitise-har.ts';
import { digestOf } from './analyse/views.ts';
import { CANARY, plantCanaries } from './canaries.ts';
import { harSchema } from './har-schema.ts';
import { RECORDED_FILES, readRecorded } from './recorded-files.ts';
import { entry, har, type JsonObject } from './sample.ts';

function leaks(file: { log: JsonObject }): (string | undefined)[] {
  const read = readHar(file);
  const shown = JSON.stringify({ copy: sanitiseHar(read), summary: digestOf(read) });
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
});

describe('recorded HAR files', () => {
  it.each(RECORDED_FILES)('%s: no planted canary survives', (name) => {
    const { har: planted, counts } = plantCanaries(JSON.parse(readRecorded(name)));
    expect(counts.query).toBeGreaterThan(30);
    expect(leaks(planted)).toEqual([]);
  });

  it.each(RECORDED_FILES)('%s: no cookie and no unlisted header value survives', (name) => {
    const file = JSON.parse(readRecorded(name));
    const shown = JSON.stringify([sanitiseHar(readHar(file)), digestOf(readHar(file))]);
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
    const copy = sanitiseHar(readHar(text));
    expect(harSchema.safeParse(copy).error?.issues).toBeUndefined();
    expect(JSON.stringify(sanitiseHar(readHar(text)))).toBe(JSON.stringify(copy));
    const again = readHar(JSON.stringify(copy));
    expect(sanitiseHar(again)).toEqual(JSON.parse(JSON.stringify(copy)));
    expect(digestOf(again).totals).toEqual(digestOf(readHar(text)).totals);
  });
});

interface Message {
  cookies: { value: string }[];
  headers: { name: string; value: string }[];
}
