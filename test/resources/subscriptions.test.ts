import { InMemoryTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createClient } from '../../src/api/client.ts';
import { HOUR_MS, isoTime, MINUTE_MS } from '../../src/lib/clock.ts';
import { createServer } from '../../src/protocol/server.ts';
import { serveConnection } from '../../src/protocol/stdio.ts';
import { createSubscriptions, type Subscriptions } from '../../src/protocol/subscriptions.ts';
import { exportsResource } from '../../src/resources/exports.ts';
import { resources } from '../../src/resources/index.ts';
import { createSession } from '../../src/tooling/session.ts';
import { clientOptions } from '../support/assistant.ts';
import { openPlatform, type Platform } from '../support/emulator.ts';
import { temporaryFolder } from '../support/folder.ts';
import { connectHost, type Host, type HostName } from '../support/hosts.ts';
import { NO_WORKSPACE, PLAIN_SESSION } from '../support/no-workspace.ts';
import { until } from '../support/until.ts';

/** One session with its watches, and the hosts on it. */
interface ListenerPlace {
  readonly subscriptions: Subscriptions;
  readonly open: (name: HostName) => Promise<Host>;
  readonly close: () => Promise<void>;
}

/** A session on the shop of an emulator, to which hosts connect as they do over stdio; `workspaceDir` is where downloads would go. */
function openListenerPlace(platform: Platform, workspaceDir?: string): ListenerPlace {
  const { clock } = platform;
  const session = createSession({
    clock,
    ...PLAIN_SESSION,
    ...(workspaceDir !== undefined && { workspace: { ...NO_WORKSPACE, dir: workspaceDir, authUrl: () => platform.authUrl } }),
    connect: async () => createClient({ ...clientOptions(platform), neededScopes: ['speed-analysis', 'data-export'] }),
  });
  const subscriptions = createSubscriptions(session, resources);
  const load = () => Promise.reject(new Error('no tool is called here'));
  const factory = () => createServer({ name: 'test', version: '0.0.0', tools: [], load, resources, prompts: [], session, subscriptions });
  return {
    subscriptions,
    async open(name) {
      const [near, far] = InMemoryTransport.createLinkedPair();
      serveConnection(far, { factory, subscriptions, log: () => undefined });
      return connectHost(name, near);
    },
    async close() {
      subscriptions.close();
      await session.close();
    },
  };
}

const CHECKOUT = 'analytics://1201/scenarios/4101';
const HOME = 'analytics://1201/scenarios/4104';

let platform: Platform;
let place: ListenerPlace;

beforeEach(async () => {
  platform = await openPlatform();
  place = openListenerPlace(platform);
});
afterEach(async () => {
  await place.close();
  await platform.close();
});

/** Calls that look for reports, by scenario. */
function looks(): number[] {
  const calls = platform.requests.filter(({ operation }) => operation === 'listScenarioReports');
  return calls.map(({ body }) => (body as { scenarioId: number }).scenarioId);
}

/** Lets one minute pass and the look that falls into it end. */
async function oneMinute(): Promise<void> {
  await platform.clock.advance(MINUTE_MS);
  await platform.clock.nextSleep();
}

const unwatched = () => until(() => place.subscriptions.watched().length === 0);
const sleeping = (count: number) => until(() => platform.clock.sleeping === count);

describe.each(['SDK 1.x', 'SDK 2.x in the 2025 era', 'SDK 2.x in the 2026-07-28 era'] as const)('%s', { tags: 'nightly' }, (name) => {
  it('is told once of each newer report, and the platform is asked once a minute', async () => {
    const host = await place.open(name);
    await host.listen(CHECKOUT);
    await platform.clock.nextSleep();
    const before = looks().length;
    let minutes = 0;
    for (; host.updates.length === 0 && minutes < 70; minutes += 1) await oneMinute();
    expect(host.updates).toEqual([CHECKOUT]);
    expect(looks().length - before).toBe(minutes);
    for (let more = 0; more < 20; more += 1) await oneMinute();
    expect(host.updates).toEqual([CHECKOUT]);
    for (let more = 0; more < 60 && host.updates.length < 2; more += 1) await oneMinute();
    expect(host.updates).toEqual([CHECKOUT, CHECKOUT]);
  });

  it('costs nothing before it listens, after it has ceased, and after it has gone', async () => {
    const host = await place.open(name);
    expect(platform.requests).toEqual([]);
    const cease = await host.listen(CHECKOUT, HOME);
    expect(place.subscriptions.watched()).toEqual([CHECKOUT, HOME]);
    await cease();
    await unwatched();
    const again = await place.open(name);
    await again.listen(CHECKOUT);
    await again.close();
    await unwatched();
    await sleeping(0);
    const asked = platform.requests.length;
    await platform.clock.advance(3 * HOUR_MS);
    expect(platform.requests).toHaveLength(asked);
  });

  it('is told of what it listens to, and of nothing else', async () => {
    const [host, other] = [await place.open(name), await place.open(name)];
    await host.listen(HOME);
    await other.listen(CHECKOUT);
    await sleeping(2);
    for (let minutes = 0; minutes < 70 && (host.updates.length === 0 || other.updates.length === 0); minutes += 1) {
      await platform.clock.advance(MINUTE_MS);
      await sleeping(2);
    }
    expect([host.updates, other.updates]).toEqual([[HOME], [CHECKOUT]]);
  });
});

it('looking is shared by all who listen to the same, and goes on until the last one ceases', { tags: 'nightly' }, async () => {
  const [old, modern] = [await place.open('SDK 1.x'), await place.open('SDK 2.x in the 2026-07-28 era')];
  const ceaseOld = await old.listen(CHECKOUT);
  const ceaseModern = await modern.listen(CHECKOUT);
  await platform.clock.nextSleep();
  const before = looks().length;
  await oneMinute();
  expect(looks().length - before).toBe(1);
  await ceaseOld();
  await oneMinute();
  expect(looks().length - before).toBe(2);
  await ceaseModern();
  await unwatched();
  await platform.clock.advance(HOUR_MS);
  expect(looks().length - before).toBe(2);
});

it('looking does not begin anew when somebody comes and goes within a minute', async () => {
  const host = await place.open('SDK 2.x in the 2025 era');
  for (let times = 0; times < 5; times += 1) await (await host.listen(CHECKOUT))();
  expect(looks()).toEqual([4101]);
  await platform.clock.advance(MINUTE_MS);
  await host.listen(CHECKOUT);
  expect(looks()).toEqual([4101, 4101]);
});

it('looking asks for what came later than the latest known report only', async () => {
  const host = await place.open('SDK 2.x in the 2025 era');
  await host.listen(CHECKOUT);
  await platform.clock.nextSleep();
  await oneMinute();
  const bodies = platform.requests.filter(({ operation }) => operation === 'listScenarioReports').map(({ body }) => body);
  const { reports } = (await platform.ask('listScenarioReports', { scenarioId: 4101, limit: 1 }, await platform.token())).scenario;
  expect(bodies.at(-1)).toEqual({ scenarioId: 4101, limit: 0, dateFrom: isoTime(reports[0]?.date ?? 0) });
});

it('looking waits longer after each failure, and recovers', async () => {
  const host = await place.open('SDK 2.x in the 2025 era');
  await host.listen(CHECKOUT);
  await platform.clock.nextSleep();
  const fault = platform.faults.add({ kind: 'refused', operation: 'listScenarioReports' });
  await platform.clock.advance(MINUTE_MS);
  expect(await platform.clock.nextSleep()).toBe(2 * MINUTE_MS);
  await platform.clock.advance(2 * MINUTE_MS);
  expect(await platform.clock.nextSleep()).toBe(4 * MINUTE_MS);
  fault.remove();
  await platform.clock.advance(4 * MINUTE_MS);
  expect(await platform.clock.nextSleep()).toBe(MINUTE_MS);
  expect(host.updates).toEqual([]);
});

it('looking spreads the looks when many are listened to', { tags: 'nightly' }, async () => {
  const host = await place.open('SDK 2.x in the 2026-07-28 era');
  const many = Array.from({ length: 19 }, (_, index) => `analytics://1201/scenarios/${8000 + index}`);
  await host.listen(CHECKOUT, ...many);
  await sleeping(20);
  expect(await platform.clock.nextSleep()).toBeGreaterThanOrEqual(20 * 6_000);
});

describe('exports', () => {
  const EXPORTS = 'analytics://1201/exports';

  it('are news when a run of the platform has completed', { tags: 'nightly' }, async () => {
    const exports = openListenerPlace(platform, temporaryFolder());
    const host = await exports.open('SDK 2.x in the 2025 era');
    await host.listen(EXPORTS);
    await platform.clock.nextSleep();
    for (let minutes = 0; minutes < 70 && host.updates.length === 0; minutes += 1) await oneMinute();
    expect(host.updates).toEqual([EXPORTS]);
    await exports.close();
  });

  it('are news when a download has ended', async () => {
    const newest = (downloadedAt: string) =>
      exportsResource.newest?.(
        { projectId: '1201' },
        { ask: async () => [] as never, session: { workspace: async () => ({ runs: async () => [{ downloadedAt }] }) } as never },
        undefined,
      );
    expect(await newest('2026-11-20T10:00:00Z')).toBe(Date.parse('2026-11-20T10:00:00Z'));
    expect(await newest('2026-11-20T10:01:00Z')).toBe(Date.parse('2026-11-20T10:01:00Z'));
  });
});

it.each([
  ['analytics://1201/scenarios/4711', -32602, '4711'],
  ['analytics://1201/steps/bac6cc80c083e411/har', -32602, 'does not change'],
  [
    'analytics://reference/metrics',
    -32602,
    'analytics://{projectId}/scenarios/{scenarioId}, analytics://{projectId}/exports can be subscribed to',
  ],
  ['analytics://shop/scenarios/4101', -32602, '"shop" is not a project id'],
  ['https://example.com/', -32602, 'no such resource'],
])('what cannot be listened to %s is refused in words', async (uri, code, words) => {
  const host = await place.open('SDK 1.x');
  const refusal = await host.listen(uri).then(
    () => undefined,
    (error: unknown) => error as { code: number; message: string },
  );
  expect(refusal?.message).toContain(words);
  expect(refusal?.code).toBe(code);
  expect(place.subscriptions.watched()).toEqual([]);
});

it('what cannot be listened to is ignored in the 2026 era, where nothing can be refused', async () => {
  const host = await place.open('SDK 2.x in the 2026-07-28 era');
  await host.listen('analytics://reference/metrics', 'https://example.com/');
  expect(place.subscriptions.watched()).toEqual([]);
});
