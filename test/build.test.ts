import { mkdirSync, renameSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { digestOf } from '../.ci/build.mjs';
import { temporaryFolder } from './support/folder.ts';

it('what is built is built anew where a name or the content of a source changes, and not where only its time does', () => {
  const folder = temporaryFolder();
  const file = join(folder, 'deep', 'a.ts');
  mkdirSync(join(folder, 'deep'));
  writeFileSync(file, 'one');
  const first = digestOf([folder]);
  utimesSync(file, new Date(0), new Date(0));
  expect(digestOf([folder])).toBe(first);
  writeFileSync(file, 'two');
  const second = digestOf([folder]);
  expect(second).not.toBe(first);
  renameSync(file, join(folder, 'deep', 'b.ts'));
  expect(digestOf([folder])).not.toBe(second);
});
