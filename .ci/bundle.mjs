// Makes bundles for Claude Desktop (.mcpb): node .ci/bundle.mjs [linux-x64 …], without names all systems. Writes
// node_modules/.cache/bundles.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

const CACHE = 'node_modules/.cache';
const OUT = `${CACHE}/bundles`;
const shell = process.platform === 'win32';
const command = (name) => (shell ? `${name}.cmd` : name);

/** The native parts of each system, as their packages are called. `any` has none: no SQL, no pictures. */
const SYSTEMS = {
  'linux-x64': ['@duckdb/node-bindings-linux-x64', '@resvg/resvg-js-linux-x64-gnu'],
  'linux-arm64': ['@duckdb/node-bindings-linux-arm64', '@resvg/resvg-js-linux-arm64-gnu'],
  'darwin-x64': ['@duckdb/node-bindings-darwin-x64', '@resvg/resvg-js-darwin-x64'],
  'darwin-arm64': ['@duckdb/node-bindings-darwin-arm64', '@resvg/resvg-js-darwin-arm64'],
  'win32-x64': ['@duckdb/node-bindings-win32-x64', '@resvg/resvg-js-win32-x64-msvc'],
  any: [],
};
/** What loads the native parts. */
const LOADERS = ['@duckdb/node-api', '@duckdb/node-bindings', '@resvg/resvg-js'];
export const systems = Object.keys(SYSTEMS);

const readJson = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** Folder of a package in the version of the lock file: installed here, or fetched and checked against the lock file. */
function packageFolder(name) {
  const { version, integrity } = readJson('package-lock.json').packages[`node_modules/${name}`];
  if (existsSync(`node_modules/${name}/package.json`)) return `node_modules/${name}`;
  const place = `${CACHE}/native/${name.replace('/', '+')}-${version}`;
  if (existsSync(`${place}/package/package.json`)) return `${place}/package`;
  mkdirSync(place, { recursive: true });
  const [{ filename }] = JSON.parse(
    execFileSync(command('npm'), ['pack', `${name}@${version}`, '--json', '--pack-destination', place], {
      shell,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }),
  );
  const tarball = join(place, filename);
  const digest = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  if (digest !== integrity) throw new Error(`${name}@${version} is not what the lock file says: ${digest}, not ${integrity}`);
  execFileSync('tar', ['-xzf', filename], { cwd: place });
  rmSync(tarball);
  return `${place}/package`;
}

/** Makes the bundle of one system from dist/ and gives its path. */
export function makeBundle(system) {
  const { name, version, type, engines } = readJson('package.json');
  const staged = `${CACHE}/bundle-${system}-${process.pid}`;
  const file = `${OUT}/${name}-${version}-${system}.mcpb`;
  rmSync(staged, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  try {
    for (const path of ['dist', 'assets/icon.png', 'LICENSE', 'README.md']) cpSync(path, `${staged}/${path}`, { recursive: true });
    const natives = SYSTEMS[system].length > 0 ? [...LOADERS, ...SYSTEMS[system]] : [];
    for (const native of natives) cpSync(packageFolder(native), `${staged}/node_modules/${native}`, { recursive: true, dereference: true });
    writeFileSync(`${staged}/package.json`, JSON.stringify({ name, version, type, engines, private: true }));
    const manifest = readJson('manifest.json');
    const platforms = system === 'any' ? manifest.compatibility.platforms : [system.split('-')[0]];
    writeFileSync(
      `${staged}/manifest.json`,
      JSON.stringify({ ...manifest, compatibility: { ...manifest.compatibility, platforms } }, null, 2),
    );
    rmSync(file, { force: true });
    execFileSync(process.execPath, [resolve('node_modules/@anthropic-ai/mcpb/dist/cli/cli.js'), 'pack', staged, file], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    return file;
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
}

/** The registry's entry with these bundles: their addresses in the release and their digests. */
function entryWith(bundles) {
  const entry = readJson('server.json');
  const [{ environmentVariables }] = entry.packages;
  const packages = bundles.map((file) => ({
    registryType: 'mcpb',
    identifier: `${entry.repository.url}/releases/download/v${entry.version}/${file.split('/').at(-1)}`,
    version: entry.version,
    fileSha256: createHash('sha256').update(readFileSync(file)).digest('hex'),
    transport: { type: 'stdio' },
    environmentVariables,
  }));
  return { ...entry, packages: [...entry.packages, ...packages] };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const wanted = process.argv.slice(2);
  const bundles = (wanted.length > 0 ? wanted : systems).map((system) => {
    if (!Object.hasOwn(SYSTEMS, system)) throw new Error(`no system "${system}"; there are ${systems.join(', ')}`);
    const file = makeBundle(system);
    console.log(`${file}  ${(statSync(file).size / 1e6).toFixed(1)} MB`);
    return file;
  });
  writeFileSync(`${OUT}/server.json`, `${JSON.stringify(entryWith(bundles), null, 2)}\n`);
}
