import { existsSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import process from 'node:process';

const isSkip = (status) => status === 'pending' || status === 'skipped' || status === 'todo';

/** How many tests a run left to `npm run full`. */
export const leftToTheNight = ({ testResults }) =>
  testResults.flatMap(({ assertionResults }) => assertionResults).filter(({ status, tags }) => isSkip(status) && tags?.includes('nightly'))
    .length;

const LIST = 'test/allowed-skips.json';

/**
 * Tests that were skipped although `test/allowed-skips.json` does not allow it on this platform, and entries of it that name no test: one
 * sentence each. Tests tagged `nightly` may be skipped: `npm run full` runs them.
 */
export function wrongSkips({ testResults }, allowed = JSON.parse(readFileSync(LIST, 'utf8')), platform = process.platform) {
  const tests = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map(({ fullName, status, tags }) => ({
      file: relative(process.cwd(), name).replaceAll('\\', '/'),
      test: fullName.trim(),
      isSkipped: isSkip(status) && !tags?.includes('nightly'),
    })),
  );
  const isSame = (entry, { file, test }) => entry.file === file && entry.test === test;
  // Not every run runs every file.
  const wasRun = ({ file }) => tests.some((each) => each.file === file);
  const isAllowed = (each) => allowed.some((entry) => isSame(entry, each) && entry.where.includes(platform));
  return [
    ...tests
      .filter((each) => each.isSkipped && !isAllowed(each))
      .map(({ file, test }) => `${file}: "${test}" was skipped; let it run, or list it with the reason in ${LIST}`),
    ...allowed
      .filter((entry) => (wasRun(entry) || !existsSync(entry.file)) && !tests.some((each) => isSame(entry, each)))
      .map(({ file, test }) => `${LIST} lists "${test}" of ${file}, which is no test`),
  ];
}
