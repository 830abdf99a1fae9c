import { describe, expect, test } from 'vitest';
import { outlineOf, parseJson, parseLargeJson } from '../../src/api/json.ts';
import { times } from '../support/times.ts';

const MB = 1_048_576;
const parsedLarge = (pieces: Buffer[]) => parseLargeJson(pieces, outlineOf(pieces, { maxDepth: 9, maxContainers: MB }));

const rows = (count: number, words = 'A row') =>
  times(count, (id) => ({ id, words, quoted: '"],"}{[\\', steps: [{ id: 1 }, { id: 2 }], none: null }));
const bytesOf = (value: unknown, indent = 0) => Buffer.from(JSON.stringify(value, null, indent));
/** As the document comes from the decompressor, without regard to texts and characters. */
const cut = (bytes: Buffer, size: number) =>
  times(Math.ceil(bytes.length / size), (index) => bytes.subarray(index * size, (index + 1) * size));
const enveloped = (list: unknown) => ({
  success: true,
  payload: { scenario: { ids: [1, 2], 'a "name"': 1, 'list "of"': list, after: [3] } },
});

test.each([
  ['written close', enveloped(rows(12_000)), 0],
  ['written wide', enveloped(rows(12_000)), 2],
  ['with texts beyond ASCII', enveloped(rows(12_000, 'Größe „1“ 👟')), 0],
  ['of numbers and lists', enveloped(times(190_000, (id) => (id % 3 === 0 ? [id, [id]] : id))), 0],
  ['with one entry that is larger than a piece', enveloped(['x'.repeat(2 * MB), 'y']), 0],
])('a large document is read in pieces %s', { tags: 'nightly' }, async (_, value, indent) => {
  const bytes = bytesOf(value, indent);
  expect(bytes.length).toBeGreaterThan(MB);
  for (const size of [bytes.length, 100_003]) expect(await parsedLarge(cut(bytes, size))).toEqual(value);
});

test('a large document is read in pieces with integers beyond 2^53 as text, and texts on one line', async () => {
  const entry = '{"id":9007199254740993,"text":"a\\n b","n":1.5}';
  const bytes = Buffer.from(`{"payload":{"list":[${times(30_000, () => entry).join(', ')}]}}`);
  const { payload } = (await parsedLarge(cut(bytes, 65_536))) as { payload: { list: unknown[] } };
  expect(payload.list).toHaveLength(30_000);
  expect(new Set(payload.list.map((row) => JSON.stringify(row)))).toEqual(
    new Set([JSON.stringify({ id: '9007199254740993', text: 'a b', n: 1.5 })]),
  );
});

describe('every other document is left to be read as one text', () => {
  const long = JSON.stringify(rows(12_000));
  test.each([
    ['a short one', JSON.stringify(enveloped(rows(10)))],
    ['no list', JSON.stringify({ a: 'x'.repeat(2 * MB) })],
    ['two lists of the same length', `{"a":${long},"b":${long},"c":${long}}`],
    ['a list that is cut short', `{"a":${long.slice(0, -1)}`],
    ['a document that is cut short', `{"a":${long}`],
    ['an entry that is none', `{"a":${long.slice(0, -1)},}]}`],
    ['no comma between two entries', `{"a":${long.replace('},{"id":6000', '}{"id":6000')}}`],
    ['a name twice, the later one without a list', `{"a":${long},"a":1}`],
    ['no JSON', '<'.repeat(2 * MB)],
  ])('%s', async (_, text) => {
    expect(await parsedLarge(cut(Buffer.from(text), MB))).toBeUndefined();
  });
});

test('integers beyond 2^53 become text, all others stay numbers', async () => {
  expect(await parseJson('{"a":9007199254740991,"b":9007199254740993,"c":[-18446744073709551615, 1.2345678901234567, 1e30, -0]}')).toEqual({
    a: 9007199254740991,
    b: '9007199254740993',
    c: ['-18446744073709551615', 1.2345678901234567, 1e30, -0],
  });
  expect(await parseJson('12345678901234567890')).toBe('12345678901234567890');
  expect(await parseJson('[\n  12345678901234567890\n]')).toEqual(['12345678901234567890']);
});

test('long runs of digits inside of strings are left alone', async () => {
  const inner = JSON.stringify({ id: 12345678901234567890n.toString(), list: 'a,[12345678901234567890]' });
  const text = JSON.stringify({ payload: { har: `${inner} \\" ,12345678901234567890 \\`, n: 1 } });
  expect(await parseJson(text)).toEqual(JSON.parse(text));
  expect(await parseJson(`{"har":"{\\"id\\":12345678901234567890}","id":12345678901234567890}`)).toEqual({
    har: '{"id":12345678901234567890}',
    id: '12345678901234567890',
  });
});

test('a byte order mark, repeated names and dangerous names do no harm', async () => {
  expect(await parseJson('\uFEFF{"a":1}')).toEqual({ a: 1 });
  expect(await parseJson('{"a":12345678901234567890,"a":2}')).toEqual({ a: 2 });
  const parsed = await parseJson('{"__proto__":{"polluted":12345678901234567890}}');
  expect(Object.getPrototypeOf(parsed)).toBe(Object.prototype);
});

test.each(['{"a":1', '[12345678901234567890', '', '<html>', '{"a":12345678901234567890,}'])('%j is refused', async (text) => {
  await expect(parseJson(text)).rejects.toThrow(SyntaxError);
});
