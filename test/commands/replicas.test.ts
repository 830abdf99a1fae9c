import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { doctor } from '../../src/commands/doctor.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { temporaryFolder } from '../support/folder.ts';
import { post2026 } from '../support/http.ts';
import { CACHE_KEY, hasRedis, sharedRedis } from '../support/redis.ts';
import { balance } from '../support/round-robin.ts';
import { freshBundle } from '../support/stdio.ts';
import { captured } from './captured.ts';

const redis = sharedRedis();
const platform = sharedPlatform();
const children: ChildProcess[] = [];
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

interface Replica {
  readonly child: ChildProcess;
  readonly url: string;
  readonly stderr: () => string;
}

/** The built server as an operator starts a replica of it. */
async function startReplica(more: Record<string, string> = {}, bundle?: string): Promise<Replica> {
  const { clientId, clientSecret } = platform().credentials.shop;
  const given: Record<string, string> = {
    HTTP: 'true',
    PORT: '0',
    AUTH_URL: platform().authUrl,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
    CACHE_URL: redis().url,
    CACHE_KEY,
    CONCURRENCY: '4',
    ...more,
  };
  const settings = Object.fromEntries(Object.entries(given).map(([name, value]) => [`WEB_ANALYTICS_${name}`, value]));
  const child = spawn(process.execPath, [bundle ?? (await freshBundle()), 'serve'], {
    env: { PATH: process.env['PATH'], ...settings },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  children.push(child);
  let stderr = '';
  const url = await new Promise<string>((resolve, reject) => {
    child.stderr.on('data', (chunk: Buffer) => {
      stderr += String(chunk);
      const [, address] = /listens on (http[^\s"]+)/.exec(stderr) ?? [];
      if (address !== undefined) resolve(address);
    });
    child.on('exit', () => reject(new Error(stderr)));
  });
  return { child, url, stderr: () => stderr };
}

describe.skipIf(!hasRedis)('replicas as processes of their own', () => {
  it('lose no more than what was in work on the one that is killed, and its places come free', async () => {
    const replicas = await Promise.all([startReplica(), startReplica()]);
    const balancer = await balance(replicas.map(({ url }) => url));
    platform().faults.add({ kind: 'slow', operation: 'listGoals', delayMs: 20 });
    const call = () => post2026(balancer.url, 'tools/call', { name: 'list_goals', arguments: {} });
    const good = (await call()).message;
    expect(good).toMatchObject({ result: { structuredContent: { goals: expect.any(Array) } } });

    const stopped = new AbortController();
    const wrong: unknown[] = [];
    const lostAtMs: number[] = [];
    let calls = 0;
    async function callOnAndOn(): Promise<void> {
      while (!stopped.signal.aborted) {
        const startMs = performance.now();
        const { status, message } = await call();
        calls += 1;
        if (status === 502) lostAtMs.push(startMs);
        else if (status !== 200 || JSON.stringify(message) !== JSON.stringify(good)) wrong.push([status, message]);
      }
    }
    const running = Array.from({ length: 8 }, callOnAndOn);
    await delay(300);
    const [dying] = replicas;
    dying.child.kill('SIGKILL');
    await once(dying.child, 'exit');
    const deadAtMs = performance.now();
    const before = calls;
    await delay(1_000);
    stopped.abort();
    await Promise.all(running);
    await balancer.close();

    expect(wrong).toEqual([]);
    expect(lostAtMs.filter((startMs) => startMs > deadAtMs)).toEqual([]);
    expect(calls).toBeGreaterThan(before);
    expect(platform().requests.filter(({ operation }) => operation === 'requestToken')).toHaveLength(1);
    platform().faults.clear();
    // All four places are there again when the leases of the dead have run out.
    const held = platform().faults.add({ kind: 'slow', operation: 'listGoals' });
    const [, survivor] = replicas;
    const waiting = Array.from({ length: 6 }, () => post2026(survivor?.url ?? '', 'tools/call', { name: 'list_goals', arguments: {} }));
    await held.reached(4);
    held.release();
    await Promise.all(waiting);
  });

  it('start without Redis, say so once, and stop when they are asked to', async () => {
    const secret = 'canary-7f3a9c';
    const replica = await startReplica({ CACHE_URL: `redis://user:${secret}@127.0.0.1:1` });
    const { status } = await post2026(replica.url, 'tools/call', { name: 'list_goals', arguments: {} });
    expect(status).toBe(200);
    expect(replica.stderr().match(/The shared cache is out of reach/g)).toHaveLength(1);
    expect(replica.stderr()).not.toContain(secret);
    replica.child.kill('SIGTERM');
    expect(await once(replica.child, 'exit')).toEqual([0, null]);
  });

  it('end at once where they cannot serve', async () => {
    const { url } = await startReplica();
    await expect(startReplica({ PORT: new URL(url).port })).rejects.toThrow('is taken');
  });

  it('need no package beside the bundle', async () => {
    const folder = temporaryFolder();
    await cp(dirname(await freshBundle()), folder, { recursive: true });
    const replica = await startReplica({}, join(folder, 'main.js'));
    const { status } = await post2026(replica.url, 'tools/call', { name: 'list_goals', arguments: {} });
    expect(status).toBe(200);
    expect(replica.stderr()).not.toContain('The shared cache is out of reach');
  });

  it('are looked after by the doctor', async () => {
    const { clientId, clientSecret } = platform().credentials.shop;
    const given = { AUTH_URL: platform().authUrl, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret, CACHE_KEY };
    const ask = (url: string) => {
      const variables = Object.entries({ ...given, CACHE_URL: url }).map(([name, value]) => [`WEB_ANALYTICS_${name}`, value]);
      return captured(() => doctor(readSettings(Object.fromEntries(variables)), { seed: 1, faults: [], clock: platform().clock }));
    };
    expect(await ask(redis().url)).toMatchObject({ code: 0, out: expect.stringContaining('✓ cache: replicas can share') });
    const gone = await ask('redis://:canary-7f3a9c@127.0.0.1:1');
    expect(gone).toMatchObject({ code: 1, out: expect.stringContaining('✗ cache: The shared cache is out of reach') });
    expect(JSON.stringify(gone)).not.toContain('canary');
  });
});
