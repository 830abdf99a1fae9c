import { expect, it } from 'vitest';
import { hasRedis, sharedRedis } from '../support/redis.ts';
import { openReplica, ownerOf } from './replica.ts';

const redis = sharedRedis();

it.skipIf(!hasRedis)('an id is used by one of the replicas that try at once, for as long as it lives, and by each principal', async () => {
  const caches = await Promise.all([1, 2, 3].map(() => openReplica(redis().url)));
  const use = (principal: string, id: string) => Promise.all(caches.map((cache) => cache.useOnceOf(ownerOf(principal))(id, 60_000)));
  expect((await use('anna', 'first')).filter(Boolean)).toHaveLength(1);
  expect(await use('anna', 'first')).toEqual([false, false, false]);
  expect((await use('bert', 'first')).filter(Boolean)).toHaveLength(1);
  expect((await use('anna', 'second')).filter(Boolean)).toHaveLength(1);
  const lives = await Promise.all(
    ((await redis().command('KEYS', '*')) as string[]).map(async (key) => Number(await redis().command('PTTL', key))),
  );
  expect(lives.filter((ms) => ms > 0 && ms <= 60_000)).toHaveLength(3);
});

it.skipIf(!hasRedis)('each replica decides for itself while Redis is gone', async () => {
  const cache = await openReplica(redis().url);
  await redis().kill();
  expect(await cache.useOnceOf(ownerOf('carl'))('id', 60_000)).toBe(true);
});
