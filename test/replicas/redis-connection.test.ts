import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { loadRedis } from '../../src/replicas/redis.ts';
import { hasRedis, type TestRedis } from '../support/redis.ts';
import { openReplica, ownerOf, ownRedis, until } from './replica.ts';

/** A network to Redis whose answers take `lateMs`, with its connections to Redis in the order in which they were made. */
async function wayTo(redis: TestRedis, lateMs = 0): Promise<{ url: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const way = createServer((near) => {
    const far = connect(redis.port, '127.0.0.1');
    for (const socket of [near, far]) socket.on('error', () => socket.destroy());
    near.pipe(far);
    if (lateMs === 0) far.pipe(near);
    else far.on('data', (answer) => void delay(lateMs).then(() => near.write(answer)));
    sockets.push(far);
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    way.close();
  });
  return { url: `redis://127.0.0.1:${(way.address() as AddressInfo).port}`, sockets };
}

describe.skipIf(!hasRedis)('a connection to Redis', () => {
  it('is not given up when this process stood still', { tags: 'nightly' }, async () => {
    const redis = await ownRedis();
    await redis.start();
    const cache = await openReplica(redis.url);
    const looking = cache.listsOf(ownerOf('busy')).look('question');
    for (const endMs = performance.now() + 800; performance.now() < endMs; );
    expect(await looking).toMatchObject({ list: undefined });
    expect([cache.isUp, cache.lines]).toEqual([true, []]);
  });

  it('that is slow for some time is named once in the log', { tags: 'nightly' }, async () => {
    const redis = await ownRedis();
    await redis.start();
    const way = await wayTo(redis, 200);
    const cache = await openReplica(way.url);
    const lists = cache.listsOf(ownerOf('slow'));
    await until(async () => (await lists.look('question')) !== undefined && cache.lines.length > 0);
    for (let turn = 0; turn < 3; turn += 1) await lists.look('question');
    expect([cache.isUp, cache.lines]).toEqual([
      true,
      [expect.stringMatching(/^The shared cache often takes longer than 150 ms to answer/)],
    ]);
  });

  it('whose messages do not arrive any more is made again', { tags: 'nightly' }, async () => {
    const redis = await ownRedis();
    await redis.start();
    const { url, sockets } = await wayTo(redis);
    const cache = await openReplica(url, { heartbeatMs: 300 });
    await delay(700);
    expect([cache.isUp, cache.lines]).toEqual([true, []]);
    // The second connection is the one that listens.
    sockets[1]?.unpipe();
    await until(() => cache.lines.length === 2);
    expect(cache.lines).toEqual([
      expect.stringContaining('Messages that were published did not arrive'),
      expect.stringContaining('answers again'),
    ]);
  });

  it('whose password is wrong says so in the log, which does not repeat it', async () => {
    const redis = await ownRedis(['--requirepass', 'right/word']);
    await redis.start();
    const wrong = await openReplica(redis.url.replace('//', '//:canary%2Fword@'));
    expect(wrong.isUp).toBe(false);
    expect(wrong.lines.join()).toMatch(/out of reach.*WRONGPASS/);
    expect(wrong.lines.join()).not.toContain('canary');
    const right = await openReplica(redis.url.replace('//', '//:right%2Fword@'));
    expect([right.isUp, right.lines]).toEqual([true, []]);
  });
});

it('says how to install the package that it needs', async () => {
  const missing = () => Promise.reject(new Error('Cannot find package'));
  await expect(loadRedis(missing)).rejects.toMatchObject({ kind: 'settings', message: expect.stringContaining('npm install @keyv/redis') });
});
