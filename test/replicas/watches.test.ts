import { describe, expect, it, onTestFinished } from 'vitest';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { createSubscriptions } from '../../src/protocol/subscriptions.ts';
import type { SharedCache } from '../../src/replicas/index.ts';
import { defineResource } from '../../src/tooling/resource.ts';
import { createSession } from '../../src/tooling/session.ts';
import { manualClock } from '../support/clock.ts';
import { START } from '../support/emulator.ts';
import { NO_WORKSPACE } from '../support/no-workspace.ts';
import { hasRedis, makeRedis, sharedRedis } from '../support/redis.ts';
import { openReplica, ownerOf, until } from './replica.ts';

const redis = sharedRedis();
const URI = 'analytics://1201/reports';

/** A resource whose newest part the test decides, and sessions of a principal that listen to it on several replicas. */
async function listeners(principals: readonly string[], url = redis().url) {
  const clock = manualClock(START);
  const platform = { newest: 1, looks: 0, isDown: false };
  const reports = defineResource({
    name: 'reports',
    title: 'Reports',
    description: 'Reports',
    mimeType: 'application/json',
    template: 'analytics://{projectId}/reports',
    complete: { projectId: () => Promise.resolve([]) },
    async newest() {
      platform.looks += 1;
      if (platform.isDown) throw new Error('down');
      return platform.newest;
    },
    read: async () => '',
  });

  function listenerOn(cache: SharedCache, principalId: string) {
    const watches = cache.watchesOf(ownerOf(principalId));
    const connect = () => Promise.reject(new Error('nothing is called'));
    const options = { connect, clock, timeZone: 'UTC', maxResultTokens: 1, rawHar: false, workspace: NO_WORKSPACE };
    const session = createSession({ ...options, shared: () => ({ watches }) });
    const subscriptions = createSubscriptions(session, [reports]);
    onTestFinished(() => subscriptions.close());
    const heard = { count: 0 };
    const watch = subscriptions.watch(URI, () => void (heard.count += 1));
    return { cache, heard, watch, subscriptions };
  }

  const caches = await Promise.all(principals.map(() => openReplica(url)));
  const people = caches.map((cache, index) => listenerOn(cache, principals[index] ?? ''));
  await Promise.all(people.map(({ watch }) => watch.ready));
  await until(() => clock.sleeping === people.length);
  /** Lets a minute pass, in which everybody whose time has come looks or leaves it. */
  async function oneMinute(): Promise<void> {
    await clock.advance(MINUTE_MS);
    await until(() => clock.sleeping === people.filter(({ subscriptions }) => subscriptions.watched().length > 0).length);
  }
  return { platform, people, oneMinute };
}

describe.skipIf(!hasRedis)('listeners of one principal on several replicas', () => {
  it('hear of what one of them has seen, and the platform is asked once a minute', async () => {
    const { platform, people, oneMinute } = await listeners(['a', 'a', 'a']);
    expect(platform.looks).toBe(3);
    for (let minute = 0; minute < 3; minute += 1) await oneMinute();
    expect(platform.looks).toBe(6);
    platform.newest = 2;
    await oneMinute();
    await until(() => people.every(({ heard }) => heard.count === 1));
    await oneMinute();
    expect(platform.looks).toBe(8);
    expect(people.map(({ heard }) => heard.count)).toEqual([1, 1, 1]);
  });

  it('look in the place of one that has left', async () => {
    const { platform, people, oneMinute } = await listeners(['b', 'b']);
    await oneMinute();
    expect(platform.looks).toBe(3);
    people[0]?.watch.stop();
    people[0]?.subscriptions.close();
    await oneMinute();
    await oneMinute();
    expect(platform.looks).toBeGreaterThanOrEqual(4);
    platform.newest = 2;
    await oneMinute();
    await until(() => people[1]?.heard.count === 1);
  });

  it('look in the place of one that fails', async () => {
    const { platform, people, oneMinute } = await listeners(['c', 'c']);
    await oneMinute();
    platform.isDown = true;
    await oneMinute();
    platform.isDown = false;
    platform.newest = 2;
    await oneMinute();
    await until(() => people.every(({ heard }) => heard.count > 0));
    expect(people.map(({ heard }) => heard.count)).toEqual([1, 1]);
  });

  it('of another principal hear nothing of it', async () => {
    const { platform, people, oneMinute } = await listeners(['d', 'e']);
    await oneMinute();
    expect(platform.looks).toBe(4);
    platform.newest = 2;
    await oneMinute();
    expect(platform.looks).toBe(6);
    expect(people.map(({ heard }) => heard.count)).toEqual([1, 1]);
  });

  it('each look for themselves while Redis is gone, and miss nothing when it is back', async () => {
    const own = await makeRedis();
    onTestFinished(() => own.kill());
    await own.start();
    const { platform, people, oneMinute } = await listeners(['f', 'f'], own.url);
    await oneMinute();
    expect(platform.looks).toBe(3);
    await own.kill();
    await until(() => people.every(({ cache }) => !cache.isUp));
    platform.newest = 2;
    await oneMinute();
    expect(platform.looks).toBe(5);
    expect(people.map(({ heard }) => heard.count)).toEqual([1, 1]);
    await own.start();
    await until(() => people.every(({ cache }) => cache.isUp));
    platform.newest = 3;
    await oneMinute();
    await until(() => people.every(({ heard }) => heard.count === 2));
    await oneMinute();
    await oneMinute();
    expect(platform.looks).toBeLessThanOrEqual(10);
  });
});
