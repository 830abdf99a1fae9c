import { mkdirSync, readdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { bytesBelow, createQuota, type List } from '../../../src/exports/store/quota.ts';
import { temporaryFolder } from '../../support/folder.ts';

/** A workspace with a run of one file that is whole and one that arrives. */
function workspace() {
  const directory = temporaryFolder();
  const run = join(directory, '31', '501');
  mkdirSync(run, { recursive: true });
  writeFileSync(join(run, 'part-00001.jsonl'), Buffer.alloc(300_000));
  writeFileSync(join(run, 'part-00002.part'), Buffer.alloc(500_000));
  return { directory, run };
}

/** Lists a directory, and gives the second file of the run its other name so many times, each right after it was listed. */
function renaming(run: string, times: number): List {
  let left = times;
  let names: readonly [string, string] = [join(run, 'part-00002.part'), join(run, 'part-00002.jsonl')];
  return async (directory) => {
    const entries = readdirSync(directory, { withFileTypes: true });
    if (directory === run && left > 0) {
      left -= 1;
      renameSync(...names);
      names = [names[1], names[0]];
    }
    return entries;
  };
}

it('counts a file that is renamed while its directory is counted', async () => {
  const { directory, run } = workspace();
  expect(await bytesBelow(directory, renaming(run, 1))).toBe(800_000);
  expect(await bytesBelow(directory)).toBe(800_000);
});

it('ends where files are renamed all the time, with the largest sum that was seen', async () => {
  const { directory, run } = workspace();
  expect(await bytesBelow(directory, renaming(run, 1_000))).toBe(300_000);
});

it('promises the room of a file that is renamed at that moment to no other', async () => {
  const { directory, run } = workspace();
  const room = createQuota(directory, 1_000_000, renaming(run, 1)).room();
  await expect(room.need(300_000)).rejects.toThrow(/No room for another/);
  await room.need(200_000);
});
