import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wrongSkips } from '../.ci/skipped-tests.mjs';

const results = (...tests: [file: string, fullName: string, status: string][]) => ({
  testResults: tests.map(([file, fullName, status]) => ({ name: join(process.cwd(), file), assertionResults: [{ fullName, status }] })),
});
const allowed = [{ file: 'test/a.test.ts', test: 'needs a disk', where: ['darwin'], reason: 'There is none.' }];

it('a skipped test is named unless the list allows it on this platform', () => {
  const skipped = results(
    ['test/a.test.ts', 'needs a disk', 'skipped'],
    ['test/b.test.ts', ' looks away', 'pending'],
    ['test/c.test.ts', 'runs', 'passed'],
  );
  expect(wrongSkips(skipped, allowed, 'darwin')).toEqual([
    'test/b.test.ts: "looks away" was skipped; let it run, or list it with the reason in test/allowed-skips.json',
  ]);
  expect(wrongSkips(skipped, allowed, 'linux')).toHaveLength(2);
});

it('a test of the night is skipped by day without a word', () => {
  const [file] = results(['test/a.test.ts', 'takes seconds', 'skipped']).testResults;
  const tagged = file?.assertionResults.map((each) => ({ ...each, tags: ['nightly'] })) ?? [];
  expect(wrongSkips({ testResults: [{ name: file?.name ?? '', assertionResults: tagged }] }, [], 'linux')).toEqual([]);
});

it('an entry of the list that names no test is named, so that the list does not outlive its tests', () => {
  expect(wrongSkips(results(['test/a.test.ts', 'has another name', 'passed']), allowed, 'darwin')).toEqual([
    'test/allowed-skips.json lists "needs a disk" of test/a.test.ts, which is no test',
  ]);
  // This file exists, and this run had none of its tests; the other does not exist.
  const [one] = allowed;
  const list = ['test/skipped-tests.test.ts', 'test/gone.test.ts'].map((file) => ({ ...one, file }));
  expect(wrongSkips(results(), list, 'linux')).toEqual([
    'test/allowed-skips.json lists "needs a disk" of test/gone.test.ts, which is no test',
  ]);
});
