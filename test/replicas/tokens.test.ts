import { describe, expect, it } from 'vitest';
import { createTokenCache } from '../../src/api/tokens.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { manualClock } from '../support/clock.ts';
import { START } from '../support/emulator.ts';
import { hasRedis, sharedRedis } from '../support/redis.ts';
import { times } from '../support/times.ts';
import { never, openReplica, ownerOf, REQUEST, tokenService, tokensOn, until } from './replica.ts';

const redis = sharedRedis();

/** Three replicas with one token service and one principal each time, whose name is the test's own. */
async function replicas(principalId: string, count = 3) {
  const clock = manualClock(START);
  const service = tokenService(clock);
  const caches = await Promise.all(times(count, () => openReplica(redis().url)));
  return { clock, service, caches, people: caches.map((cache) => tokensOn(cache, clock, service, principalId)) };
}

/** All that Redis may hold: keys, encrypted values, digests with the id of a replica, ids, numbers, and names of the fields of a hash. */
const UNREADABLE = [
  /^web-analytics:\{[\w-]{43}\}[\w-]*(:lock)?$/,
  /^v1\.[\w-]{8}\.[\w-]+$/,
  /^[\w-]{43}( [\da-f-]{36})?$/,
  /^[\da-f-]{36}$/,
  /^[\d.]+( [\d.]+)?$/,
  /^(token|mark|dropped|forgotten)$/,
];

/** All texts in a value, however deep. */
function textsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [String(value)];
  return Array.isArray(value) ? value.flatMap(textsIn) : Object.entries(value).flatMap(textsIn);
}

/** The key in Redis that is none of these. */
async function newKey(known: readonly string[]): Promise<string> {
  return ((await redis().command('KEYS', '*')) as string[]).find((key) => !known.includes(key)) ?? '';
}

describe.skipIf(!hasRedis)('tokens of one principal on several replicas', () => {
  it('are fetched by one request, however many ask at once', async () => {
    const { service, people } = await replicas('at once');
    const [first] = people as [(typeof people)[number]];
    service.before = () => new Promise((resolve) => setTimeout(resolve, 100));
    const found = await Promise.all(times(30, (index) => (people[index % 3] ?? first).get()));
    expect(new Set(found)).toEqual(new Set(['canary-token-1']));
    expect(service.asked).toBe(1);
  });

  it('are known to the replicas that adopt them, so that they are kept out of texts', async () => {
    const { people } = await replicas('adopted');
    const [one, two] = people;
    await one?.get();
    await two?.get();
    expect([one?.adopted, two?.adopted]).toEqual([[], ['canary-token-1']]);
  });

  it('are not used again by any once one has dropped them', async () => {
    const { service, people } = await replicas('dropped');
    const [one, two, three] = people;
    for (const person of people) expect(await person.get()).toBe('canary-token-1');
    const { token } = (await one?.tokens.get(REQUEST, never)) ?? {};
    if (token) one?.tokens.drop(REQUEST, token);
    expect(await two?.get()).toBe('canary-token-2');
    expect(await three?.get()).toBe('canary-token-2');
    expect(await one?.get()).toBe('canary-token-2');
    expect(service.asked).toBe(2);
  });

  it('do not come back when a replica that was slow keeps what another has dropped', async () => {
    const { clock, caches, people } = await replicas('slow');
    const [slow, quick] = caches.map((cache) => cache.tokensOf(ownerOf('slow')));
    const { token } = (await people[0]?.tokens.get(REQUEST, never)) ?? {};
    if (!token) throw new Error('no token');
    quick?.drop('place', token, HOUR_MS);
    await slow?.write('place', token, HOUR_MS);
    expect(await quick?.read('place')).toMatchObject({ token: undefined });
    const newer = { ...token, accessToken: 'newer', expiresAtMs: clock.now() + HOUR_MS };
    await slow?.write('place', newer, HOUR_MS);
    quick?.drop('place', token, HOUR_MS);
    expect(await quick?.read('place')).toMatchObject({ token: newer });
  });

  it('are refreshed ahead once for all', async () => {
    const { clock, service, people } = await replicas('ahead');
    for (const person of people) await person.get();
    await clock.advance(HOUR_MS * 0.81);
    let answer: () => void = () => undefined;
    service.before = () => new Promise((resolve) => (answer = resolve));
    for (const person of people) expect(await person.get()).toBe('canary-token-1');
    await until(() => service.asked === 2);
    answer();
    await until(async () => (await people[2]?.get()) === 'canary-token-2');
    for (const person of people) expect(await person.get()).toBe('canary-token-2');
    expect(service.asked).toBe(2);
  });

  it('are replaced for all when one renews', async () => {
    const { people } = await replicas('renewed');
    for (const person of people) await person.get();
    await people[1]?.tokens.renew(REQUEST, never);
    for (const person of people) expect(await person.get()).toBe('canary-token-2');
  });

  it('outlive the session that fetched them, and the failure of one reaches only those who asked it', async () => {
    const { service, people } = await replicas('outlive');
    await people[0]?.get();
    people[0]?.tokens.close();
    expect(await people[1]?.get()).toBe('canary-token-1');
    service.before = () => Promise.reject(new Error('refused'));
    await expect(people[1]?.tokens.renew(REQUEST, never)).rejects.toThrow('refused');
    expect(await people[2]?.get()).toBe('canary-token-1');
  });
});

describe.skipIf(!hasRedis)('what is shared', () => {
  it('is another for each principal, with the same credential too, and for each credential', async () => {
    const { service, clock, caches } = await replicas('principals', 2);
    const [first, second] = caches;
    if (!first || !second) throw new Error('no replicas');
    const [anna, ben] = [tokensOn(first, clock, service, 'p-anna'), tokensOn(second, clock, service, 'p-ben')];
    expect([await anna.get(), await ben.get()]).toEqual(['canary-token-1', 'canary-token-2']);
    const own = { ...ownerOf('p-anna'), credential: { clientId: 'canary-id', clientSecret: 'another' } };
    const other = createTokenCache({ clock, fetchToken: (request) => service.fetchToken(request), replicas: second.tokensOf(own) });
    expect((await other.get(REQUEST, never)).token.accessToken).toBe('canary-token-3');
    const elsewhere = second.tokensOf({ ...ownerOf('p-anna'), authUrl: 'https://auth.example.org' });
    const lists = [ownerOf('p-anna'), ownerOf('p-ben')].map((owner) => first.listsOf(owner));
    (await lists[0]?.look('question'))?.write({ atMs: 1, answer: 'of anna' });
    expect(await lists[0]?.look('question')).toMatchObject({ list: { answer: 'of anna' } });
    expect(await lists[1]?.look('question')).toMatchObject({ list: undefined });
    expect(await elsewhere.read('place')).toMatchObject({ token: undefined });
  });

  it('cannot be read in Redis, neither keys nor values, nor by who has another key', async () => {
    const { service, clock, caches, people } = await replicas('canary-principal', 1);
    await people[0]?.get();
    const lists = caches[0]?.listsOf(ownerOf('canary-principal'));
    (await lists?.look('canary question'))?.write({ atMs: 1, answer: ['canary segment'] });
    const watches = caches[0]?.watchesOf(ownerOf('canary-principal'));
    expect(await watches?.mayPoll('analytics://1201/canary', 60_000)).toBe(true);
    await caches[0]
      ?.limiter({ clock, concurrency: 2, speedConcurrency: 1 })
      .acquire({ project: 'canary project', sessionId: 'canary', speed: true, signal: never });
    const kept = await redis().everything();
    expect(kept.length).toBeGreaterThan(500);
    for (const word of ['canary', '1201', 'example', 'metrics', 'segment', 'anna']) expect(kept).not.toContain(word);
    const texts = (JSON.parse(kept) as unknown[]).flatMap(textsIn);
    expect(texts.filter((text) => !UNREADABLE.some((form) => form.test(text)))).toEqual([]);
    const stranger = await openReplica(redis().url, { key: 'd'.repeat(64) });
    expect(await tokensOn(stranger, clock, service, 'canary-principal').get()).toBe('canary-token-2');
  });

  it('counts as absent where somebody has changed it or moved it', async () => {
    const { people, caches, service } = await replicas('changed', 2);
    await people[0]?.get();
    const before = (await redis().command('KEYS', '*')) as string[];
    for (const key of before) {
      if ((await redis().command('TYPE', key)) !== 'hash') continue;
      const sealed = await redis().command('HGET', key, 'token');
      if (typeof sealed === 'string') await redis().command('HSET', key, 'token', `${sealed.slice(0, -6)}AAAAAA`);
    }
    expect(await people[1]?.get()).toBe('canary-token-2');
    expect(service.asked).toBe(2);
    const tokens = caches[0]?.tokensOf(ownerOf('changed'));
    const { token } = (await people[1]?.tokens.get(REQUEST, never)) ?? {};
    if (!token) throw new Error('no token');
    await tokens?.write('here', token, HOUR_MS);
    const here = await newKey(before);
    await tokens?.write('there', { ...token, accessToken: 'other' }, HOUR_MS);
    const there = await newKey([here, ...before]);
    await redis().command('HSET', there, 'token', String(await redis().command('HGET', here, 'token')));
    expect(await tokens?.read('here')).toMatchObject({ token });
    expect(await tokens?.read('there')).toMatchObject({ token: undefined });
  });

  it('ends by itself', async () => {
    const { people } = await replicas('ends', 1);
    await people[0]?.get();
    const keys = (await redis().command('KEYS', '*')) as string[];
    const lives = await Promise.all(keys.map((key) => redis().command('PTTL', key)));
    expect(keys.length).toBeGreaterThan(0);
    for (const life of lives) expect(Number(life)).toBeGreaterThan(0);
  });
});
