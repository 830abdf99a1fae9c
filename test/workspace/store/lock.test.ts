import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isLockName, takeLock } from '../../../src/workspace/store/lock.ts';
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
    expect(await takeLock(directory, 'write')).toEqual({ kind: 'read', pid: process.pid, isThisHost: true });
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

  it('of another machine holds as long as it is heard of', async () => {
    const directory = scratchDirectory();
    const name = await lockNameOf(directory, ([lock = '', kind = '', , ...rest]) => [lock, kind, '00000000', ...rest]);
    writeFileSync(join(directory, name), '');
    expect(await takeLock(directory, 'write')).toMatchObject({ isThisHost: false });
    const longAgo = Date.now() / 1_000 - 61;
    utimesSync(join(directory, name), longAgo, longAgo);
    expect(await takeLock(directory, 'write')).toHaveProperty('release');
  });
});
