import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** Bundles a script of the tests as the product is, so that its process starts quickly; answers its path in the directory. */
export function bundledScript(script: string, directory: string): string {
  const build = `import { build } from 'esbuild'; import { executable } from './.ci/build.mjs';
    const [entry, outdir] = process.argv.slice(1);
    await build({ ...executable, entryPoints: [entry], outdir, outExtension: { '.js': '.mjs' } });`;
  execFileSync(process.execPath, ['--input-type=module', '-e', build, script, directory]);
  return join(directory, `${script.slice(script.lastIndexOf('/') + 1, -'.ts'.length)}.mjs`);
}
