import { setMaxListeners } from 'node:events';
import { describe, expect, test } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { createTokenCache, type SharedTokens, type Token, type TokenRequest } from '../../src/api/tokens.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/lib/clock.ts';
import { manualClock } from '../support/clock.ts';

const never = new AbortController().signal;
setMaxListeners(0, never);
const request: TokenRequest = { credential: { clientId: 'id', clientSecret: 'secret' }, projectId: undefined, scopes: ['metrics'] };

/** A cache whose token requests the test answers; by default each is answered at once with a token of one hour. */
function watch({ lifeMs = HOUR_MS }: { lifeMs?: number } = {}) {
  const clock = manualClock('2026-11-20T10:00:00.000Z');
  const asked: TokenRequest[] = [];
  const state: { life: number; before: () => Promise<void> } = { life: lifeMs, before: async () => undefined };
  async function fetchToken(wanted: TokenRequest, signal: AbortSignal): Promise<Token> {
    asked.push(wanted);
    const obtainedAtMs = clock.now();
    const accessToken = `token-${asked.length}`;
    await Promise.race([state.before(), new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))]);
    return {
      accessToken,
      endpoint: 'https://api.example.com',
      scopes: wanted.scopes,
      obtainedAtMs,
      expiresAtMs: obtainedAtMs + state.life,
    };
  }
  const cache = createTokenCache({ clock, fetchToken });
  const get = async (wanted = request, signal = never) => (await cache.get(wanted, signal)).token.accessToken;
  return { clock, asked, state, cache, fetchToken, get };
}

/** A promise that the test settles. */
function gate() {
  let open: () => void = () => undefined;
  let fail: (reason: unknown) => void = () => undefined;
  const promise = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { promise, open, fail };
}

const settled = () => new Promise((resolve) => setImmediate(resolve));

test('callers share 50 at once make one request', async () => {
  const { asked, get, cache } = watch();
  const tokens = await Promise.all(Array.from({ length: 50 }, () => get()));
  expect(new Set(tokens)).toEqual(new Set(['token-1']));
  expect(asked).toHaveLength(1);
  expect(await cache.get(request, never)).toMatchObject({ fromCache: true });
});

test('callers share one that gives up leaves the request to the others', async () => {
  const { state, get, asked } = watch();
  const answer = gate();
  state.before = () => answer.promise;
  const controller = new AbortController();
  const impatient = get(request, controller.signal);
  const patient = get();
  controller.abort(new Error('enough'));
  await expect(impatient).rejects.toThrow('enough');
  answer.open();
  expect(await patient).toBe('token-1');
  expect(asked).toHaveLength(1);
});

test('callers share a failure reaches all of them and is not kept', async () => {
  const { state, get, asked } = watch();
  state.before = async () => Promise.reject(new ApiError('down', 'no'));
  const results = await Promise.allSettled([get(), get(), get()]);
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
  state.before = async () => undefined;
  expect(await get()).toBe('token-2');
  expect(asked).toHaveLength(2);
});

test('callers share not across credential, secret, project or scopes; the order of scopes is no difference', async () => {
  const { get } = watch();
  const other = (changes: Partial<TokenRequest>) => get({ ...request, ...changes });
  expect(await get()).toBe('token-1');
  expect(await other({ credential: { clientId: 'id-2', clientSecret: 'secret' } })).toBe('token-2');
  expect(await other({ credential: { clientId: 'id', clientSecret: 'guess' } })).toBe('token-3');
  expect(await other({ projectId: 7 })).toBe('token-4');
  expect(await other({ scopes: ['data-export', 'metrics'] })).toBe('token-5');
  expect(await other({ scopes: ['metrics', 'data-export'] })).toBe('token-5');
});

describe('life', () => {
  test.each([
    [HOUR_MS - MINUTE_MS - 1, 'token-1'],
    [HOUR_MS - MINUTE_MS, 'token-2'],
  ])('a token of one hour is not used in its last minute: after %i ms it is %s', async (elapsedMs, expected) => {
    const { clock, get } = watch();
    await get();
    await clock.advance(elapsedMs);
    expect(await get()).toBe(expected);
  });

  test('the margin of a short life is a tenth of it', async () => {
    const { clock, get } = watch({ lifeMs: 10_000 });
    await get();
    await clock.advance(7_999);
    expect(await get()).toBe('token-1');
    await clock.advance(1_001);
    expect(await get()).toBe('token-2');
  });

  test.each([0, -5])('a token that lives %i ms serves those who wait and is not kept', async (lifeMs) => {
    const { get, asked } = watch({ lifeMs });
    expect(await Promise.all([get(), get()])).toEqual(['token-1', 'token-1']);
    expect(await get()).toBe('token-2');
    expect(asked).toHaveLength(2);
  });

  test('in its last fifth a token is refreshed behind the back of the callers, once', async () => {
    const { clock, get, state, asked } = watch();
    await get();
    await clock.advance(HOUR_MS * 0.8 + 1);
    const answer = gate();
    state.before = () => answer.promise;
    expect(await Promise.all([get(), get(), get()])).toEqual(['token-1', 'token-1', 'token-1']);
    expect(asked).toHaveLength(2);
    answer.open();
    await settled();
    expect(await get()).toBe('token-2');
    expect(asked).toHaveLength(2);
  });

  test('a refresh that fails is silent and is tried again after a pause', async () => {
    const { clock, get, state, asked } = watch();
    await get();
    await clock.advance(HOUR_MS * 0.85);
    state.before = async () => Promise.reject(new ApiError('down', 'no'));
    for (let call = 0; call < 5; call += 1) {
      expect(await get()).toBe('token-1');
      await settled();
    }
    expect(asked).toHaveLength(2);
    state.before = async () => undefined;
    await clock.advance(30_000);
    expect(await get()).toBe('token-1');
    await settled();
    expect(await get()).toBe('token-3');
  });

  test('who needs a token during a refresh waits for that one', async () => {
    const { clock, get, state, asked } = watch();
    await get();
    await clock.advance(HOUR_MS * 0.9);
    const answer = gate();
    state.before = () => answer.promise;
    await get();
    await clock.advance(HOUR_MS * 0.2);
    const waiting = get();
    answer.open();
    expect(await waiting).toBe('token-2');
    expect(asked).toHaveLength(2);
  });
});

test.each([
  ['forward past the end', 30 * 24 * HOUR_MS],
  ['back by hours, so that the age is unknown', -5 * HOUR_MS],
])('a clock that jumps %s: one new token, not one for each call', async (_, jumpMs) => {
  const { clock, get, asked } = watch();
  await get();
  clock.jump(jumpMs);
  expect(await get()).toBe('token-2');
  expect(await get()).toBe('token-2');
  expect(asked).toHaveLength(2);
});

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'a clock that jumps by %i ms during the request: the token is used, and the next call asks again',
  async (jumpMs) => {
    const { clock, get, state, asked } = watch();
    state.before = async () => clock.jump(jumpMs);
    expect(await get()).toBe('token-1');
    state.before = async () => undefined;
    expect(await get()).toBe('token-2');
    expect(await get()).toBe('token-2');
    expect(asked).toHaveLength(2);
  },
);

test('dropping removes that very token', async () => {
  const { cache, get, asked } = watch();
  const { token } = await cache.get(request, never);
  cache.drop(request, token);
  expect(await get()).toBe('token-2');
  cache.drop(request, token);
  expect(await get()).toBe('token-2');
  expect(asked).toHaveLength(2);
});

test('dropping holds for callers who were looking it up', async () => {
  const { cache, get } = watch();
  const { token } = await cache.get(request, never);
  const looking = get();
  cache.drop(request, token);
  expect(await looking).toBe('token-2');
});

test('dropping a service that answers the same dead token again causes no loop', async () => {
  const { clock, fetchToken } = watch();
  const same = await fetchToken(request, never);
  let asked = 0;
  const cache = createTokenCache({
    clock,
    async fetchToken() {
      asked += 1;
      return same;
    },
  });
  await cache.get(request, never);
  cache.drop(request, same);
  expect(await cache.get(request, never)).toEqual({ token: same, fromCache: false });
  expect(asked).toBe(2);
});

test('what was dropped while the store of replicas was out of reach is dropped there when it is back', async () => {
  const clock = manualClock('2026-11-20T10:00:00.000Z');
  /** The store, which can be out of reach. */
  const store = { token: undefined as Token | undefined, dropped: new Map<string, number>(), writes: [] as unknown[], isDown: false };
  const replicas: SharedTokens = {
    read: async () => (store.isDown ? undefined : { token: store.token, isDropped: ({ accessToken }) => store.dropped.has(accessToken) }),
    async write(_place, token, lifeMs) {
      if (store.isDown) return;
      store.token = token;
      store.writes.push([token.accessToken, lifeMs]);
    },
    drop(_place, { accessToken }, lifeMs) {
      if (store.isDown) return;
      store.dropped.set(accessToken, lifeMs);
      if (store.token?.accessToken === accessToken) store.token = undefined;
    },
    singleFlight: async (_place, { find, run }) => (await find()) ?? run(),
  };
  const service = watch();
  const [one, two] = [1, 2].map(() => createTokenCache({ clock, fetchToken: service.fetchToken, replicas }));
  const get = async (replica = one) => (await replica?.get(request, never))?.token;
  const first = await get();
  store.isDown = true;
  if (first) one?.drop(request, first);
  expect((await get())?.accessToken).toBe('token-2');
  store.isDown = false;
  expect((await get())?.accessToken).toBe('token-2');
  expect([...store.dropped]).toEqual([['token-1', HOUR_MS]]);
  // And what was fetched meanwhile is shared.
  expect((await get(two))?.accessToken).toBe('token-2');
  expect(store.writes.at(-1)).toEqual(['token-2', HOUR_MS - MINUTE_MS]);
});
