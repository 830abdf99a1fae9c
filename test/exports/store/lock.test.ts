import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isLockName, placeId, takeLock, waitForLock } from '../../../src/exports/store/lock.ts';
import { scratchDirectory } from '../download/store-stub.ts';

type Taken = Awaited<ReturnType<typeof takeLock>>;

async function release(...locks: readonly Taken[]): Promise<void> {
  for (const lock of locks) if ('release' in lock) await lock.release();
}

/** Leaves the file of a lock to write as another holder does; what is not given is that of this process. Gives its path. */
async function left(directory: string, holder: { place?: string; pid?: number; start?: string } = {}): Promise<string> {
  const lock = await takeLock(directory, 'write');
  const [, , place, pid, start] = (readdirSync(directory).find(isLockName) ?? '').split('.');
  await release(lock);
  const parts = { place, pid, start, ...holder };
  const path = join(directory, ['lock.write', parts.place, parts.pid, parts.start, '0123456789ab'].join('.'));
  writeFileSync(path, '');
  return path;
}

function touchedLongAgo(path: string): void {
  const longAgo = Date.now() / 1_000 - 61;
  utimesSync(path, longAgo, longAgo);
}

async function runningProcess() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  onTestFinished(() => void child.kill('SIGKILL'));
  const start = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '';
  return { child, pid: Number(child.pid), start };
}

/** The largest process id lies below 2^22. */
const NO_PROCESS = 4_194_305;

describe('a lock', () => {
  it('to write keeps everybody out, one to read only who writes, one to add who writes and who adds', async () => {
    const directory = scratchDirectory();
    const kinds = ['read', 'add', 'write'] as const;
    const allowed: Record<string, string[]> = {};
    for (const kind of kinds) {
      const held = await takeLock(directory, kind);
      allowed[kind] = [];
      for (const other of kinds) {
        const lock = await takeLock(directory, other);
        if ('release' in lock) allowed[kind].push(other);
        await release(lock);
      }
      await release(held);
    }
    expect(allowed).toEqual({ read: ['read', 'add'], add: ['read'], write: [] });
    expect(readdirSync(directory)).toEqual([]);
  });

  it('names who holds it, and is waited for', async () => {
    const directory = scratchDirectory();
    const adding = await takeLock(directory, 'add');
    expect(await takeLock(directory, 'write')).toEqual({ kind: 'add', pid: process.pid, isSamePlace: true });
    const waiting = waitForLock(directory, 'write', 10_000);
    await release(adding);
    expect(await waiting).toHaveProperty('release');
  });

  it('of many that come at once is given to at most one', async () => {
    const directory = scratchDirectory();
    for (let round = 0; round < 20; round += 1) {
      const locks = await Promise.all(Array.from({ length: 8 }, () => takeLock(directory, 'write')));
      expect(locks.filter((lock) => 'release' in lock).length).toBeLessThanOrEqual(1);
      await release(...locks);
      expect(readdirSync(directory)).toEqual([]);
    }
  });

  it('of a process that runs is respected, and of one that ended is not', async () => {
    const directory = scratchDirectory();
    const { child, pid, start } = await runningProcess();
    touchedLongAgo(await left(directory, { pid, start }));
    expect(await takeLock(directory, 'write')).toMatchObject({ pid });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await takeLock(directory, 'write')).toHaveProperty('release');
    expect(readdirSync(directory)).toHaveLength(1);
  });

  it('of an ended process is not mistaken for that of another with the same number', async () => {
    const directory = scratchDirectory();
    const { pid } = await runningProcess();
    await left(directory, { pid, start: '1' });
    expect(await takeLock(directory, 'write')).toHaveProperty('release');
  });

  it.each([
    ['another boot', { bootId: 'another', pidNamespace: 'pid:[1]' }],
    ['another container', { bootId: 'boot', pidNamespace: 'another' }],
    ['a machine of another name', { hostname: 'db', bootId: 'boot', pidNamespace: 'pid:[1]' }],
  ])('of %s holds as long as it is heard of, although its process is not seen here', async (_, place) => {
    const directory = scratchDirectory();
    const path = await left(directory, { place: placeId({ hostname: hostname(), ...place }), pid: NO_PROCESS });
    expect(await takeLock(directory, 'write')).toMatchObject({ isSamePlace: false });
    expect(readdirSync(directory)).toEqual([basename(path)]);
    touchedLongAgo(path);
    expect(await takeLock(directory, 'write')).toHaveProperty('release');
  });

  it('holds by its heartbeat alone where the system names neither boot nor namespace', async () => {
    const directory = scratchDirectory();
    const bare = { hostname: 'web', bootId: undefined, pidNamespace: undefined };
    const path = await left(directory, { place: placeId(bare), pid: NO_PROCESS, start: '1' });
    expect(await takeLock(directory, 'write', bare)).toMatchObject({ pid: NO_PROCESS });
    touchedLongAgo(path);
    expect(await takeLock(directory, 'write', bare)).toHaveProperty('release');
  });
});
