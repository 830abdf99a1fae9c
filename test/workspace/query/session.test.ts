import { afterEach, expect, it } from 'vitest';
import { openSql, type SqlSession } from '../../../src/workspace/query/sql-process.ts';
import { temporaryFolder } from '../../support/folder.ts';

const readable = { views: ['data'], setup: ['CREATE VIEW data AS SELECT * FROM range(10) r(a)'], files: [] };
const limits = { maxRows: 100, maxChars: 10_000 };
const open: SqlSession[] = [];

function session(timeoutMs = 20_000, signal?: AbortSignal): SqlSession {
  const opened = openSql(readable, { directory: temporaryFolder(), holder: 'test', timeoutMs, ...(signal && { signal }) });
  open.push(opened);
  return opened;
}

afterEach(async () => {
  await Promise.all(open.splice(0).map((each) => each.close()));
});

it('answers statements in their order, also those that come before it is ready', { tags: 'nightly' }, async () => {
  const { run } = session();
  const answers = await Promise.all(['min(a)', 'max(a)', 'count(*)'].map((sql) => run({ sql: `SELECT ${sql} AS n FROM data`, ...limits })));
  expect(answers.map(({ rows }) => rows)).toEqual([[[0]], [[9]], [[10]]]);
});

it('keeps the rows of a statement for those after it', { tags: 'nightly' }, async () => {
  const { run } = session();
  await run({ sql: 'SELECT a FROM data WHERE a > 6', keptAs: 'late', ...limits });
  expect((await run({ sql: 'SELECT count(*) AS n FROM late', ...limits })).rows).toEqual([[3]]);
  await expect(session().run({ sql: 'SELECT count(*) AS n FROM late', ...limits })).rejects.toMatchObject({ reason: 'refused' });
});

it.each(['SELECT * FROM duckdb_settings()', "COPY data TO 'x.csv'", "SELECT * FROM 'x.csv'"])(
  'refuses to keep %s',
  { tags: 'nightly' },
  async (sql) => {
    await expect(session().run({ sql, keptAs: 'kept', ...limits })).rejects.toMatchObject({ reason: 'refused' });
  },
);

it('ends at the first statement that fails, with its reason for all that wait', async () => {
  const { run } = session();
  const statements = ['SELECT nothing FROM data', 'SELECT a FROM data'].map((sql) => run({ sql, ...limits }));
  const [first, second] = await Promise.allSettled(statements);
  expect(first).toMatchObject({ status: 'rejected', reason: { reason: 'sql' } });
  expect(second).toMatchObject({ status: 'rejected', reason: { reason: 'sql' } });
  await expect(run({ sql: 'SELECT a FROM data', ...limits })).rejects.toMatchObject({ reason: 'sql' });
});

it('ends when its signal aborts, and when it is closed before it is ready', { tags: 'nightly' }, async () => {
  const ending = new AbortController();
  const endless = session(20_000, ending.signal).run({ sql: 'SELECT count(*) FROM range(1000000000000)', ...limits });
  setTimeout(() => ending.abort(new Error('no longer wanted')), 50);
  await expect(endless).rejects.toThrow('no longer wanted');
  const opened = session();
  const lost = opened.run({ sql: 'SELECT 1', ...limits });
  lost.catch(() => undefined);
  await opened.close();
});
