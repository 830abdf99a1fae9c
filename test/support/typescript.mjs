// Takes the types away as Node loads the modules of tests: node --import ./test/support/typescript.mjs
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transform } from 'esbuild';

// Node runs hooks in a thread of their own, which loads this file again.
if (isMainThread) register(import.meta.url);

/**
 * The hook of Node that gives the source of a module. All else stays Node's own: tsx gives a CommonJS package other exports than the
 * product finds.
 */
export async function load(url, context, nextLoad) {
  if (!/^file:.*\.ts(?:\?|$)/.test(url)) return nextLoad(url, context);
  const path = fileURLToPath(url);
  const source = await readFile(path, 'utf8');
  const { code } = await transform(source, {
    loader: 'ts',
    target: 'node20.18',
    sourcefile: path,
    sourcemap: 'inline',
    sourcesContent: false,
  });
  return { format: 'module', source: code, shortCircuit: true };
}
