import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isLockName, placeId, takeLock, waitForLock } from '../../../src/workspace/store/lock.ts';
import { scratchDirectory } from '../download/store-stub.ts';

const nameIn = (directory: string) => readdirSync(directory).find(isLockName) ?? '';

/** The lock file of this process, as another holder would have written it. */
async function lockNameOf(directory: string, change: (parts: string[]) => string[]): Promise<string> {
  const lock = await takeLock(directory, 'write');
  const name = change(nameIn(directory).split('.')).join('.');
  if ('release' in lock) await lock.release();
  return name;
}

async function runningProcess() {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { stdio: 'ignore' });
  await once(child, 'spawn');
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

describe('a lock', () => {
  it('to write keeps everybody out, one to read only who writes', async () => {
    const directory = scratchDirectory();
    const first = await takeLock(directory, 'read');
    const second = await takeLock(directory, 'read');
    expect([first, second].every((lock) => 'release' in lock)).toBe(true);
    expect(await takeLock(directory, 'write')).toEqual({ kind: 'read', pid: process.pid, isSamePlace: true });
    for (const lock of [first, second]) if ('release' in lock) await lock.release();
    const writer = await takeLock(directory, 'write');
    expect(await takeLock(directory, 'write')).toMatchObject({ kind: 'write' });
    expect(await takeLock(directory, 'read')).toMatchObject({ kind: 'write' });
    if ('release' in writer) await writer.release();
    expect(readdirSync(directory)).toEqual([]);
  });

  it('of many that come at once is given to at most one', async () => {
    const directory = scratchDirectory();
    for (let round = 0; round < 20; round += 1) {
      const locks = await Promise.all(Array.from({ length: 8 }, () => takeLock(directory, 'write')));
      const held = locks.filter((lock) => 'release' in lock);
      expect(held.length).toBeLessThanOrEqual(1);
      for (const lock of held) await lock.release();
      expect(readdirSync(directory)).toEqual([]);
    }
  });

  it('of a process that runs is respected, and of one that ended is not', async () => {
    const directory = scratchDirectory();
    const child = await runningProcess();
    const start = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[19] ?? '';
    const name = await lockNameOf(directory, ([lock = '', kind = '', host = '', , , own = '']) => [
      lock,
      kind,
      host,
      String(child.pid),
      start,
      own,
    ]);
    writeFileSync(join(directory, name), '');
    utimesSync(join(directory, name), 1, 1);
    expect(await takeLock(directory, 'write')).toMatchObject({ pid: child.pid });
    child.kill('SIGKILL');
    await once(child, 'exit');
    expect(await takeLock(directory, 'write')).toHaveProperty('release');
    expect(readdirSync(directory)).toHaveLength(1);
  });

  it('of an ended process is not mistaken for that of another with the same number', async () => {
    const directory = scratchDirectory();
    const child = await runningProcess();
    const name = await lockNameOf(directory, ([lock = '', kind = '', host = '', , , own = '']) => [
      lock,
      kind,
      host,
      String(child.pid),
      '1',
      own,
    ]);
    writeFileSync(join(directory, name), '');
    expect(await takeLock(directory, 'write')).toHaveProperty('release');
  });

  it.each(['bootId', 'pidNamespace'] as const)(
    'of another container (%s) with the same host name holds, although its process is not seen here',
    async (member) => {
      const directory = scratchDirectory();
      const there = placeId({ hostname: hostname(), bootId: 'boot', pidNamespace: 'pid:[1]', [member]: 'another' });
      // The largest process id lies below 2^22.
      const name = await lockNameOf(directory, ([lock = '', kind = '', , , start = '', own = '']) => [
        lock,
        kind,
        there,
        '4194305',
        start,
        own,
      ]);
      writeFileSync(join(directory, name), '');
      expect(await takeLock(directory, 'write')).toMatchObject({ isSamePlace: false });
      expect(readdirSync(directory)).toEqual([name]);
    },
  );

  it('tells two places apart by host, boot and process namespace', () => {
    const place = { hostname: 'web', bootId: 'a', pidNamespace: 'pid:[1]' };
    const others = [
      { ...place, hostname: 'db' },
      { ...place, bootId: 'b' },
      { ...place, pidNamespace: 'pid:[2]' },
    ];
    expect(new Set([place, ...others].map(placeId)).size).toBe(4);
  });

  it('holds by its heartbeat alone where the system names neither boot nor namespace', async () => {
    const directory = scratchDirectory();
    const bare = { hostname: 'web', bootId: undefined, pidNamespace: undefined };
    const lock = await takeLock(directory, 'write', bare);
    const [name = ''] = readdirSync(directory);
    if ('release' in lock) await lock.release();
    const ended = name.replace(/\.\d+\.\d*\.([0-9a-f]{12})$/, '.4194305.1.$1');
    writeFileSync(join(directory, ended), '');
    expect(await takeLock(directory, 'write', bare)).toMatchObject({ pid: 4_194_305 });
    const longAgo = Date.now() / 1_000 - 61;
    utimesSync(join(directory, ended), longAgo, longAgo);
    expect(await takeLock(directory, 'write', bare)).toHaveProperty('release');
  });

  it('to add keeps out who writes and who adds, not who reads, and is waited for', async () => {
    const directory = scratchDirectory();
    const adding = await takeLock(directory, 'add');
    const reading = await takeLock(directory, 'read');
    expect(reading).toHaveProperty('release');
    expect(await takeLock(directory, 'add')).toMatchObject({ kind: 'add' });
    expect(await takeLock(directory, 'write')).toMatchObject({ pid: process.pid });
    const waiting = waitForLock(directory, 'write', 10_000);
    for (const lock of [adding, reading]) if ('release' in lock) await lock.release();
    expect(await waiting).toHaveProperty('release');
  });

  it('of another machine holds as long as it is heard of', async () => {
    const directory = scratchDirectory();
    const name = await lockNameOf(directory, ([lock = '', kind = '', , ...rest]) => [lock, kind, '00000000', ...rest]);
    writeFileSync(join(directory, name), '');
    expect(await takeLock(directory, 'write')).toMatchObject({ isSamePlace: false });
    const longAgo = Date.now() / 1_000 - 61;
    utimesSync(join(directory, name), longAgo, longAgo);
    expect(await takeLock(directory, 'write')).toHaveProperty('release');
  });
});
