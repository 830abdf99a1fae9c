import { describe, expect, it } from 'vitest';
import type { Ask } from '../../src/api/client.ts';
import { createNames, type SharedLists } from '../../src/tooling/names.ts';
import { manualClock } from '../support/clock.ts';
import { START } from '../support/emulator.ts';
import { hasRedis, sharedRedis } from '../support/redis.ts';
import { openReplica, ownerOf, until } from './replica.ts';

const redis = sharedRedis();

/** Names on several replicas, and the service that all of them ask: it answers with the segments of `service.names`. */
async function replicas(principalId: string, count = 2) {
  const clock = manualClock(START);
  const service = { asked: 0, names: ['Germany'], before: async (): Promise<void> => undefined };
  const answer = async () => {
    service.asked += 1;
    const segments = service.names.map((name, index) => ({ id: index + 1, name }));
    await service.before();
    return segments;
  };
  const ask: Ask = answer as Ask;
  const caches = await Promise.all(Array.from({ length: count }, () => openReplica(redis().url)));
  const shared: SharedLists[] = caches.map((cache) => cache.listsOf(ownerOf(principalId)));
  const people = shared.map((lists) => {
    const names = createNames(clock, () => lists);
    return { names, find: async (text: string) => (await names.find('segment', text, 1201, ask)).id };
  });
  const [one, two] = people as [(typeof people)[number], (typeof people)[number]];
  /** What the first replica has sent has reached Redis, which answers in turn. */
  const settled = () => shared[0]?.look('');
  return { clock, service, one, two, settled };
}

describe.skipIf(!hasRedis)('names of one principal on several replicas', () => {
  it('are asked for once', async () => {
    const { service, one, two, settled } = await replicas('once');
    expect(await one.find('germany')).toBe(1);
    await settled();
    expect(await two.find('germany')).toBe(1);
    expect(service.asked).toBe(1);
  });

  it('grow old by when they were asked for, not by when they were shared', async () => {
    const { clock, service, one, two, settled } = await replicas('age');
    await one.find('germany');
    await settled();
    await clock.advance(6_000);
    await two.find('germany');
    expect(service.asked).toBe(1);
    await clock.advance(5_000);
    await two.find('germany');
    expect(service.asked).toBe(2);
  });

  it('that are new are found though another replica has an old list', async () => {
    const { clock, service, one, two, settled } = await replicas('new');
    await one.find('germany');
    await settled();
    await clock.advance(6_000);
    service.names = ['Germany', 'France'];
    expect(await two.find('france')).toBe(2);
    expect(await one.find('germany')).toBe(1);
    expect(service.asked).toBe(2);
  });

  it('are forgotten by all after a write on one', async () => {
    const { service, one, two, settled } = await replicas('write');
    await one.find('germany');
    await settled();
    await two.find('germany');
    service.names = ['France', 'Germany'];
    one.names.forget();
    await until(async () => (await two.find('germany')) === 2);
    expect(await one.find('germany')).toBe(2);
    expect(service.asked).toBe(2);
  });

  it('that were asked for before a write are not shared after it', async () => {
    const { service, one, two } = await replicas('late');
    let answered = () => undefined as void;
    service.before = () => new Promise((resolve) => (answered = resolve));
    const old = one.find('germany');
    await until(() => service.asked === 1);
    service.before = async () => undefined;
    service.names = ['France', 'Germany'];
    two.names.forget();
    expect(await two.find('germany')).toBe(2);
    answered();
    expect(await old).toBe(1);
    expect(await two.find('germany')).toBe(2);
    two.names.close();
    expect(await two.find('germany')).toBe(2);
  });

  it('that could not be asked for are not shared', async () => {
    const { service, one, two } = await replicas('failed');
    service.before = () => Promise.reject(new Error('down'));
    await expect(one.find('germany')).rejects.toThrow('down');
    service.before = async () => undefined;
    expect(await two.find('germany')).toBe(1);
  });

  it('stay with the others when one session ends', async () => {
    const { service, one, two, settled } = await replicas('end');
    await one.find('germany');
    await settled();
    one.names.close();
    expect(await two.find('germany')).toBe(1);
    expect(service.asked).toBe(1);
  });
});
