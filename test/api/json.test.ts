import { expect, test } from 'vitest';
import { parseJson } from '../../src/api/json.ts';

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

test('a large document without long numbers is read in the time of JSON.parse', async () => {
  const text = JSON.stringify({
    har: JSON.stringify({
      entries: Array.from({ length: 20_000 }, (_, id) => ({ id, url: `https://x.example/${id}?t=1700000000000000` })),
    }),
  });
  expect(await parseJson(text)).toEqual(JSON.parse(text));
});
