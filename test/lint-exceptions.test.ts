import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { temporaryFolder } from './support/folder.ts';
import { textOf } from './support/sources.ts';

interface Override {
  readonly files: readonly string[];
  readonly rules: Readonly<Record<string, unknown>>;
}

const { overrides } = JSON.parse(textOf('.oxlintrc.json')) as { overrides: readonly Override[] };
const shape = overrides.find(({ files }) => files.includes('src/**'));
const rules = shape?.rules ?? {};
/** Files that break a rule of shape today, a pair for each rule that is switched off for them. */
const exceptions = overrides.flatMap((each) =>
  Object.entries(each.rules).flatMap(([rule, level]) =>
    rule in rules && level === 'off' ? each.files.map((file) => ({ rule, file })) : [],
  ),
);

/** What the linter finds where no file is an exception. */
function broken(): Set<string> {
  const config = join(temporaryFolder(), 'oxlint.json');
  writeFileSync(config, JSON.stringify({ categories: { correctness: 'off' }, rules }));
  const args = ['node_modules/oxlint/bin/oxlint', '--config', config, '--format=json', 'src', 'tools'];
  const { stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' });
  const { diagnostics } = JSON.parse(stdout) as { diagnostics: { code: string; filename: string }[] };
  return new Set(diagnostics.map(({ code, filename }) => `${filename} ${/\((.+)\)/.exec(code)?.[1]}`));
}

/** Lower it with each that goes; it is never raised. */
const MOST_EXCEPTIONS = 0;

it('exceptions from the rules of shape only become fewer: a file that keeps a rule leaves the list', () => {
  expect(exceptions.length).toBeLessThanOrEqual(MOST_EXCEPTIONS);
  const found = broken();
  const kept = exceptions.filter(({ rule, file }) => !found.has(`${file} ${rule}`));
  expect(kept, 'take these out of .oxlintrc.json').toEqual([]);
  expect(exceptions.map(({ rule, file }) => `${file} ${rule}`).toSorted()).toEqual([...found].toSorted());
});
