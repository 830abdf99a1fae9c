import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, it } from 'vitest';
import { demoDirectory, sweepDemoDirectories } from '../../src/commands/directories.ts';
import { temporaryFolder } from '../support/folder.ts';

it('what a killed demo left goes with the next one; that of a running demo and of others stays', async () => {
  const folder = temporaryFolder();
  const { pid: ended } = spawnSync(process.execPath, ['--version']);
  const left = demoDirectory(folder, ended);
  const own = demoDirectory(folder);
  const kept = [
    own,
    join(folder, `web-analytics-demo-00000000-${ended}-${basename(left).slice(-36)}`),
    join(folder, 'web-analytics-demo-notes'),
  ];
  for (const directory of [left, ...kept]) mkdirSync(join(directory, 'local'), { recursive: true });
  writeFileSync(join(left, 'local', 'part-00001.jsonl.gz'), 'rows');
  await sweepDemoDirectories(folder);
  expect(readdirSync(folder).toSorted()).toEqual(kept.map((path) => basename(path)).toSorted());
  await expect(sweepDemoDirectories(join(folder, 'absent'))).resolves.toBeUndefined();
});
