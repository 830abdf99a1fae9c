import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createStaticSignIn, makeToken, openTokensFile, type StoredToken } from '../../src/sign-in/static-tokens.ts';
import { manualClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';

/** A file with a token each for alice, who may write, and bob, who may read until noon. */
async function place() {
  const clock = manualClock('2026-11-20T10:00:00Z');
  const path = join(temporaryFolder(), 'tokens.json');
  const logged: string[] = [];
  const log = (level: string, message: string) => void logged.push(`${level}: ${message}`);
  const file = openTokensFile(path, log);
  await expect(file.read()).rejects.toThrow(`There is no file ${path} yet. Add the first of its tokens.`);
  const nowMs = clock.now();
  const alice = makeToken({ name: 'alice', scopes: ['read', 'write'], nowMs });
  const bob = makeToken({ name: 'bob', scopes: ['read'], nowMs, expiresAtMs: nowMs + 7_200_000 });
  const keep = (tokens: StoredToken[]) => file.change(({ version }) => ({ version, tokens }));
  await file.change(({ version, tokens }) => ({ version, tokens: [...tokens, alice.stored, bob.stored] }));
  const signIn = createStaticSignIn({ file, clock, log });
  const enter = (token: string) => signIn.authenticate({ authorization: `Bearer ${token}` });
  return { clock, path, logged, alice, bob, keep, signIn, enter };
}

const refused = (words: string) => ({
  challenge: { status: 401, body: { error: 'invalid_token', error_description: expect.stringContaining(words) } },
});

describe('a static token', () => {
  it('lets in whom it was made for, with its scopes', async () => {
    const { enter, alice, bob, clock } = await place();
    expect(await enter(alice.token)).toStrictEqual({ principal: { id: 'token:alice', scopes: new Set(['read', 'write']) } });
    expect(await enter(bob.token)).toEqual({
      principal: { id: 'token:bob', scopes: new Set(['read']), expiresAtMs: clock.now() + 7_200_000 },
    });
  });

  it('is random, and kept as its digest alone', async () => {
    const { alice, bob, path } = await place();
    expect(alice.token).toMatch(/^wam_[\w-]{43}$/);
    expect(bob.token).not.toBe(alice.token);
    const kept = readFileSync(path, 'utf8');
    expect(kept).not.toContain(alice.token.slice(4));
    expect(kept).toContain(alice.stored.sha256);
  });

  it('ends at its expiry', async () => {
    const { enter, bob, clock } = await place();
    await clock.advance(7_200_000 - 1);
    expect(await enter(bob.token)).toHaveProperty('principal');
    await clock.advance(1);
    expect(await enter(bob.token)).toMatchObject(refused('has expired'));
  });

  it('stops working with the next request after it was removed', async () => {
    const { enter, alice, bob, keep } = await place();
    expect(await enter(alice.token)).toHaveProperty('principal');
    await keep([bob.stored]);
    expect(await enter(alice.token)).toMatchObject(refused('not known here'));
    expect(await enter(bob.token)).toHaveProperty('principal');
  });

  it('is refused when it is any other, the digest included', async () => {
    const { enter, alice, signIn } = await place();
    const others = [
      alice.stored.sha256,
      alice.token.slice(0, -1),
      `${alice.token}A`,
      alice.token.toUpperCase(),
      alice.token.slice(4),
      'alice',
    ];
    for (const token of others) {
      const answer = await enter(token);
      expect(answer).toMatchObject(refused('not known here'));
      expect(JSON.stringify(answer)).not.toContain(token === 'alice' ? 'bearer alice' : token);
    }
    for (const authorization of [`Basic ${alice.token}`, alice.token, `Bearer ${alice.token} x`, `Bearer ${'a'.repeat(10_000)}`]) {
      expect(await signIn.authenticate({ authorization })).toMatchObject(refused('no bearer token'));
    }
  });

  it('without the scope read is asked to step up', async () => {
    const { enter, keep, alice } = await place();
    await keep([{ ...alice.stored, scopes: ['write'] }]);
    expect(await enter(alice.token)).toMatchObject({
      challenge: {
        status: 403,
        headers: { 'www-authenticate': expect.stringContaining('scope="read"') },
        body: { error: 'insufficient_scope' },
      },
    });
  });
});

it('sign-in with static tokens names no authorization server: there is none', async () => {
  const { signIn } = await place();
  expect(signIn.metadata).toBeUndefined();
  expect(await signIn.authenticate({})).toMatchObject({
    challenge: { status: 401, headers: { 'www-authenticate': 'Bearer scope="read write", realm="web-analytics-mcp"' } },
  });
  const { headers, body } = signIn.stepUp('write');
  expect(headers['www-authenticate']).toContain('scope="read write", realm="web-analytics-mcp"');
  expect(body.error_description).toBe('The token lacks the scope write. Ask the operator for a token with: read write.');
});

it('sign-in with static tokens lets nobody in while the file cannot be used, says so once in the log, and recovers', async () => {
  const { enter, alice, path, logged, signIn } = await place();
  const good = readFileSync(path);
  for (const spoil of [() => rmSync(path), () => writeFileSync(path, '{'), () => writeFileSync(path, '{"version":2}')]) {
    spoil();
    const words = 'Tokens cannot be checked at present. Report it to the operator.';
    const unavailable = { challenge: { status: 503, headers: { 'retry-after': '30' }, body: { error_description: words } } };
    for (let time = 0; time < 3; time += 1) expect(await enter(alice.token)).toMatchObject(unavailable);
  }
  expect(logged.filter((line) => line.startsWith('error: Sign-in is not possible.'))).toHaveLength(3);
  expect(await signIn.fault()).toBe('The file of tokens cannot be used.');
  writeFileSync(path, good);
  expect(await signIn.fault()).toBeUndefined();
  expect(await enter(alice.token)).toHaveProperty('principal');
  expect(logged.join('\n')).not.toContain(alice.token);
});
