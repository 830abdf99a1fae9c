import { Buffer } from 'node:buffer';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { MAX_HAR_BYTES } from '../../src/har/read/decode-har.ts';
import { HarError } from '../../src/har/read/har-model.ts';
import { readHar } from '../../src/har/read/read-har.ts';
import { entry, har } from './sample.ts';

const FILE = har([entry(), entry({ url: 'https://cdn.example.net/a.js' })]);
const TEXT = JSON.stringify(FILE);

function errorOf(input: unknown): HarError {
  try {
    readHar(input);
  } catch (error) {
    if (error instanceof HarError) return error;
    throw error;
  }
  throw new Error('the file was read');
}

describe('readHar takes', () => {
  const gzip = gzipSync(TEXT);
  it.each([
    ['text', TEXT],
    ['text with a BOM', `\uFEFF${TEXT}`],
    ['text in white space', `\n ${TEXT}\n`],
    ['an object', FILE],
    ['JSON in a JSON string', JSON.stringify(TEXT)],
    ['gzip and base64', gzip.toString('base64')],
    ['gzip and base64 for addresses', gzip.toString('base64url')],
    ['base64 in lines', gzip.toString('base64').replaceAll(/.{76}/g, '$&\r\n')],
    ['gzip of text with a BOM', gzipSync(`\uFEFF${TEXT}`).toString('base64')],
    ['a data address', `data:application/gzip;base64,${gzip.toString('base64')}`],
    ['base64 alone', Buffer.from(TEXT).toString('base64')],
    ['bytes', Buffer.from(TEXT)],
    ['packed bytes', new Uint8Array(gzip)],
  ])('%s', (_form, input) => {
    expect(readHar(input).entries.map(({ url }) => url)).toEqual(['https://www.shop.example/', 'https://cdn.example.net/a.js']);
  });
});

it.each([
  ['nothing', '', 'The HAR file is empty.'],
  ['a list', '[]', 'This is not a HAR file: the root is a list, where an object with the member "log" is expected.'],
  ['null', null, 'This is not a HAR file: the root is null, where an object with the member "log" is expected.'],
  ['no log', {}, 'This is not a HAR file: log is nothing, where an object is expected.'],
  ['no entries', { log: {} }, 'This is not a HAR file: log.entries is nothing, where a list is expected.'],
  ['entries of another type', { log: { entries: 'x' } }, 'This is not a HAR file: log.entries is text, where a list is expected.'],
  [
    'entries without addresses',
    { log: { entries: [{ request: { url: 7 } }, null] } },
    'No entry of the HAR file has a request address: log.entries[0].request.url is a number.',
  ],
  [
    'addresses of invisible characters',
    { log: { entries: [{ request: { url: ' \u0000\u202E' } }] } },
    'No entry of the HAR file has a request address: log.entries[0].request.url is empty text.',
  ],
  ['damaged gzip', Buffer.from(gzipSync(TEXT).subarray(0, 60)).toString('base64'), /gzip data, but damaged or cut off/],
])('readHar refuses %s', (_what, input, message) => {
  expect(errorOf(input).message).toMatch(message);
});

it.each([
  ['{"log":{"entries":[{"request":1}\n,{"request" 2}]}}', ': it is damaged, at position 45 (line 2, column 13)'],
  ['{"log":{"comment":"SECRET\n"}}', ': it is damaged, at position 25 (line 1, column 26)'],
  ['{"log":{}} SECRET', ': it is damaged, at position 11 (line 1, column 12)'],
  ['<html>SECRET', ''],
])('readHar refuses %s with the place where that is known, quoting nothing', (text, where) => {
  expect(errorOf(text).message).toBe(`The HAR file is not valid JSON${where}.`);
});

it('readHar refuses text that is cut off, wherever that is', () => {
  for (let end = 1; end < TEXT.length; end += 1)
    expect(errorOf(TEXT.slice(0, end)).message).toContain(`it ends too early, at position ${end} `);
});

it('readHar refuses text above the limit, also when it is packed', { tags: 'nightly' }, () => {
  const large = ' '.repeat(MAX_HAR_BYTES + 1);
  expect(errorOf(large).message).toBe('The HAR file has 96.0 MB; files larger than 96 MB are not read.');
  expect(errorOf(`{"a":"${'€'.repeat(MAX_HAR_BYTES / 3)}"}`).message).toMatch(/larger than 96 MB/);
  expect(errorOf(gzipSync(large).toString('base64')).message).toMatch(/larger than 96 MB decompressed/);
});

it('readHar leaves out and counts entries without an address and members that it cannot read', () => {
  const file = har([
    7,
    entry({ response: { status: '200' }, timings: { wait: 'long' } }),
    entry({ url: '' }),
    entry({ time: Number.MAX_VALUE }),
  ]);
  const read = readHar(file);
  expect(read.entries.map(({ index }) => index)).toEqual([1, 3]);
  expect(read.entries[0]).toMatchObject({ status: null, timings: { waitMs: null } });
  expect(read.notes).toEqual([
    '2 of 4 entries are left out, because they have no request address (first: log.entries[0] is a number).',
    expect.stringMatching(/^3 members could not be read and count as unknown \(first: log\.entries\[1\]\.timings\.wait is text\)\.$/),
  ]);
});

it('readHar leaves out and counts nothing of a complete file', () => {
  expect(readHar(FILE).notes).toEqual([]);
});

describe('readHar refuses what would fill the memory', () => {
  const file = (member: string) => `{"log":{"entries":[],\n"_x":${member}}}`;

  it.each([
    ['lists in lists', '[', 3_000_000, ''],
    ['members in members', '{"a":', 600_000, ''],
    ['levels far apart', `{"${'a'.repeat(60)}":`, 300_000, ''],
    ['nesting that closes again', '[', 2_000_000, ']'],
  ])('%s, with the place', (_what, opening, levels, closing) => {
    const error = errorOf(file(opening.repeat(levels) + closing.repeat(levels)));
    // The file itself has two levels; the second line begins after 22 characters.
    const position = 27 + 198 * opening.length;
    const where = `position ${position} (line 2, column ${position - 21})`;
    expect(error.message).toBe(`The HAR file is nested more than 200 levels deep at ${where}; no HAR is.`);
  });

  it('tens of millions of lists', { tags: 'nightly' }, () => {
    expect(errorOf(file(`[${'[],'.repeat(12_000_000)}1]`)).message).toMatch(
      /^The HAR file holds more than 10000000 lists and objects up to position \d+ .*\.$/,
    );
  });

  it('but not brackets inside of texts, nor large flat files', { tags: 'nightly' }, () => {
    const brackets = JSON.stringify('[{\\"'.repeat(800_000));
    expect(readHar(file(brackets)).entries).toEqual([]);
    expect(readHar(file(`[${'{"a":[1]},'.repeat(400_000)}1]`)).entries).toEqual([]);
  });
});
