// All set-up of a fresh clone: packages as locked, then the bundle. Plain JavaScript, because it runs before anything is installed.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
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

const PROGRESS_MS = 15_000;
const secondsSince = (startedMs) => Math.round((Date.now() - startedMs) / 1000);

/** Says what is done, every few seconds how long it takes, and when it is done; on stderr, because npm's own output may be read. */
async function tell(words, run) {
  const startedMs = Date.now();
  console.error(`${words} …`);
  const timer = setInterval(() => console.error(`  … ${secondsSince(startedMs)} s`), PROGRESS_MS);
  try {
    await run();
  } finally {
    clearInterval(timer);
  }
  console.error(`  done in ${secondsSince(startedMs)} s.`);
}

async function install() {
  const lock = createHash('sha256').update(readFileSync('package-lock.json')).digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return;
  await tell('Installing packages (once)', () => npmCi(lock));
}

async function npmCi(lock) {
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  const child = spawn(npm, ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  const [status] = await once(child, 'exit');
  if (status !== 0) process.exit(status ?? 1);
  writeFileSync(STAMP, lock);
}

requireNode();
await install();
const { buildProduct, isBuilt } = await import('./build.mjs');
if (isBuilt()) console.error('Packages and dist/ are up to date.');
else await tell('Building dist/', buildProduct);
