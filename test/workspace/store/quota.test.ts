import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { bytesBelow, createQuota } from '../../../src/workspace/store/quota.ts';

/** Called after a directory was listed, before its files are looked at. */
let onListed: (directory: string) => void = () => undefined;
vi.mock(import('node:fs/promises'), async (original) => {
  const real = await original();
  const readdir = async (directory: string, options: { withFileTypes: true }) => {
    const entries = await real.readdir(directory, options);
    onListed(directory);
    return entries;
  };
  return { ...real, readdir: readdir as typeof real.readdir };
});

/** A workspace with a run of one file that is whole and one that arrives. */
function workspace() {
  const directory = mkdtempSync(join(tmpdir(), 'quota-'));
  onTestFinished(() => {
    onListed = () => undefined;
    rmSync(directory, { recursive: true, force: true });
  });
  const run = join(directory, '31', '501');
  mkdirSync(run, { recursive: true });
  writeFileSync(join(run, 'part-00001.jsonl'), Buffer.alloc(300_000));
  writeFileSync(join(run, 'part-00002.part'), Buffer.alloc(500_000));
  return { directory, run };
}

/** Gives the arriving file its name once the directory was listed so often. */
function renameAfter(lists: number, run: string): void {
  let left = lists;
  onListed = (listed) => {
    if (listed !== run) return;
    left -= 1;
    if (left === 0) renameSync(join(run, 'part-00002.part'), join(run, 'part-00002.jsonl'));
  };
}

it('counts a file that is renamed while its directory is counted', async () => {
  const { directory, run } = workspace();
  renameAfter(1, run);
  expect(await bytesBelow(directory)).toBe(800_000);
});

it('ends where files are renamed all the time, with the largest sum that was seen', async () => {
  const { directory, run } = workspace();
  let names: readonly [string, string] = ['part-00002.part', 'part-00002.jsonl'];
  onListed = (listed) => {
    if (listed !== run) return;
    renameSync(join(run, names[0]), join(run, names[1]));
    names = [names[1], names[0]];
  };
  expect(await bytesBelow(directory)).toBe(300_000);
});

it('promises nobody the room of a file that is renamed at that moment', async () => {
  const { directory, run } = workspace();
  renameAfter(1, run);
  const room = createQuota(directory, 1_000_000).room();
  await expect(room.need(300_000)).rejects.toThrow(/No room for another/);
  await room.need(200_000);
});
