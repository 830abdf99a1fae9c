/**
 * What mutation testing changes, by the name of the module, and the tests that must notice it.
 *
 * @type {Record<string, { mutate: string[]; tests: string[] }>}
 */
export const modules = {
  api: {
    mutate: ['src/api/*.ts'],
    tests: ['test/api/*.test.ts'],
  },
  redaction: {
    mutate: ['src/lib/redact.ts', 'src/lib/visible-text.ts'],
    tests: ['test/lib/redact.test.ts', 'test/lib/visible-text.test.ts', 'test/api/secrets.test.ts'],
  },
  sanitise: {
    mutate: ['src/domain/har/sanitise/*.ts'],
    tests: ['test/domain/har/sanitise*.test.ts', 'test/domain/har/hostile-addresses.test.ts'],
  },
  'sign-in': {
    mutate: ['src/sign-in/*.ts'],
    tests: ['test/sign-in/*.test.ts'],
  },
  statement: {
    mutate: ['src/workspace/query/check-statement.ts'],
    tests: ['test/workspace/query/check-statement.test.ts'],
  },
};
