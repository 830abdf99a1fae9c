import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkStatement, openDatabase } from '../../../src/exports/query/database.ts';

type Database = Awaited<ReturnType<typeof openDatabase>>;

let database: Database | undefined;
beforeAll(async () => {
  database = await openDatabase({ setup: [], files: [], memoryBytes: 2 ** 27, threads: 1 });
});
afterAll(() => database?.closeSync());

/** What the check says about a statement; "runs" where it has nothing against it. */
async function verdict(sql: string, views: readonly string[] = ['data']): Promise<string> {
  if (!database) throw new Error('The database is not open yet.');
  return checkStatement(database, sql, views).then(
    () => 'runs',
    (error: Error) => error.message,
  );
}

const ONE_SELECT = 'only a single SELECT statement runs here (no COPY, ATTACH, PRAGMA, SET, EXPLAIN; a PIVOT names its values with IN).';

it.each([
  'SELECT 1',
  'SELECT * FROM data',
  'SELECT * FROM DATA',
  'SELECT * FROM main.data',
  'SELECT * FROM MEMORY.Main.data',
  'WITH own AS (SELECT 1 AS a) SELECT * FROM own',
  'WITH Own AS (SELECT 1 AS a) SELECT * FROM OWN',
  'SELECT * FROM (WITH inner_part AS (SELECT 1) SELECT * FROM inner_part)',
  'SELECT * FROM range(3)',
  'SELECT * FROM RANGE(3)',
  'SELECT RANGE(3), main.upper(path) FROM data',
  'SELECT unnest([1, 2])',
  'SELECT count(*), SUM(a) FROM data',
  'DESCRIBE data',
  'SUMMARIZE "data"',
  'SHOW DATA',
  'DESCRIBE SELECT 1',
])('a statement runs %s', async (sql) => {
  expect(await verdict(sql)).toBe('runs');
});

it('a statement runs over each of several views', async () => {
  const views = ['sessions', 'views'];
  expect(await verdict('SELECT * FROM sessions JOIN views USING (session_id)', views)).toBe('runs');
});

describe('a statement is refused, and the words say why', () => {
  it.each([
    ['SELECT * FROM elsewhere', 'there is no table "elsewhere"; the only one is data.'],
    ['SELECT * FROM other.data', 'there is no table "data"; the only one is data.'],
    ['SELECT * FROM x.main.data', 'there is no table "data"; the only one is data.'],
    ['SELECT * FROM memory.data', 'there is no table "data"; the only one is data.'],
    ['SELECT * FROM mainx.data', 'there is no table "data"; the only one is data.'],
    ['SELECT * FROM xmain.data', 'there is no table "data"; the only one is data.'],
    ['WITH own AS (SELECT 1) SELECT * FROM main.own', 'there is no table "own"; the only one is data.'],
    ['SELECT * FROM duckdb_settings', 'there is no table "duckdb_settings"; the only one is data.'],
    ['WITH duckdb_settings AS (SELECT 1) SELECT * FROM duckdb_settings', 'there is no table "duckdb_settings"; the only one is data.'],
    ['WITH PG_class AS (SELECT 1) SELECT * FROM PG_class', 'there is no table "PG_class"; the only one is data.'],
    ['SELECT * FROM pragma_version()', 'pragma_version cannot be read from; the data are the view data.'],
    ["SELECT * FROM read_text('/etc/passwd')", 'read_text cannot be read from; the data are the view data.'],
    ["SELECT (SELECT content FROM READ_TEXT('x'))", 'read_text cannot be read from; the data are the view data.'],
    ["SELECT getenv('HOME')", 'the function getenv is not available here.'],
    ["SELECT list_transform([1], lambda x: getenv('HOME'))", 'the function getenv is not available here.'],
    ['SELECT * FROM other.range(3)', 'the function range is not available here.'],
    ['SELECT other.upper(path) FROM data', 'the function upper is not available here.'],
    ['SHOW ALL TABLES', 'call without sql to see what there is.'],
    ['SHOW TABLES FROM main', 'call without sql to see what there is.'],
    ['SELECT * FROM (SHOW TABLES FROM information_schema)', 'call without sql to see what there is.'],
    ['SHOW DATABASES', 'call without sql to see what there is.'],
    ['DESCRIBE elsewhere', 'there is no table "elsewhere"; the only one is data.'],
    ['SELECT 1; SELECT 2', 'exactly one statement is expected, found 2.'],
    ['', 'exactly one statement is expected, found 0.'],
    ["COPY data TO 'x'", ONE_SELECT],
    ['SET threads = 1', ONE_SELECT],
    ['EXPLAIN SELECT 1', ONE_SELECT],
    ['SELECT 1\u0000', 'a statement holds no NUL character.'],
  ])('%s', async (sql, words) => {
    expect(await verdict(sql)).toBe(words);
  });

  it('with the place of a mistake in it', async () => {
    expect(await verdict('SELEC 1')).toMatch(/^this is not valid SQL: syntax error at or near "SELEC"/);
  });

  it('with all views, where there are several', async () => {
    const views = ['sessions', 'views'];
    expect(await verdict('SELECT * FROM data', views)).toBe('there is no table "data"; there are sessions, views.');
    expect(await verdict("SELECT * FROM glob('*')", views)).toBe('glob cannot be read from; the data are the views sessions, views.');
  });

  it('for the first fault alone', async () => {
    expect(await verdict("SELECT getenv('A') FROM elsewhere, data")).not.toMatch(/\. .*\./);
  });
});
