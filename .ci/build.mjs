import { execFileSync } from 'node:child_process';
import { rm } from 'node:fs/promises';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';

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

/** Writes dist/: the executable, split so that a start loads only what it needs. */
export async function buildProduct() {
  const listing = execFileSync(process.execPath, [fileURLToPath(await buildScript('src/commands/list-catalogue.ts'))], {
    encoding: 'utf8',
  });
  await rm('dist', { recursive: true, force: true });
  await build({
    ...shared,
    entryPoints: { main: 'src/main.ts' },
    outdir: 'dist',
    define: { LISTED_TOOLS: listing },
    splitting: true,
    minifySyntax: true,
    minifyWhitespace: true,
    chunkNames: 'chunks/[name]-[hash]',
  });
}

/** Bundles one TypeScript file of the project into the cache and gives its address, to be imported. */
export async function buildScript(entry) {
  const outfile = `node_modules/.cache/scripts/${entry.replaceAll('/', '-').replace(/\.ts$/, '.mjs')}`;
  await build({ ...shared, entryPoints: [entry], outfile, packages: 'external' });
  return pathToFileURL(outfile).href;
}
