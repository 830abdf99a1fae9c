import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { systemClock } from '../../src/lib/clock.ts';
import { openProjectWorkspace } from '../../src/workspace/project-workspace.ts';
import { isLockName } from '../../src/workspace/store/lock.ts';
import type { RunManifest } from '../../src/workspace/store/manifest.ts';
import { scratchDirectory } from './download/store-stub.ts';

const RUN = { jobId: 31, runId: 501 };

/** Workspaces on one directory, as sessions of one principal have them; none of them downloads. */
function workspaces() {
  const dir = scratchDirectory();
  const ask = () => Promise.reject(new Error('Nothing is asked of the platform here.'));
  const owner = { dir, principal: 'local', authUrl: 'http://127.0.0.1:9', projectId: 1201 };
  const open = () => openProjectWorkspace({ ...owner, quotaMb: 10, ask, askKept: ask, clock: systemClock });
  const directory = open().directoryOf(RUN);
  const instant = '2026-11-19T00:00:00.000Z';
  const about = { jobName: 'Daily', scope: 'sessions', format: 'JSONL', from: instant, to: instant, exportedAt: instant };
  const file = { name: 'part-00001.jsonl', bytes: 3, sha256: '', gzip: false };
  const manifest: RunManifest = { version: 1, ...RUN, ...about, downloadedAt: instant, fields: [], files: [file] };
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, file.name), '{}\n');
  writeFileSync(join(directory, 'manifest.json'), JSON.stringify(manifest));
  return { open, directory };
}

describe('a workspace', () => {
  it('that is opened again and again refuses none of the queries that read it meanwhile', { tags: 'nightly' }, async () => {
    const { open, directory } = workspaces();
    const reader = open();
    const rounds = async (count: number, round: () => Promise<unknown>) => {
      for (let index = 0; index < count; index += 1) await round();
    };
    const outcomes = await Promise.allSettled([
      // What an ended process left is removed on the way.
      rounds(10, async () => writeFileSync(join(directory, `${await delay(20, 'left')}.tmp`), '')),
      ...Array.from({ length: 10 }, () => rounds(30, () => open().runs())),
      ...Array.from({ length: 10 }, () => rounds(30, () => reader.reading([RUN], () => delay(1)))),
    ]);
    expect(outcomes.filter(({ status }) => status === 'rejected')).toEqual([]);
    await open().runs();
    expect(
      readdirSync(directory)
        .filter((name) => !isLockName(name))
        .toSorted(),
    ).toEqual(['manifest.json', 'part-00001.jsonl']);
  });

  it('says that this server reads a run which cannot be removed for that', async () => {
    const { open } = workspaces();
    const reader = open();
    let begins = (): void => undefined;
    const begun = new Promise<void>((resolve) => {
      begins = resolve;
    });
    const reading = reader.reading([RUN], () => {
      begins();
      return delay(1_500);
    });
    await begun;
    await expect(open().remove(RUN)).rejects.toThrow('Run 501 of job 31 is read by a query of this server; call again when that is done.');
    await reading;
    expect(await open().remove(RUN)).toBeGreaterThan(0);
  });
});
