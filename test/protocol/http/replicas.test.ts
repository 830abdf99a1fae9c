import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openSharedCache } from '../../../src/replicas/index.ts';
import type { PlatformCredentials } from '../../../src/sign-in/principal.ts';
import { type Platform, sharedPlatform } from '../../support/emulator.ts';
import { type HostName, openHttpHost } from '../../support/hosts.ts';
import { callOf, openRawSession, openService, post, type Service, spokenSignIn } from '../../support/http.ts';
import { CACHE_KEY, hasRedis, sharedRedis } from '../../support/redis.ts';
import { type Affinity, type Balancer, balance } from '../../support/round-robin.ts';

const redis = sharedRedis();
const shared = sharedPlatform();
let platform: Platform;
const closing: (() => Promise<unknown>)[] = [];

beforeEach(async () => {
  if (!hasRedis) return;
  platform = shared();
  await redis().kill(); // where the test before has ended without one, there is none
  await redis().start();
});
afterEach(async () => {
  platform?.faults.clear();
  for (const close of closing.splice(0).toReversed()) await close();
});

/** Replicas on the same emulator and Redis, and a balancer in front of them. */
async function serve(
  count: number,
  {
    affinity = 'none',
    settings,
    ...options
  }: { affinity?: Affinity; credentials?: PlatformCredentials; settings?: Record<string, string> } = {},
): Promise<{ replicas: Service[]; balancer: Balancer; lines: string[] }> {
  const lines: string[] = [];
  const replicas: Service[] = [];
  for (let index = 0; index < count; index += 1) {
    const log = (_: string, line: string) => void lines.push(line);
    const cache = await openSharedCache({ url: redis().url, key: CACHE_KEY, log });
    const service = await openService({
      on: platform,
      cache,
      signIn: spokenSignIn,
      settings: { CACHE_URL: redis().url, CACHE_KEY, ...settings },
      ...options,
    });
    replicas.push(service);
    closing.push(() => service.close());
  }
  const balancer = await balance(
    replicas.map(({ url }) => url),
    affinity,
  );
  closing.push(() => balancer.close());
  return { replicas, balancer, lines };
}

const as = (who: string) => ({ authorization: `Bearer ${who}:read+write` });
const requests = (operation: string) => platform.requests.filter((request) => request.operation === operation);
describe.skipIf(!hasRedis)('two replicas behind a balancer that sends each request to the next', () => {
  it('are one server to a client of the 2026 era, which takes one token and asks for names once', { tags: 'nightly' }, async () => {
    const { balancer } = await serve(2);
    const host = await openHttpHost('SDK 2.x in the 2026-07-28 era', balancer.url, { token: 'anna:read+write', answer: () => 'accept' });
    closing.push(() => host.close());
    expect((await host.tools()).length).toBeGreaterThan(40);
    const day = { startDate: 'yesterday', endDate: 'yesterday' };
    const ask = () => host.call('get_site_visits', { ...day, segmentIds: ['Germany'] });
    const first = await ask();
    const resolved = 'segment "Germany" = 440156\n- Project: Nordlicht Shop (1201).';
    expect(first).toMatchObject({ isError: false, text: expect.stringContaining(resolved) });
    // The same from the other replica, then from both again.
    for (let again = 0; again < 5; again += 1) expect(await ask()).toEqual(first);
    expect(await host.read('analytics://1201/scenarios')).toContain('4101');
    // The question and the answer reach two replicas.
    const key = 'release of both';
    await host.call('create_speed_event', { key, text: 'Release', date: '2026-11-19' });
    const before = [...balancer.counts];
    expect(await host.call('delete_speed_event', { key })).toMatchObject({ isError: false, structured: { status: 'done' } });
    expect(host.questions).toHaveLength(1);
    expect(balancer.counts.map((count, index) => count - (before[index] ?? 0))).toEqual([1, 1]);
    expect(requests('requestToken')).toHaveLength(1);
    expect(requests('listSegments')).toHaveLength(1);
    expect(Math.min(...balancer.counts)).toBeGreaterThan(2);
  });

  it('that share a directory find plans, downloads and results of queries of each other, each principal its own', {
    tags: 'nightly',
  }, async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'replicas-'));
    closing.push(() => rm(dataDir, { recursive: true, force: true }));
    const { replicas } = await serve(2, { settings: { DATA_DIR: dataDir } });
    const [first = '', second = ''] = replicas.map(({ url }) => url);
    const hostOf = async (who: string, url: string) => {
      const host = await openHttpHost('SDK 2.x in the 2026-07-28 era', url, { token: `${who}:read+write`, answer: () => 'accept' });
      closing.push(() => host.close());
      return host;
    };
    const [here, there, ben] = await Promise.all([hostOf('anna', first), hostOf('anna', second), hostOf('ben', second)]);
    const plan = { fields: ['session_id', 'browser'], name: 'Of two', startDate: '2026-10-01', endDate: '2026-10-02' };
    const { planId } = (await here.call('plan_export', plan)).structured ?? {};
    expect(await ben.call('apply_export_plan', { planId })).toMatchObject({ isError: true });
    const applied = await there.call('apply_export_plan', { planId });
    expect(applied).toMatchObject({ isError: false, structured: { jobs: [{ name: expect.stringContaining('Of two') }] } });
    await here.call('apply_export_plan', { planId });
    expect(requests('createExportJob')).toHaveLength(1);

    const fetched = await here.call('download_export_run', { jobId: 'Daily sessions' });
    expect(fetched).toMatchObject({ isError: false, structured: { state: 'complete' } });
    const again = await there.call('download_export_run', { jobId: 'Daily sessions' });
    expect(again.structured).toMatchObject({ runId: fetched.structured?.['runId'], files: fetched.structured?.['files'] });
    const { files = [] } = fetched.structured as { files?: object[] };
    expect(requests('download')).toHaveLength(files.length);
    expect((await ben.call('list_workspace')).text).not.toContain('Daily sessions');

    const question = { jobId: 'Daily sessions', sql: 'SELECT session_id FROM data' };
    const { uri } = (await here.call('query_export', question)).structured ?? {};
    expect(await there.read(String(uri))).toMatch(/^session_id\r\n\d+\r\n/);
    await expect(ben.read(String(uri))).rejects.toThrow('call query_export again');
  });
});

describe.skipIf(!hasRedis)('sessions of the 2025 era', { tags: 'nightly' }, () => {
  const hosts: HostName[] = ['SDK 1.x', 'SDK 2.x in the 2025 era'];

  it.each(hosts)('stay with their replica by the header of the session: %s', async (name) => {
    const { balancer } = await serve(2, { affinity: 'header' });
    const people = await Promise.all([1, 2].map(() => openHttpHost(name, balancer.url, { token: 'anna:read+write' })));
    for (const host of people) {
      closing.push(() => host.close());
      for (let call = 0; call < 3; call += 1) expect(await host.call('list_goals')).toMatchObject({ isError: false });
    }
    // Their tokens stay in their process.
    expect(requests('requestToken')).toHaveLength(2);
    expect(await redis().everything()).not.toContain('"token"');
  });

  it('are told to begin again where their replica is gone, and can', async () => {
    const { balancer, replicas } = await serve(2, { affinity: 'header' });
    const session = await openRawSession(balancer.url, as('anna'));
    const home = balancer.counts.indexOf(1);
    await replicas[home]?.close();
    balancer.remove(home);
    const lost = await post(balancer.url, callOf('list_goals'), session);
    expect([lost.status, lost.message]).toMatchObject([404, { error: { message: expect.stringContaining('Initialize a new one') } }]);
    const again = await openRawSession(balancer.url, as('anna'));
    expect((await post(balancer.url, callOf('list_goals'), again)).status).toBe(200);
  });
});
