import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { isSealSecret, SealError, seal, sealKey, unseal } from '../../src/lib/seal.ts';

const SECRET = randomBytes(32);
const key = sealKey(SECRET.toString('base64'), 'test');
const CONTEXT = ['entry', 'alice'];

/** Why it does not open. */
function reasonOf(open: () => unknown): string {
  try {
    open();
  } catch (error) {
    if (error instanceof SealError) return error.reason;
    throw error;
  }
  return 'opened';
}

it.each(['', 'canary', 'é€😀\u0000', 'x'.repeat(100_000)])('a sealed text opens with its key and context', (text) => {
  const sealed = seal(text, key, CONTEXT);
  expect(unseal(sealed, [sealKey(randomBytes(32).toString('hex'), 'test'), key], CONTEXT)).toBe(text);
  expect(sealed).toMatch(/^v1\.[\w-]{8}\.[\w-]+$/);
});

it('a sealed text is another one each time, and shows nothing of the text', () => {
  const sealed = new Set(Array.from({ length: 50 }, () => seal('canary', key, CONTEXT)));
  expect(sealed.size).toBe(50);
  expect([...sealed].join(' ')).not.toContain(Buffer.from('canary').toString('base64url').slice(0, 6));
});

it('a sealed text does not open elsewhere: the parts of a context do not run together', () => {
  const sealed = seal('x', key, CONTEXT);
  for (const context of [['entry', 'bob'], ['entry'], ['entryalice'], ['entry', 'alice', ''], []]) {
    expect(reasonOf(() => unseal(sealed, [key], context))).toBe('damaged');
  }
});

it('a sealed text does not open when any character was changed, added or lost', () => {
  const sealed = seal('a secret of some length', key, CONTEXT);
  const other = (letter: string) => (letter === 'A' ? 'B' : 'A');
  const changed = Array.from(
    { length: sealed.length },
    (_, at) => `${sealed.slice(0, at)}${other(sealed.charAt(at))}${sealed.slice(at + 1)}`,
  );
  const more = [`${sealed}A`, `${sealed}=`, `${sealed}.`, sealed.slice(0, -1), sealed.replace('v1.', ''), '', '..', `v1.${key.id}.`];
  for (const text of [...changed, ...more]) expect(reasonOf(() => unseal(text, [key], CONTEXT))).toMatch(/damaged|other key/);
});

it('a sealed text tells another key from a damaged text', () => {
  const sealed = seal('x', key, CONTEXT);
  expect(reasonOf(() => unseal(sealed, [sealKey(randomBytes(32).toString('base64'), 'test')], CONTEXT))).toBe('other key');
  expect(reasonOf(() => unseal(sealed, [], CONTEXT))).toBe('other key');
  expect(reasonOf(() => unseal(sealed, [{ ...key, bytes: randomBytes(32) }], CONTEXT))).toBe('damaged');
});

it('a key is the same for each spelling of the secret, and another one for each purpose', () => {
  const spellings = [SECRET.toString('hex'), SECRET.toString('base64url'), ` ${SECRET.toString('base64')}\n`];
  for (const spelling of spellings) expect(sealKey(spelling, 'test')).toEqual(key);
  const elsewhere = sealKey(SECRET.toString('base64'), 'other');
  expect(elsewhere.id).not.toBe(key.id);
  expect(Buffer.from(elsewhere.bytes)).not.toEqual(Buffer.from(key.bytes));
  expect(Buffer.from(key.bytes)).not.toEqual(SECRET);
});

it.each(['', 'a passphrase', randomBytes(31).toString('base64'), randomBytes(33).toString('base64'), 'z'.repeat(64)])(
  'a key is refused unless it has 32 bytes',
  (text) => {
    expect(isSealSecret(text)).toBe(false);
    expect(() => sealKey(text, 'test')).toThrow('openssl rand -base64 32');
  },
);
