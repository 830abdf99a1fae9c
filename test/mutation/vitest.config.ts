import { defineConfig } from 'vitest/config';
import { modules } from './modules.mjs';

/** The tests of the module that is mutated, and nothing slower. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    setupFiles: ['test/support/property-seed.ts', 'test/mutation/leave-out-slow.ts'],
    include: modules[process.env.MUTATED_MODULE ?? '']?.tests ?? [],
    pool: 'threads',
    testTimeout: 20_000,
  },
});
