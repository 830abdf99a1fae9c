import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp } from 'node:fs/promises';
import { Agent, type IncomingMessage, request } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { doctor } from '../../src/commands/doctor.ts';
import { readSettings } from '../../src/settings/settings.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { temporaryFolder } from '../support/folder.ts';
import { post2026, request2026 } from '../support/http.ts';
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

/** Counts questions; no segment has such an id. */
let asked = 999_000;

/** How a call of list_segments was answered, or the code of a connection that failed. */
type SegmentsAnswer = { readonly status?: number; readonly connection?: string | undefined; readonly code?: string };

/** Keeps one connection open between calls, until the test ends. */
function keptConnection(): Agent {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  return agent;
}

async function callSegments(url: string, agent: Agent | undefined): Promise<SegmentsAnswer> {
  // Each asks for another segment, because the same would be answered from what is kept.
  const { headers, body } = request2026('tools/call', { name: 'list_segments', arguments: { ids: [(asked += 1)] } });
  const sending = request(url, { agent, method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } });
  try {
    sending.end(body);
    const [response] = (await once(sending, 'response')) as [IncomingMessage];
    await response.resume().toArray();
    return { status: response.statusCode ?? 0, connection: response.headers.connection };
  } catch (error) {
    return { code: error instanceof Error && 'code' in error ? String(error.code) : String(error) };
  }
}

describe.skipIf(!hasRedis)('replicas as processes of their own', () => {
  it('lose no more than what was in work on the one that is killed, and its places come free', { tags: 'nightly' }, async () => {
    const replicas = await Promise.all([startReplica(), startReplica()]);
    const balancer = await balance(replicas.map(({ url }) => url));
    platform().faults.add({ kind: 'slow', operation: 'listSegments', delayMs: 20 });
    // The same would be one request.
    const call = (url = balancer.url) => post2026(url, 'tools/call', { name: 'list_segments', arguments: { ids: [(asked += 1)] } });
    const good = (await call()).message;
    expect(good).toMatchObject({ result: { structuredContent: { segments: [] } } });

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
    const held = platform().faults.add({ kind: 'slow', operation: 'listSegments' });
    const [, survivor] = replicas;
    const waiting = Array.from({ length: 6 }, () => call(survivor?.url));
    await held.reached(4);
    held.release();
    await Promise.all(waiting);
  });

  it('lose no call when one is asked to stop, though their callers keep connections open', {
    tags: 'nightly',
    timeout: 60_000,
  }, async () => {
    const replicas = await Promise.all([startReplica(), startReplica()]);
    const [leaving] = replicas;
    platform().faults.add({ kind: 'slow', operation: 'listSegments', delayMs: 10 });
    const stopped = new AbortController();
    const failed: unknown[] = [];
    const served = replicas.map(() => 0);

    /** Calls over kept connections, as a balancer does: the next replica where one does not accept a connection. */
    async function callOnAndOn(): Promise<void> {
      const agents = replicas.map(() => keptConnection());
      for (let turn = 0; !stopped.signal.aborted; turn += 1) {
        let answer: SegmentsAnswer = { code: 'ECONNREFUSED' };
        for (let at = turn; at < turn + replicas.length && answer.code === 'ECONNREFUSED'; at += 1) {
          const index = at % replicas.length;
          answer = await callSegments(replicas[index]?.url ?? '', agents[index]);
          if (answer.status === 200) served[index] = (served[index] ?? 0) + 1;
        }
        if (answer.status !== 200) failed.push(answer);
      }
    }

    const running = Array.from({ length: 16 }, callOnAndOn);
    while (served.some((count) => count < 20)) await delay(5);
    leaving.child.kill('SIGTERM');
    expect(await once(leaving.child, 'exit')).toEqual([0, null]);
    const after = served[1] ?? 0;
    while ((served[1] ?? 0) < after + 20) await delay(5);
    stopped.abort();
    await Promise.all(running);
    platform().faults.clear();
    expect(failed).toEqual([]);
  });

  it('that are asked to stop close each connection with the next answer over it', async () => {
    const replica = await startReplica();
    const kept = keptConnection();
    expect(await callSegments(replica.url, kept)).toEqual({ status: 200, connection: 'keep-alive' });
    replica.child.kill('SIGTERM');
    const answers = [];
    do answers.push(await callSegments(replica.url, kept));
    while (answers.at(-1)?.connection === 'keep-alive');
    expect(answers.at(-1)).toEqual({ status: 200, connection: 'close' });
    expect(await callSegments(replica.url, kept)).toEqual({ code: 'ECONNREFUSED' });
    expect(await once(replica.child, 'exit')).toEqual([0, null]);
  });

  it('start without Redis, say so once, and stop when they are asked to', { tags: 'nightly' }, async () => {
    const secret = 'canary-7f3a9c';
    const replica = await startReplica({ CACHE_URL: `redis://user:${secret}@127.0.0.1:1` });
    const { status } = await post2026(replica.url, 'tools/call', { name: 'list_goals', arguments: {} });
    expect(status).toBe(200);
    expect(replica.stderr().match(/The shared cache is out of reach/g)).toHaveLength(1);
    expect(replica.stderr()).not.toContain(secret);
    replica.child.kill('SIGTERM');
    expect(await once(replica.child, 'exit')).toEqual([0, null]);
  });

  it('end at once where they cannot serve', { tags: 'nightly' }, async () => {
    const { url } = await startReplica();
    await expect(startReplica({ PORT: new URL(url).port })).rejects.toThrow('is taken');
  });

  it('need no package beside the bundle', { tags: 'nightly' }, async () => {
    const folder = temporaryFolder();
    await cp(dirname(await freshBundle()), folder, { recursive: true });
    const replica = await startReplica({}, join(folder, 'main.js'));
    const { status } = await post2026(replica.url, 'tools/call', { name: 'list_goals', arguments: {} });
    expect(status).toBe(200);
    expect(replica.stderr()).not.toContain('The shared cache is out of reach');
  });

  it('are looked after by the doctor', { tags: 'nightly' }, async () => {
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
