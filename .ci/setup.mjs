// All set-up of a fresh clone: packages as locked, then the bundle. Plain JavaScript, because it runs before anything is installed.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';

const STAMP = 'node_modules/.setup';
const NEEDED = [20, 18, 1];

function requireNode() {
  const have = process.versions.node.split('.').map(Number);
  const index = have.findIndex((part, position) => part !== (NEEDED[position] ?? 0));
  if (index !== -1 && have[index] < (NEEDED[index] ?? 0)) {
    console.error(`Node ${NEEDED.join('.')} or newer is needed; this is ${process.versions.node}.`);
    process.exit(1);
  }
}

function install() {
  const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return;
  console.error('Installing packages …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const done = spawnSync(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (done.status !== 0) process.exit(done.status ?? 1);
  writeFileSync(STAMP, lock);
}

requireNode();
install();
const { buildProduct } = await import('./build.mjs');
await buildProduct();
