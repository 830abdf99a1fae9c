import { availableParallelism } from 'node:os';
import process from 'node:process';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { projects, SETUP_FILES } from './projects.ts';

/** What the projects share; a project sees nothing of the others' files. */
const shared: TestProjectInlineConfiguration['test'] = {
  root: new URL('..', import.meta.url).pathname,
  setupFiles: SETUP_FILES,
  // Processes rather than threads: a program that a test starts takes longer to start, the more memory its parent holds.
  pool: 'forks',
  isolate: false,
  // Tests make much that is soon forgotten: fewer collections.
  execArgv: ['--max-semi-space-size=64', '--import', './test/support/typescript.mjs'],
  testTimeout: 180_000, // only ends what hangs: a machine with other work takes several times as long
  hookTimeout: 180_000, // some wait for the bundle to be built
};

/** .ci/run runs what needs the engines that it installs. */
const hasEngines = process.env['CI'] === 'true';
const { unit, product, long, full } = projects(process.env['CHANGED_FILES']?.split(','));
/** Beginnings of the paths of the tests beside `unit` that are to run; left out: all. */
const wanted = process.env['PRODUCT_TESTS']?.split(',');
const among = (paths: string[], beginning: string) => paths.filter((path) => path.startsWith(beginning));
const chosenOf = (paths: string[]) => (wanted === undefined ? paths : [...new Set(wanted.flatMap((beginning) => among(paths, beginning)))]);
/** Long tests follow a change only where no quicker one does: .ci/run has them all. */
const longWanted =
  wanted === undefined ? long : wanted.filter((beginning) => among(product, beginning).length === 0).flatMap((each) => among(long, each));
export default defineConfig({
  test: {
    tags: [{ name: 'nightly', description: 'Takes seconds; quicker tests of the same file or its neighbours hold the same code by day.' }],
    // In modules that Vite runs, V8 does not inline the getter before a call of an imported function: statistics take four times as long.
    experimental: { viteModuleRunner: false, nodeLoader: false },
    // Which module imports which is told to vitest for watching alone: a worker that ends before it was heard has lost nothing. Where Node
    // has synchronous hooks, vitest leaves this error out by itself.
    onUnhandledError: ({ name, message }) => name !== 'EnvironmentTeardownError' || !message.includes('"ensureModuleGraphEntry"'),
    // Each makes the emulated days and loads the modules once more. Those that start engines and kill processes wait for more than half of
    // their time; without them a worker keeps a processor busy.
    maxWorkers: (hasEngines ? 2 : 1) * availableParallelism(),
    projects: [
      { test: { ...shared, name: 'product', include: chosenOf(product) } },
      { test: { ...shared, name: 'unit', include: unit } },
      { test: { ...shared, name: 'long', include: [...new Set(longWanted)] } },
      { test: { ...shared, name: 'full', include: full, env: { FULL_SAMPLES: 'true' } } },
    ],
  },
});
