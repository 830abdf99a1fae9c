import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    root: new URL('..', import.meta.url).pathname,
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/support/property-seed.ts'],
    pool: 'threads',
    isolate: false,
    // Two at the least, because tests wait for processes that they start.
    maxWorkers: Math.max(2, availableParallelism()),
    testTimeout: 60_000, // only ends what hangs: a machine with other work takes several times as long
    hookTimeout: 60_000, // some wait for the bundle to be built
  },
});
