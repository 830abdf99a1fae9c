import { expect, it } from 'vitest';
import type { Column } from '../../src/exports/query/columns.ts';
import { SqlError } from '../../src/exports/query/sql-process.ts';
import { sqlFailure } from '../../src/exports/sql-errors.ts';

const names: Column[] = ['browser_name', 'session_id', 'errors.message'].map((name) => ({ name, type: 'VARCHAR' }));
const views = [{ name: 'data', columns: names }];

const worded = (kind: string, words: string) => ({ name: 'ApiError', kind, message: expect.stringContaining(words) });

it.each([
  ['missing package', '', 'settings', 'npm install @duckdb/node-api'],
  ['time', '', 'invalid', 'took too long and was stopped. Filter or group earlier'],
  ['memory', 'x', 'invalid', 'needed more memory than it may and was stopped'],
  ['busy', '', 'busy', 'Other queries of this server'],
  ['crash', '', 'invalid', 'ended its process. Write it in another way'],
  ['start', 'it ended with code 1', 'settings', 'The SQL engine did not start: it ended with code 1. This is a fault of the set-up'],
  ['refused', 'exactly one statement is expected, found 2.', 'invalid', 'sql: exactly one statement is expected, found 2.'],
] as const)('%s (%s) is worded', async (reason, message, kind, words) => {
  expect(await sqlFailure(new SqlError(reason, message), views, 'caller')).toMatchObject(worded(kind, words));
});

it.each(['time', 'memory'] as const)('who wrote no SQL is told what else to ask where it takes too much %s', async (reason) => {
  const { message } = (await sqlFailure(new SqlError(reason, ''), views, 'server')) as Error;
  expect(message).toContain('Ask about fewer days (startDate, endDate)');
  expect(message).not.toMatch(/sql:|query|join/);
});

/** What the engine says, and what the answer makes of it. */
const ENGINE_MESSAGES: Readonly<Record<string, string>> = {
  'Binder Error: Referenced column "sesion_id" not found in FROM clause!\nCandidate bindings: "x"\n\nLINE 1: …': 'Nearest: session_id.',
  'Binder Error: Referenced column "zzz" not found in FROM clause!': 'There are: browser_name, session_id, "errors.message".',
  'Binder Error: Values list "d" does not have a column named "browser"\n\nLINE 1: …': 'Nearest: browser_name.',
  'Binder Error: Values list "data" does not have a column named "errors"': 'in double quotes: "errors.message".',
  'Binder Error: Column "sesion_id" in EXCLUDE list not found in FROM clause': 'Nearest: session_id.',
  'Binder Error: Column "sesion_id" does not exist on left side of join!': 'Nearest: session_id.',
  'Binder Error: Referenced column "session_id" not found in FROM clause!\nCandidate bindings: "s"\n\nLINE 1: …':
    'the data have a column "session_id", but not what the statement selects from there, which has "s".',
  'Binder Error: Referenced column "gzip" not found in FROM clause!\n\nLINE 1: SELECT gzip': 'no column "gzip".',
  'Invalid Input Error: Malformed JSON at byte 1 of input: unexpected character.': 'sql: Invalid Input Error: Malformed',
  'Binder Error: Referenced table "errors" not found!': 'a name with a dot stands in double quotes: "errors.message".',
  'Binder Error: Referenced table "e" not found!': 'there is no table "e"; the only one is data.',
  "Conversion Error: Could not convert string '46' to INT32 when casting from source column user_id\n\nLINE 1: …":
    "sql: user_id is text, as ids are: compare it with a text, such as user_id = '1'.",
  'Conversion Error: Could not convert\n\nLINE 1: SELECT\n   ^': 'sql: Conversion Error: Could not convert LINE 1: SELECT',
};

it.each(Object.entries(ENGINE_MESSAGES))('%s is worded', async (message, words) => {
  expect(await sqlFailure(new SqlError('sql', message), views, 'caller')).toMatchObject(worded('invalid', words));
});

it('names the view that has a column, and how another one is joined to it', async () => {
  const keys = ['project_id', 'user_id', 'session_id'];
  const viewOf = (name: string, own: string) => ({
    name,
    columns: [...keys, own].map((each) => ({ name: each, type: 'VARCHAR' as const })),
  });
  const both = [viewOf('sessions', 'device_id'), viewOf('views', 'path')];
  const message = 'Binder Error: Referenced column "device_id" not found in FROM clause!\nCandidate bindings: "view_id"';
  expect(await sqlFailure(new SqlError('sql', message), both, 'caller')).toMatchObject(
    worded(
      'invalid',
      '"device_id" is a column of sessions, not of what the statement selects from: ' +
        'JOIN sessions USING (project_id, user_id, session_id).',
    ),
  );
});

it('a column of several views is listed once', async () => {
  const message = 'Binder Error: Referenced column "zzz" not found in FROM clause!';
  const both = [...views, { ...views[0], name: 'views' }] as typeof views;
  const { message: words } = (await sqlFailure(new SqlError('sql', message), both, 'caller')) as Error;
  expect(words).toContain('There are: browser_name, session_id, "errors.message".');
});

it('leaves other errors as they are', async () => {
  const error = new Error('aborted');
  expect(await sqlFailure(error, views, 'caller')).toBe(error);
});
