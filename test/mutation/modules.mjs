const ofApi = (...names) => names.map((name) => `src/api/${name}.ts`);
const testsOfApi = (...names) => names.map((name) => `test/api/${name}.test.ts`);
const ofSignIn = (...names) => names.map((name) => `src/sign-in/${name}.ts`);
const testsOfSignIn = (...names) => names.map((name) => `test/sign-in/${name}.test.ts`);

/**
 * What mutation testing changes, by the name of the module: parts, each with the tests that must notice a change of it. A part has the
 * tests that are about it and not all that reach it, because each mutant runs them; what is said in its parts of `src/api/operations`,
 * `params.ts` and `operation.ts` is declared and not computed.
 *
 * @type {Record<string, { mutate: string[]; tests: string[] }[]>}
 */
export const modules = {
  api: [
    { mutate: ofApi('limiter'), tests: testsOfApi('limiter') },
    { mutate: ofApi('deadline'), tests: testsOfApi('deadline', 'retry') },
    { mutate: ofApi('errors'), tests: testsOfApi('exchange') },
    { mutate: ofApi('exchange', 'wire'), tests: testsOfApi('exchange', 'wire', 'client', 'operations') },
    { mutate: ofApi('tokens'), tests: testsOfApi('tokens', 'projects') },
    { mutate: ofApi('auth-server'), tests: testsOfApi('auth', 'auth-server', 'projects') },
    { mutate: ofApi('all-pages'), tests: testsOfApi('all-pages') },
    {
      mutate: ofApi('client'),
      tests: testsOfApi('client', 'auth', 'projects', 'kept-lists', 'read-cache'),
    },
    { mutate: ofApi('read-cache'), tests: testsOfApi('read-cache', 'kept-lists') },
    {
      mutate: ofApi('json', 'connections'),
      tests: testsOfApi('json', 'network-rules', 'hostile-answers', 'http'),
    },
    { mutate: ofApi('http'), tests: testsOfApi('http', 'hostile-answers') },
    { mutate: ofApi('check-input', 'metric-names'), tests: testsOfApi('check-input', 'operations', 'client') },
  ],
  redaction: [
    {
      mutate: ['src/lib/redact.ts', 'src/lib/visible-text.ts'],
      tests: ['test/lib/redact.test.ts', 'test/lib/visible-text.test.ts'],
    },
  ],
  sanitise: [
    { mutate: ['src/har/sanitise/sanitise-headers.ts'], tests: ['test/har/sanitise-headers.test.ts'] },
    { mutate: ['src/har/sanitise/sanitise-har.ts'], tests: ['test/har/sanitise.test.ts'] },
    {
      mutate: ['src/har/sanitise-url.ts'],
      tests: ['test/har/sanitise-url.test.ts', 'test/har/hostile-addresses.test.ts'],
    },
  ],
  'sign-in': [
    { mutate: ofSignIn('credentials', 'private-file'), tests: testsOfSignIn('credentials', 'private-file') },
    { mutate: ofSignIn('oauth', 'principal'), tests: testsOfSignIn('oauth', 'issuer-keys', 'challenge') },
    { mutate: ofSignIn('static-tokens'), tests: testsOfSignIn('static-tokens') },
  ],
  statement: [{ mutate: ['src/exports/query/database.ts'], tests: ['test/exports/query/check-statement.test.ts'] }],
};
