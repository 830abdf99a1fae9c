import { expect, it } from 'vitest';
import { changedTests } from '../.ci/changed-tests.mjs';
import { projects } from './projects.ts';

const all = projects().unit;
const unitOf = (...changed: string[]) => projects(changed).unit;

it('of the unit tests a change asks for those that reach a changed file, and those that read files', () => {
  const found = unitOf('src/lib/nearest.ts');
  // It names no module of src: it reads the sources.
  expect(found).toContain('test/sources.test.ts');
  expect(found).not.toContain('test/lib/dates.test.ts');
  const ofDates = unitOf('src/lib/dates.ts');
  expect(ofDates).toContain('test/lib/dates.test.ts');
  expect(ofDates.length).toBeLessThan(all.length);
});

it('of the unit tests a change asks for one whose snapshot changed', { tags: 'nightly' }, () => {
  const always = unitOf('docs/README.md');
  const withoutFiles = all.find((path) => !always.includes(path)) ?? '';
  expect(unitOf(withoutFiles.replace(/([^/]+)$/, '__snapshots__/$1.snap'))).toContain(withoutFiles);
});

it.each(['package.json', 'tsconfig.json', '.ci/check.mjs', 'test/vitest.config.ts', 'test/support/check-places.ts', 'src/lib/nth.ts'])(
  'of the unit tests a change asks for all after a change of %s, on which each depends',
  { tags: 'nightly' },
  (path) => {
    expect(unitOf(path)).toEqual(all);
  },
);

it('of the others a change asks for the folder that mirrors it, or the nearest above where none does', () => {
  expect(changedTests(['src/tooling/names.ts'])).toEqual(['test/tooling/']);
  expect(changedTests(['src/emulator/handlers/metrics.ts'])).toEqual(['test/emulator/']);
  expect(changedTests(['src/main.ts'])).toEqual([]);
  expect(changedTests(['.ci/undici-parts.cjs', '.ci/build.mjs'])).toEqual(['test/built/']);
});

it('of the others a change asks for the test of a tool, and a changed test itself', () => {
  expect(changedTests(['tools/metrics/get-site-visits.ts', 'tools/metrics/index.ts'])).toEqual([
    'test/tools/metrics/get-site-visits',
    'test/tools/metrics',
  ]);
  expect(changedTests(['test/lib/dates.test.ts', 'test/no-more.test.ts', 'docs/tools.md'])).toEqual(['test/lib/dates.test.ts']);
});
