import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { cp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { writeNotices } from './notices.mjs';

/** What both bundles share: everything inside one folder, so that the product runs without node_modules. */
const shared = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20.18',
  logLevel: 'warning',
  // CommonJS packages inside an ES module ask for `require`.
  banner: { js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);" },
};

/**
 * How the executable is bundled: split, so that a start loads only what it needs. The benchmark bundles what it compares with in the same
 * way.
 */
export const executable = {
  ...shared,
  splitting: true,
  minifySyntax: true,
  minifyWhitespace: true,
  minifyIdentifiers: true,
  chunkNames: 'chunks/[name]-[hash]',
};

/** Bundles of undici what `.ci/undici-parts.cjs` names: the rest (fetch, caches, mocks) costs memory and start-up and is never called. */
const partsOfUndici = {
  name: 'parts-of-undici',
  setup({ onResolve }) {
    onResolve({ filter: /^undici$/ }, () => ({ path: fileURLToPath(new URL('undici-parts.cjs', import.meta.url)) }));
  },
};

/**
 * Bundles the many small files of DuckDB's package, which take longer to find than to run; its native part is found in node_modules, or not
 * at all.
 */
const nativePartOfDuckdb = {
  name: 'native-part-of-duckdb',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^@duckdb\/node-bindings$/ }, ({ path }) => ({ path, namespace: 'duckdb' }));
    onLoad({ filter: /.*/, namespace: 'duckdb' }, ({ path }) => ({
      // From the package that depends on it: not every package manager shows it to others.
      contents: `const { createRequire } = require('node:module');
        module.exports = createRequire(require.resolve('@duckdb/node-api'))('${path}');`,
    }));
  },
};

/** Zones of ten years are enough for dates of holidays: the whole history of the world's clocks is 700 kB. */
const zonesOfTenYears = {
  name: 'zones-of-ten-years',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /^moment-timezone$/ }, ({ resolveDir }) =>
      resolve('moment-timezone/builds/moment-timezone-with-data-10-year-range.min.js', { resolveDir, kind: 'require-call' }),
    );
  },
};

/** What dist/ is made of; the packages are those of the lock file. */
const SOURCES = [
  'src',
  'tools',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  '.ci/build.mjs',
  '.ci/notices.mjs',
  '.ci/undici-parts.cjs',
];
/** Digests of the sources and of dist/ after the last build. */
const STAMP = 'node_modules/.cache/dist.sha256';

/** A digest of names and contents of files and of all below folders. */
export function digestOf(paths) {
  const hash = createHash('sha256');
  for (const path of paths) {
    const files = statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true })
          .map((name) => `${path}/${String(name)}`)
          .toSorted((a, b) => (a < b ? -1 : 1))
      : [path];
    for (const file of files.filter((each) => statSync(each).isFile())) hash.update(`${file}\n`).update(readFileSync(file));
  }
  return hash.digest('hex');
}

/** Whether dist/ is what the sources make, byte by byte: times of files change with every checkout. */
export function isBuilt() {
  return existsSync(STAMP) && existsSync('dist') && readFileSync(STAMP, 'utf8') === `${digestOf(SOURCES)} ${digestOf(['dist'])}`;
}

/** Writes dist/ whole or not at all: a host may start from it at any moment. */
export async function buildProduct() {
  const sources = digestOf(SOURCES); // before the build: what changes meanwhile is built next time
  const staged = `node_modules/.cache/dist-${process.pid}`;
  const replaced = `${staged}-replaced`;
  const listing = execFileSync(process.execPath, [fileURLToPath(await buildScript('src/commands/list-catalogue.ts'))], {
    encoding: 'utf8',
  });
  await rm(staged, { recursive: true, force: true });
  const { metafile } = await build({
    ...executable,
    entryPoints: { main: 'src/main.ts', 'sql-process': 'src/exports/sql-worker.ts' },
    outdir: staged,
    // As text: JSON is read in a third of the time of the same literal.
    define: { LISTED_TOOLS: JSON.stringify(listing) },
    plugins: [partsOfUndici, nativePartOfDuckdb, zonesOfTenYears],
    // Native and optional: found in node_modules, or not at all.
    external: ['@resvg/resvg-js'],
    metafile: true,
  });
  await writeNotices(staged, [metafile, await buildViews(staged)]);
  await cp('node_modules/dejavu-fonts-ttf/ttf/DejaVuSans.ttf', `${staged}/fonts/DejaVuSans.ttf`);
  await cp('node_modules/dejavu-fonts-ttf/LICENSE', `${staged}/fonts/LICENSE`);
  await rename('dist', replaced).catch(() => undefined); // there is none in a fresh clone
  await rename(staged, 'dist');
  await rm(replaced, { recursive: true, force: true });
  await writeFile(STAMP, `${sources} ${digestOf(['dist'])}`);
}

/**
 * Writes the views for hosts: a page for each and one script for all, which is most of their size; the server gives a host both in one HTML
 * file. Gives what the script is made of.
 */
async function buildViews(folder) {
  const { metafile } = await build({
    entryPoints: ['src/views/app/main.ts'],
    outfile: `${folder}/views/view.js`,
    bundle: true,
    platform: 'browser',
    format: 'iife',
    target: 'es2022',
    minify: true,
    logLevel: 'warning',
    metafile: true,
  });
  const source = async (file) => (await readFile(`src/views/app/${file}`, 'utf8')).trimEnd();
  const [page, style] = await Promise.all(['page.html', 'page.css'].map(source));
  for (const [name, title] of [
    ['chart', 'Chart'],
    ['overview', 'Overview'],
  ]) {
    const filled = { '<!-- title -->': title, '/* style */': style, '<!-- view -->': name, '<!-- parts -->': await source(`${name}.html`) };
    const html = Object.entries(filled).reduce((text, [place, words]) => text.replace(place, () => words), page);
    await writeFile(`${folder}/views/${name}.html`, `${html}\n`);
  }
  return metafile;
}

/** Bundles one TypeScript file of the project into the cache and gives its address, to be imported. */
export async function buildScript(entry) {
  const outfile = `node_modules/.cache/scripts/${entry.replaceAll('/', '-').replace(/\.ts$/, '.mjs')}`;
  // It finds what the product ships as the sources do.
  const define = { 'import.meta.url': JSON.stringify(pathToFileURL('src/lib/shipped.ts').href) };
  await build({ ...shared, define, entryPoints: [entry], outfile, packages: 'external' });
  return pathToFileURL(outfile).href;
}
