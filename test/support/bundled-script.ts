import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Bundles a script of the tests as the product is, so that its process starts quickly; answers its path in the directory. It finds what
 * the product ships (the process of DuckDB) as the sources do.
 */
export function bundledScript(script: string, directory: string): string {
  const build = `import { build } from 'esbuild'; import { executable } from './.ci/build.mjs';
    const [entry, outdir, place] = process.argv.slice(1);
    const define = { 'import.meta.url': JSON.stringify(place) };
    await build({ ...executable, define, entryPoints: [entry], outdir, outExtension: { '.js': '.mjs' } });`;
  const place = pathToFileURL(resolve('src/lib/shipped.ts')).href;
  execFileSync(process.execPath, ['--input-type=module', '-e', build, script, directory, place]);
  return join(directory, `${script.slice(script.lastIndexOf('/') + 1, -'.ts'.length)}.mjs`);
}
