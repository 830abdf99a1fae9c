import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/lib/clock.ts';
import { createSubscriptions } from '../../../src/protocol/subscriptions.ts';
import { resources } from '../../../src/resources/index.ts';
import { createSession } from '../../../src/tooling/session.ts';
import { type Host, openHttpHost } from '../../support/hosts.ts';
import { openService, type Service, spokenSignIn } from '../../support/http.ts';
import { NO_WORKSPACE } from '../../support/no-workspace.ts';
import { until } from '../../support/until.ts';

const CHECKOUT = 'analytics://1201/scenarios/4101';
const HOME = 'analytics://1201/scenarios/4104';
const listeners = ['SDK 1.x', 'SDK 2.x in the 2025 era', 'SDK 2.x in the 2026-07-28 era'] as const;

let service: Service;
const hosts: Host[] = [];
beforeEach(async () => {
  service = await openService({ signIn: spokenSignIn });
});
afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()));
  await service.close();
});

async function open(name: (typeof listeners)[number], who: string): Promise<Host> {
  const host = await openHttpHost(name, service.url, { token: `${who}:read` });
  hosts.push(host);
  return host;
}

/** Everything waits for the clock: the sweep of idle sessions, and so many streams and watches. */
const asleep = (count: number) => until(() => service.platform.clock.sleeping === 1 + count);

describe.each(listeners)('%s, over HTTP', (name) => {
  const isOld = !name.includes('2026');
  /** Streams of three hosts: in the 2025 era each has one, later those that listen. */
  const streams = isOld ? 3 : 2;

  it('is told of newer reports, while others are told of what they listen to', { tags: 'nightly' }, async () => {
    const [anna, ben, idle] = [await open(name, 'anna'), await open(name, 'ben'), await open(name, 'anna')];
    await anna.listen(CHECKOUT);
    await ben.listen(HOME);
    const told = () => anna.updates.length > 0 && ben.updates.length > 0;
    for (let minutes = 0; minutes < 70 && !told(); minutes += 1) {
      await asleep(streams + 2);
      await service.platform.clock.advance(MINUTE_MS);
    }
    await until(told);
    expect([new Set(anna.updates), new Set(ben.updates), idle.updates]).toEqual([new Set([CHECKOUT]), new Set([HOME]), []]);
  });
});

it('a session watches a hundred resources, not more', () => {
  const never = new Promise<never>(() => undefined);
  const session = createSession({
    connect: () => never,
    clock: service.platform.clock,
    timeZone: 'UTC',
    maxResultTokens: 1_000,
    rawHar: false,
    workspace: NO_WORKSPACE,
  });
  const subscriptions = createSubscriptions(session, resources);
  const watch = (id: number) => subscriptions.watch(`analytics://1201/scenarios/${id}`, () => undefined);
  const watches = Array.from({ length: 100 }, (_, index) => watch(5000 + index));
  expect(() => watch(6000)).toThrow('100 resources are watched already: unsubscribe from some.');
  expect(watch(5000)).toHaveProperty('ready');
  for (const each of watches) each.stop();
  subscriptions.close();
});
