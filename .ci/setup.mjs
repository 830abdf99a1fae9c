// All set-up of a fresh clone: packages as locked, then the bundle. Plain JavaScript, because it runs before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
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

/** Packages that lie in node_modules by now. */
function installed() {
  if (!existsSync('node_modules')) return 0;
  const names = readdirSync('node_modules').filter((name) => !name.startsWith('.'));
  return names.reduce((sum, name) => sum + (name.startsWith('@') ? readdirSync(`node_modules/${name}`).length : 1), 0);
}

const PROGRESS_MS = 3_000;

/** Says every few seconds how far it is: npm itself says nothing before its end. Gives what ends that. */
function showProgress() {
  const startedMs = Date.now();
  const timer = setInterval(() => {
    console.error(`… ${Math.round((Date.now() - startedMs) / 1000)} s, ${installed()} packages so far`);
  }, PROGRESS_MS);
  return () => clearInterval(timer);
}

async function install() {
  const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return;
  console.error('Installing packages; on most lines this takes less than a minute …');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const child = spawn(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  const stop = showProgress();
  const [status] = await once(child, 'exit').finally(stop);
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(STAMP, lock);
}

requireNode();
await install();
const { buildProduct } = await import('./build.mjs');
await buildProduct();
