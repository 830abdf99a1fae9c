// Mutates one module and prints which changes no test noticed: node test/mutation/index.mjs sign-in [file …]
import { spawnSync } from 'node:child_process';
import process from 'node:process';
import { modules } from './modules.mjs';

const [name = '', ...files] = process.argv.slice(2);
const mutated = modules[name];
if (!mutated) {
  console.error(`"${name}" is no module of mutation testing. Name one of: ${Object.keys(modules).join(', ')}.`);
  process.exit(2);
}
// What neither it nor its tests have changed since is not run again.
const known = `node_modules/.cache/mutation/${name}.json`;
const mutate = (files.length > 0 ? files : mutated.mutate).join(',');
const args = ['run', 'test/mutation/stryker.json', '--mutate', mutate, '--incrementalFile', known];
const { status } = spawnSync('node_modules/.bin/stryker', args, { stdio: 'inherit', env: { ...process.env, MUTATED_MODULE: name } });
process.exit(status ?? 1);
