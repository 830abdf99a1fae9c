import { expect, it } from 'vitest';
import { listOf, recordOf } from '../../../src/har/read/member.ts';
import { readHar } from '../../../src/har/read/read-har.ts';
import { sanitiseHar } from '../../../src/har/sanitise/sanitise-har.ts';
import { isRecord } from '../../../src/lib/is-record.ts';
import { CANARY, plantCanaries } from '../canaries.ts';
import { RECORDED_FILES, readRecorded } from '../recorded-files.ts';
import { entry, har } from '../sample.ts';
import { comparison, digestOf, everything } from './views.ts';

/** All that is shown of a file: every view, its copy, and comparisons with another one. */
function said(file: unknown, other: unknown): string {
  const read = readHar(file);
  return JSON.stringify([...everything(file), sanitiseHar(read), digestOf(read), comparison(file, other), comparison(other, file)]);
}

function leaksIn(text: string): string[] {
  return [...text.matchAll(new RegExp(CANARY, 'gi'))].slice(0, 5).map(({ index }) => text.slice(index - 60, index + 30));
}

const SECRET_HEADERS = /^(?:cookie|set-cookie|authorization|proxy-authorization|etag|p3p)$/i;

/** Of Set-Cookie only the first pair: path, domain and expiry are no secrets. */
function secretParts(name: string, value: string): string[] {
  return (/^set-/i.test(name) ? value.split(';', 1) : value.split(/[;,\s]+/)).flatMap((part) => part.split('='));
}

/** Values of cookies and of headers that carry credentials, whole and cookie by cookie; short ones occur by chance. */
function secretsOf(file: unknown): string[] {
  const entries = listOf(recordOf(recordOf(file).log).entries).filter(isRecord);
  const messages = entries.flatMap(({ request, response }) => [recordOf(request), recordOf(response)]);
  const headers = messages.flatMap((message) => listOf(message.headers).filter(isRecord));
  const values = headers.flatMap(({ name, value }) => (SECRET_HEADERS.test(String(name)) ? secretParts(String(name), String(value)) : []));
  const cookies = messages.flatMap((message) =>
    listOf(message.cookies)
      .filter(isRecord)
      .map(({ value }) => String(value)),
  );
  return [...new Set([...values, ...cookies])].filter((value) => value.length >= 8 && /\d/.test(value) && /[a-z]/i.test(value));
}

it('no answer about a HAR lets a canary through, wherever it is planted', () => {
  const planted = plantCanaries(
    har([
      entry({ url: 'https://www.shop.example/cart?item=1&w=20', response: { status: 302, redirectURL: '/x' } }),
      entry({ url: 'https://www.shop.example/cart/done' }),
      entry({ url: 'https://cdn.example.net/a.js', headers: { 'content-type': 'text/javascript' } }),
      entry({ url: 'https://cdn.example.net/b.css', response: { status: 404 }, headers: { 'content-type': 'text/css' } }),
    ]),
  );
  expect(JSON.stringify(planted)).toMatch(CANARY);
  expect(leaksIn(said(planted, har([entry()])))).toEqual([]);
});

it.each(RECORDED_FILES)('no answer about a HAR of recorded files %s: lets a canary through', (name) => {
  const planted = plantCanaries(JSON.parse(readRecorded(name)));
  expect(JSON.stringify(planted).split(CANARY).length).toBeGreaterThan(100);
  expect(leaksIn(said(planted, JSON.parse(readRecorded(name))))).toEqual([]);
});

it.each(RECORDED_FILES)('no answer about a HAR of recorded files %s: holds a cookie or authorization value', (name) => {
  const file: unknown = JSON.parse(readRecorded(name));
  const text = said(file, har([entry()]));
  expect(secretsOf(file).filter((secret) => text.includes(secret))).toEqual([]);
});

it('no answer about a HAR of recorded files and these files have such values', () => {
  expect(RECORDED_FILES.flatMap((name) => secretsOf(JSON.parse(readRecorded(name)))).length).toBeGreaterThan(50);
});
