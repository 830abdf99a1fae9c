import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { makeDirectory, tryDirectory } from '../../../src/exports/store/disk.ts';
import { openAssistant } from '../../support/assistant.ts';
import { sharedPlatform } from '../../support/emulator.ts';
import { temporaryFolder } from '../../support/folder.ts';

const platform = sharedPlatform();

/** A directory that the system takes no entries in, whoever asks: Node's recursive mkdir never returns below it. */
const IMPOSSIBLE = '/proc/nowhere';
const hasProc = existsSync('/proc/self');

function file(): string {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  return path;
}

/** A disk that cannot be written, where this user may mount one. */
function readOnlyDisk(): string | undefined {
  const path = join(temporaryFolder(), 'read-only');
  mkdirSync(path);
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'ro', 'tmpfs', path], { stdio: 'ignore' });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync('umount', ['-l', path], { stdio: 'ignore' }));
  return path;
}

it('a directory is made with those above it, and by many at once', async () => {
  const path = join(temporaryFolder(), 'a', 'b', 'c');
  await Promise.all(Array.from({ length: 8 }, () => makeDirectory(path)));
  expect(existsSync(path)).toBe(true);
});

it('a directory that is tried is left as it was', async () => {
  const folder = temporaryFolder();
  await tryDirectory(join(folder, 'data', 'exports'));
  await tryDirectory(folder);
  expect(readdirSync(folder)).toEqual([]);
});

it.runIf(hasProc)('a directory that can never be made is an error at once', async () => {
  await expect(tryDirectory(IMPOSSIBLE)).rejects.toThrow(/^\/proc\/nowhere cannot be used: it is not there and cannot be made\. Check/);
  await expect(makeDirectory(join(IMPOSSIBLE, 'deep', 'er'))).rejects.toThrow('cannot be made');
});

it('a directory on a disk that never answers is an error in bounded time', async () => {
  const slow = { timeoutMs: 20, write: () => new Promise<never>(() => undefined) };
  await expect(tryDirectory('/slow', slow)).rejects.toThrow('/slow cannot be used: the disk has not answered within 0.02 seconds');
});

describe('tools with a data directory that cannot be written', () => {
  const places: [string, () => string | undefined, string][] = [
    ['is impossible', () => (hasProc ? IMPOSSIBLE : undefined), 'it is not there and cannot be made'],
    ['is a file', file, 'a part of the path is a file, not a directory'],
    ['lies below a file', () => join(file(), 'below'), 'a part of the path is a file, not a directory'],
    ['is read-only', readOnlyDisk, 'it is read-only'],
  ];
  it.for(places)('because it %s say so, name it, and begin nothing', { tags: 'nightly' }, async ([, make, why], context) => {
    const dataDir = make() ?? context.skip('This machine has no such directory, or this user may not make one.');
    const assistant = await openAssistant(platform(), { dataDir });
    onTestFinished(() => assistant.close());
    platform().requests.length = 0;
    const calls = [
      ['sync_exports', {}],
      ['download_export_run', { jobId: 'Hourly sessions' }],
      ['plan_export', { fields: ['session_number_of_views'], name: 'Depth', startDate: '-7d', endDate: 'yesterday' }],
    ] as const;
    for (const [tool, args] of calls) {
      const answer = await assistant.call(tool, args);
      expect(answer.isError, `${tool}: ${answer.text}`).toBe(true);
      expect(answer.text).toContain(dataDir);
      expect(answer.text).toContain(`cannot be used: ${why}`);
      expect(answer.text).toContain('set WEB_ANALYTICS_DATA_DIR to one that can be written');
    }
    expect(platform().requests.filter(({ operation }) => operation === 'download')).toEqual([]);
    expect((await assistant.call('list_workspace')).isError).toBe(false);
    expect((await assistant.call('query_export', { jobId: 'Hourly sessions' })).text).toContain('sync_exports');
  });
});

it('a data directory that disappears while the server runs is made again by the next download', { tags: 'nightly' }, async () => {
  const dataDir = join(temporaryFolder(), 'data');
  const assistant = await openAssistant(platform(), { dataDir });
  onTestFinished(() => assistant.close());
  const fetch = () => assistant.call('download_export_run', { jobId: 'Hourly sessions' });
  expect((await fetch()).structured).toMatchObject({ state: 'complete' });
  rmSync(dataDir, { recursive: true });
  expect((await assistant.call('list_workspace')).structured['rows']).toEqual([]);
  expect((await fetch()).structured).toMatchObject({ state: 'complete' });
});
