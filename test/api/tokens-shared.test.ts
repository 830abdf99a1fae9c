import { expect, test } from 'vitest';
import { createTokenCache, type SharedTokens, type Token, type TokenRequest } from '../../src/api/tokens.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import { manualClock } from '../support/clock.ts';

const never = new AbortController().signal;
const request: TokenRequest = { credential: { clientId: 'id', clientSecret: 'secret' }, projectId: 7, scopes: ['metrics'] };

/** Caches of two replicas over one store, which notes what is asked of it and can be out of reach. */
function twoReplicas() {
  const clock = manualClock('2026-11-20T10:00:00.000Z');
  const store = { tokens: new Map<string, Token>(), dropped: new Map<string, number>(), writes: [] as unknown[], isDown: false };
  const replicas: SharedTokens = {
    async read(place) {
      return store.isDown ? undefined : { token: store.tokens.get(place), isDropped: (token) => store.dropped.has(token.accessToken) };
    },
    async write(place, token, lifeMs) {
      if (store.isDown) return;
      store.tokens.set(place, token);
      store.writes.push([token.accessToken, lifeMs]);
    },
    drop(place, token, lifeMs) {
      if (store.isDown) return;
      store.dropped.set(token.accessToken, lifeMs);
      if (store.tokens.get(place)?.accessToken === token.accessToken) store.tokens.delete(place);
    },
    singleFlight: async (_place, { find, run }) => (await find()) ?? run(),
  };
  const service = { asked: 0, lifeMs: HOUR_MS };
  async function fetchToken({ scopes }: TokenRequest): Promise<Token> {
    service.asked += 1;
    const obtainedAtMs = clock.now();
    const accessToken = `token-${service.asked}`;
    return { accessToken, endpoint: 'https://api.example.com', scopes, obtainedAtMs, expiresAtMs: obtainedAtMs + service.lifeMs };
  }
  function replica() {
    const adopted: string[] = [];
    const cache = createTokenCache({ clock, fetchToken, replicas, onAdopted: (accessToken) => void adopted.push(accessToken) });
    const get = async () => (await cache.get(request, never)).token;
    return { cache, adopted, get, drop: (token: Token) => cache.drop(request, token) };
  }
  return { clock, store, service, one: replica(), two: replica() };
}

const LIFE_MS = HOUR_MS - MINUTE_MS;

test('the token of one replica serves the other, which takes note of it once and does not write it again', async () => {
  const { one, two, service, store } = twoReplicas();
  await one.get();
  expect([(await two.get()).accessToken, (await two.get()).accessToken]).toEqual(['token-1', 'token-1']);
  expect([one.adopted, two.adopted, service.asked]).toEqual([[], ['token-1'], 1]);
  expect(store.writes).toEqual([['token-1', LIFE_MS]]);
});

test('a token without life left is handed out and not shared', async () => {
  const { one, service, store } = twoReplicas();
  service.lifeMs = 0;
  await one.get();
  expect(store.writes).toEqual([]);
});

test('what one has dropped is dropped for both, as long as it would have lived, and a minute at least', async () => {
  const { clock, one, two, store } = twoReplicas();
  const first = await one.get();
  await two.get();
  await clock.advance(10 * MINUTE_MS);
  one.drop(first);
  expect((await two.get()).accessToken).toBe('token-2');
  expect((await one.get()).accessToken).toBe('token-2');
  await clock.advance(50 * MINUTE_MS);
  one.drop(first);
  expect(store.dropped.get('token-1')).toBe(MINUTE_MS);
  two.drop(await two.get());
  expect(store.dropped.get('token-2')).toBe(10 * MINUTE_MS);
});

test('what was dropped while the store was out of reach is dropped there when it is back', async () => {
  const { one, two, store } = twoReplicas();
  const first = await one.get();
  store.isDown = true;
  one.drop(first);
  expect((await one.get()).accessToken).toBe('token-2');
  store.isDown = false;
  expect((await one.get()).accessToken).toBe('token-2');
  expect([...store.dropped]).toEqual([['token-1', HOUR_MS]]);
  // And what was fetched meanwhile is shared.
  expect((await two.get()).accessToken).toBe('token-2');
  expect(store.writes.at(-1)).toEqual(['token-2', LIFE_MS]);
});

test('of two tokens the one that lasts longer is used, and shared', async () => {
  const { clock, one, two, store } = twoReplicas();
  await one.get();
  store.isDown = true;
  await clock.advance(MINUTE_MS);
  expect((await two.get()).accessToken).toBe('token-2');
  store.isDown = false;
  expect((await one.get()).accessToken).toBe('token-1');
  expect((await two.get()).accessToken).toBe('token-2');
  expect((await one.get()).accessToken).toBe('token-2');
});

test('in its last fifth it is refreshed by one of them, for both', async () => {
  const { clock, one, two, service } = twoReplicas();
  await Promise.all([one.get(), two.get()]);
  const asked = service.asked;
  await clock.advance(49 * MINUTE_MS);
  await Promise.all([one.get(), one.get()]);
  await clock.advance(0);
  expect(service.asked).toBe(asked + 1);
  expect((await two.get()).accessToken).toBe(`token-${asked + 1}`);
  expect(service.asked).toBe(asked + 1);
});
