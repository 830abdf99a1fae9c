import { defineConfig } from 'vitest/config';

/** The tests of the part that is mutated, and nothing slower. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    setupFiles: ['test/support/property-seed.ts', 'test/mutation/leave-out-slow.ts'],
    include: process.env['MUTATION_TESTS']?.split(',') ?? [],
    pool: 'threads',
    isolate: false,
    testTimeout: 20_000,
  },
});
