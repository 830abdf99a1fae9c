import { availableParallelism } from 'node:os';
import process from 'node:process';
import { defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';
import { projects } from './projects.ts';

/** What the projects share; a project sees nothing of the others' files. */
const shared: TestProjectInlineConfiguration['test'] = {
  root: new URL('..', import.meta.url).pathname,
  setupFiles: ['test/support/property-seed.ts', 'test/support/check-places.ts'],
  pool: 'threads',
  isolate: false,
  testTimeout: 60_000, // only ends what hangs: a machine with other work takes several times as long
  hookTimeout: 60_000, // some wait for the bundle to be built
};

const { unit, product, long } = projects();
/** Beginnings of the paths of product tests that are to run; left out: all. */
const wanted = process.env['PRODUCT_TESTS']?.split(',');
const isWanted = (path: string) => wanted === undefined || wanted.some((beginning) => path.startsWith(beginning));
/** Where the full samples run too, the smaller ones of the same files are no news. */
const inFull = new Set(process.env['CI'] === 'true' ? long : []);
const isNews = (path: string) => !inFull.has(path);

export default defineConfig({
  test: {
    // One more than processors, because tests wait for deadlines and for processes that they start.
    maxWorkers: availableParallelism() + 1,
    projects: [
      { test: { ...shared, name: 'product', include: product.filter(isWanted).filter(isNews) } },
      { test: { ...shared, name: 'unit', include: unit.filter(isNews) } },
      { test: { ...shared, name: 'long', include: long, env: { FULL_SAMPLES: 'true' } } },
    ],
  },
});
