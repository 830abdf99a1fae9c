// Mutates a module, lists the changes that no test noticed, and prints its score: node test/mutation/index.mjs sign-in [file …]
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import process from 'node:process';
import { modules } from './modules.mjs';

const [name = '', ...files] = process.argv.slice(2);
const parts = modules[name];
if (!parts) {
  console.error(`"${name}" is no module of mutation testing. Name one of: ${Object.keys(modules).join(', ')}.`);
  process.exit(2);
}

/** What came of each mutant of a part; what neither it nor its tests have changed since is not run again. */
const resultsOf = ({ mutate: [first] }) => `node_modules/.cache/mutation/${name}-${basename(first, '.ts')}.json`;

for (const part of parts) {
  const { mutate, tests } = part;
  if (files.length > 0 && !files.some((file) => mutate.includes(file))) continue;
  const args = ['run', 'test/mutation/stryker.json', '--mutate', mutate.join(','), '--incrementalFile', resultsOf(part)];
  const env = { ...process.env, MUTATION_TESTS: tests.join(',') };
  const { status } = spawnSync('node_modules/.bin/stryker', args, { stdio: 'inherit', env });
  if (status !== 0) process.exit(status ?? 1);
}

const rows = [];
for (const path of parts.map(resultsOf).filter(existsSync)) {
  for (const [file, { mutants }] of Object.entries(JSON.parse(readFileSync(path, 'utf8')).files)) {
    const count = (...statuses) => mutants.filter(({ status }) => statuses.includes(status)).length;
    rows.push({ file, noticed: count('Killed', 'Timeout'), missed: count('Survived', 'NoCoverage') });
  }
}
const sum = (member) => rows.reduce((total, row) => total + row[member], 0);
for (const { file, noticed, missed } of [...rows, { file: name, noticed: sum('noticed'), missed: sum('missed') }]) {
  const all = noticed + missed;
  if (all > 0) console.log(`${((100 * noticed) / all).toFixed(1).padStart(5)} % of ${String(all).padStart(4)} mutants noticed: ${file}`);
}
