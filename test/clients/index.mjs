// Connects the built server to the clients that hosts are built on, over stdio and HTTP, and prints a table, which `--write`
// puts into docs/hosts.md; fails where one of them fails.
// They are no dependencies of the project: they are installed from the registry into a folder of their own.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { CLIENTS } from './clients.mjs';

const LONGEST_MS = 120_000;
const here = fileURLToPath(new URL('.', import.meta.url));
const bundle = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const read = (path) => JSON.parse(readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8'));
const own = read('package.json').devDependencies;
const toolCount = read('manifest.json').tools.length;
const world = ['--demo', '--clock', '2026-11-20T10:00:00Z'];

function install(folder) {
  const dependencies = Object.fromEntries(CLIENTS.map(({ name, version }) => [name, version ?? own[name]]));
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type: 'module', dependencies }));
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  execFileSync(npm, ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    shell: process.platform === 'win32',
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  for (const part of ['drivers', 'command.mjs', 'exercise.mjs']) cpSync(join(here, part), join(folder, part), { recursive: true });
}

/** Starts the server over HTTP; gives its address. */
async function serve() {
  const child = spawn(process.execPath, [bundle, 'serve', '--http', '--port', '0', ...world], { stdio: ['ignore', 'ignore', 'pipe'] });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (chunk) => (log += chunk));
  for (;;) {
    const url = /listens on ([^\s"]+)["\n]/.exec(log)?.[1];
    if (url) return { url, stop: () => child.kill() };
    if (child.exitCode !== null) throw new Error(`The server ended: ${log}`);
    await Promise.race([once(child.stderr, 'data'), once(child, 'exit')]);
  }
}

/** What a client saw of a server. */
async function exercise(folder, driver, server) {
  const child = spawn(process.execPath, ['exercise.mjs', driver, JSON.stringify(server)], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: LONGEST_MS,
  });
  const written = { stdout: '', stderr: '' };
  for (const stream of ['stdout', 'stderr']) child[stream].setEncoding('utf8').on('data', (chunk) => (written[stream] += chunk));
  const [code, signal] = await once(child, 'close');
  const last = written.stdout.trimEnd().split('\n').at(-1) ?? '';
  if (code === 0 && last.startsWith('{')) {
    const seen = JSON.parse(last);
    return seen.tools === toolCount ? seen : { problem: `${seen.tools} of ${toolCount} tools`, ...seen };
  }
  return { calls: 0, problem: signal ? `no end within ${LONGEST_MS / 1000} s` : written.stderr.slice(-500) };
}

/** `all tools, 3 calls, a resource` */
function outcome({ calls, resource, problem }) {
  return problem ? `fails: ${problem.replaceAll(/\s+/g, ' ').slice(0, 300)}` : `all tools, ${calls} calls${resource ? ', a resource' : ''}`;
}

function writeTable(table) {
  const page = new URL('../../docs/hosts.md', import.meta.url);
  const text = readFileSync(page, 'utf8');
  writeFileSync(
    page,
    text.replace(/(<!-- clients -->\n\n)(\|.*\n)*/, (_, mark) => `${mark}${table}\n`),
  );
}

const folder = mkdtempSync(join(tmpdir(), 'clients-'));
let failures = 0;
try {
  install(folder);
  const http = await serve();
  const lines = ['| client | version | stdio | HTTP |', '| --- | --- | --- | --- |'];
  for (const { name, driver } of CLIENTS) {
    const { version } = JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8'));
    const seen = [
      await exercise(folder, driver, { command: process.execPath, args: [bundle, ...world] }),
      await exercise(folder, driver, { url: http.url }),
    ];
    failures += seen.filter(({ problem }) => problem !== undefined).length;
    lines.push(`| ${name} | ${version} | ${seen.map(outcome).join(' | ')} |`);
  }
  http.stop();
  console.log(lines.join('\n'));
  if (process.argv.includes('--write') && failures === 0) writeTable(lines.join('\n'));
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);
