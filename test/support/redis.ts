import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@keyv/redis';
import { afterAll, beforeAll } from 'vitest';
import { freePort } from './free-port.ts';

/** A Redis under the test's control. */
export interface TestRedis {
  readonly url: string;
  readonly port: number;
  /** Sends any command; Redis must be running. */
  command(...args: string[]): Promise<unknown>;
  /** Every key with all that it holds, as text. */
  everything(): Promise<string>;
  /** As a machine dies; what was kept is lost. */
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Leaves it running without an answer. */
  freeze(): void;
  thaw(): void;
}

/** Whether the Debian package `redis-server` is here; tests that need it are skipped and say so. */
export const hasRedis = isInstalled();

function isInstalled(): boolean {
  try {
    execFileSync('redis-server', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    process.stderr.write('redis-server is not installed, so tests of replicas are skipped: apt-get install redis-server\n');
    return false;
  }
}

/** A Redis on a free port, not started yet; the caller ends it with `kill`. */
export async function makeRedis(extra: readonly string[] = []): Promise<TestRedis> {
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  let child: ChildProcess | undefined;
  let dir: string | undefined;

  async function command(...args: string[]): Promise<unknown> {
    const client = createClient({ url, socket: { reconnectStrategy: false } });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return await client.sendCommand(args);
    } finally {
      client.destroy();
    }
  }

  async function valueOf(key: string): Promise<unknown> {
    const type = String(await command('TYPE', key));
    if (type === 'zset') return command('ZRANGE', key, '0', '-1', 'WITHSCORES');
    return type === 'hash' ? command('HGETALL', key) : command('GET', key);
  }

  return {
    url,
    port,
    command,
    async everything() {
      const keys = (await command('KEYS', '*')) as string[];
      return JSON.stringify(await Promise.all(keys.map(async (key) => [key, await valueOf(key)])));
    },
    async kill() {
      const dying = child;
      child = undefined;
      if (dying?.exitCode === null) {
        dying.kill('SIGKILL');
        await once(dying, 'exit');
      }
      if (dir) rmSync(dir, { recursive: true, force: true });
    },
    async start() {
      dir = mkdtempSync(join(tmpdir(), 'replicas-redis-'));
      const options = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no', '--dir', dir, ...extra];
      child = spawn('redis-server', options, { stdio: ['ignore', 'pipe', 'inherit'] });
      for await (const chunk of child.stdout ?? []) if (String(chunk).includes('Ready to accept connections')) break;
      child.stdout?.resume();
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
}

/** One running Redis for a test file; ask for it inside a test. */
export function sharedRedis(extra?: readonly string[]): () => TestRedis {
  let redis: TestRedis | undefined;
  beforeAll(async () => {
    if (!hasRedis) return;
    redis = await makeRedis(extra);
    await redis.start();
  });
  afterAll(() => redis?.kill());
  return () => {
    if (!redis) throw new Error('The Redis of this file is not running; ask for it inside a test that is skipped without it.');
    return redis;
  };
}

/** A key for `WEB_ANALYTICS_CACHE_KEY`. */
export const CACHE_KEY = 'c0ffee'.repeat(10).padEnd(64, '0');
