import { defineConfig } from 'vitest/config';

/** The tests of the modules that are mutated, and nothing slower. */
export default defineConfig({
  test: {
    root: new URL('../..', import.meta.url).pathname,
    setupFiles: ['test/support/property-seed.ts'],
    include: [
      'test/lib/redact.test.ts',
      'test/lib/visible-text.test.ts',
      'test/domain/har/sanitise*.test.ts',
      'test/workspace/query/check-statement.test.ts',
    ],
    // Not what measures time, nor what reads large files: hundreds of mutants run them.
    testNamePattern: /^(?!.*(stays linear|cleaned quickly|is searched for as it is|\.har:))/,
    pool: 'threads',
    testTimeout: 20_000,
  },
});
