import { expect, it } from 'vitest';
import { sanitiseContentType, sanitiseHeaders } from '../../src/har/sanitise/sanitise-headers.ts';

const TOKEN = 'aB3dE5gH7jK9mN1p';
const shown = (name: string, value: string) => sanitiseHeaders([{ name, value }])[0]?.value;

/** Values that say how a resource is sent, and nothing about who asks. */
const HARMLESS: [string, string][] = [
  ['Accept-Encoding', 'gzip, deflate, br;q=0.5, zstd, *'],
  ['accept-ranges', 'bytes'],
  ['age', '86400'],
  ['cache-control', 'public, max-age=31536000, stale-while-revalidate="60", immutable'],
  ['cf-cache-status', 'HIT'],
  ['connection', 'keep-alive'],
  ['content-encoding', 'br'],
  ['content-language', 'pt-BR'],
  ['content-language', 'de'],
  ['content-length', '1048576'],
  ['content-type', 'application/ld+json'],
  ['date', 'Fri, 20 Nov 2026 10:00:00 GMT'],
  ['expires', '-1'],
  ['expires', '0'],
  ['last-modified', 'Friday, 20-Nov-26 10:00:00 UTC'],
  ['location', '/login?lang=en'],
  ['pragma', 'no-cache'],
  ['priority', 'u=1, i'],
  ['referer', 'https://www.shop.example/cart'],
  ['sec-fetch-dest', 'script'],
  ['sec-fetch-mode', 'no-cors'],
  ['server-timing', 'db;dur=12.25, edge-1;dur=120'],
  ['transfer-encoding', 'chunked'],
  ['vary', 'Accept-Encoding, Origin, Sec-CH-UA, *'],
  ['x-cache', 'HIT, miss'],
];

it.each(HARMLESS)('a harmless value of %s stays: %s', (name, value) => {
  expect(shown(name, value)).toBe(value);
  expect(shown(name.toUpperCase(), value)).toBe(value);
  expect(shown(`x-${name}`, value)).toBe('[removed]');
});

it.each(HARMLESS.filter(([name]) => !/location|referer|content-type|server-timing/.test(name)))(
  'a harmless value of %s hides what stands beside it: %s',
  (name, value) => {
    for (const beside of [`jane ${value}`, `${value} jane`, `jane7, ${value}, jane8`, `jane${value}jane`])
      expect(shown(name, beside)).not.toContain('jane');
  },
);

it.each([
  ['server-timing', ' db ; desc=x ; dur=3 ;x, cdn;desc="me";dur=1, 7a;dur=1, a;dur=12ms', 'db;dur=3'],
  ['server-timing', 'a;dur=1234.5678;me', 'a;dur=1234.5678'],
  ['server-timing', `${TOKEN};dur=3, user 7;dur=2`, '[removed]'],
  ['x-cache', 'Hit from node-17.internal, TCP_MISS miss', 'Hit, miss'],
  ['x-cache', 'node-17', '[removed]'],
  ['accept-encoding', 'gzip,me,br', 'gzip, br'],
  ['age', '12 days', '[removed]'],
  ['age', '', ''],
  ['x-jane', '', ''],
  ['location', 'jane', '[removed]'],
])('of a value stays what has a harmless shape %s: %s', (name, value, expected) => {
  expect(shown(name, value)).toBe(expected);
});

it('of a value stays what has a harmless shape as long as a person would read it', () => {
  const longest = '/a'.repeat(1_000);
  expect(shown('location', longest)).toBe(longest);
  expect(shown('location', `${longest}/`)).toBe('[removed]');
});

it.each([
  ['text/html; charset=utf-8', 'text/html; charset=utf-8'],
  [' text/html ;boundary=me;  charset="ISO-8859-1" ', 'text/html; charset=ISO-8859-1'],
  ['text/html;charset=utf-8 ;me', 'text/html; charset=utf-8'],
  ['text/html; xcharset=utf-8', 'text/html'],
  ['text/html; charset=utf-8me!', 'text/html'],
  ['text/html; charset=me', 'text/html'],
  ['me text/html', ''],
  ['text/html me', ''],
  ['text', ''],
  [`text/${TOKEN}`, ''],
  ['', ''],
  [`text/html;${' '.repeat(2_000)}; charset=utf-8`, 'text/html'],
])('a content type %.60s', (value, expected) => {
  expect(sanitiseContentType(value)).toBe(expected);
});

it.each([':authority', 'X-Frame-Options', 'a', `x${'-a'.repeat(31)}b`])('the name of a header stays: %s', (name) => {
  expect(sanitiseHeaders([{ name, value: '' }])).toEqual([{ name, value: '' }]);
});

it.each(['', 'x jane', '=x', '7up', '; path', `x${'-a'.repeat(32)}`, TOKEN, '::a'])('the name of a header is masked: %s', (name) => {
  expect(sanitiseHeaders([{ name, value: 'v' }])).toEqual([{ name: '[removed]', value: '[removed]' }]);
});

it('the name of a header and its value may be of any type, or the header may be none at all', () => {
  expect(sanitiseHeaders(['age', null, 7, { name: 7, value: 'jane' }, { name: 'age', value: 12 }, {}])).toEqual([
    { name: '[removed]', value: '[removed]' },
    { name: 'age', value: '' },
    { name: '[removed]', value: '' },
  ]);
});
