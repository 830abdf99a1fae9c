import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { isLockName } from '../../src/exports/store/lock.ts';
import { times } from '../support/times.ts';
import { openOffline, writeRun } from './convert/converted-runs.ts';
import { scratchDirectory } from './download/store-stub.ts';

const RUN = { jobId: 31, runId: 501 };

/** Workspaces on one directory with an empty run, as sessions of one principal have them. */
function workspaces() {
  const dir = scratchDirectory();
  const open = () => openOffline(dir);
  writeRun(open(), { ...RUN, fields: [], files: [Buffer.alloc(0)] });
  return { open, directory: open().directoryOf(RUN) };
}

it('a workspace that is opened again and again refuses none of the queries that read it meanwhile', { tags: 'nightly' }, async () => {
  const { open, directory } = workspaces();
  const reader = open();
  const rounds = async (count: number, round: () => Promise<unknown>) => {
    for (let index = 0; index < count; index += 1) await round();
  };
  const outcomes = await Promise.allSettled([
    // What an ended process left is removed on the way.
    rounds(10, async () => writeFileSync(join(directory, `${await delay(20, 'left')}.tmp`), '')),
    ...times(10, () => rounds(30, () => open().runs())),
    ...times(10, () => rounds(30, () => reader.reading([RUN], () => delay(1)))),
  ]);
  expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
  await open().runs();
  expect(
    readdirSync(directory)
      .filter((name) => !isLockName(name))
      .toSorted(),
  ).toEqual(['manifest.json', 'part-00001.jsonl.gz']);
});

it('a workspace says that this server reads a run which cannot be removed for that', async () => {
  const { open } = workspaces();
  let reading: Promise<void> | undefined;
  await new Promise<void>((begin) => {
    reading = open().reading([RUN], () => delay(1_500, begin()));
  });
  await expect(open().remove(RUN)).rejects.toThrow('Run 501 of job 31 is read by a query of this server; call again when that is done.');
  await reading;
  expect(await open().remove(RUN)).toBeGreaterThan(0);
});
