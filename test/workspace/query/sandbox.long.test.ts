import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { checkStatement, openDatabase } from '../../../src/workspace/query/database.ts';
import { openSql, runSql, type SqlOptions, type SqlSession } from '../../../src/workspace/query/sql-process.ts';
import { someOf } from '../../support/sample-size.ts';
import { attacks, bombs, inquiries, strange } from './attacks.ts';

const SECRET = 'the-secret-that-nobody-may-read';
const MACHINE = { memoryBytes: 2 ** 28, threads: 1 };
/** The only file that statements may read, and the view that they read it by. */
const OWN = 'table.parquet';
const readable = { views: ['data'], setup: [`CREATE VIEW data AS FROM read_parquet(['${OWN}'])`], files: [OWN] };
const limits = { maxRows: 1_000, maxChars: 4_000_000 };

const root = mkdtempSync(join(tmpdir(), 'sandbox-'));
const [directory, outside] = [join(root, 'data'), join(root, 'outside')];
const own = join(directory, OWN);

beforeAll(async () => {
  for (const path of [directory, outside]) mkdirSync(path);
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  symlinkSync(join(outside, 'secret.txt'), join(outside, 'link.txt'));
  const database = await openDatabase({ ...MACHINE, setup: [], files: [own] });
  await database.run(`COPY (SELECT '7' AS user_id, 'Chrome' AS browser_name) TO '${own}'`);
  database.closeSync();
});
afterAll(() => rmSync(root, { recursive: true }));

const options = (more: Partial<SqlOptions> = {}): SqlOptions => ({ directory, holder: 'test', timeoutMs: 20_000, ...more });
const query = (sql: string, more: Partial<SqlOptions> = {}) => runSql({ ...readable, ...limits, sql }, options(more));

async function opened(setup: readonly string[], files: readonly string[] = []) {
  const database = await openDatabase({ ...MACHINE, setup, files });
  onTestFinished(() => database.closeSync());
  return database;
}

function outcomeOf(sql: string): Promise<string> {
  return query(sql).then(
    ({ rows }) => `answered: ${JSON.stringify(rows)}`,
    (error: Error) => `${error.name}: ${error.message}`,
  );
}

const ANALYST_VIEW = `CREATE VIEW data AS SELECT 'u' || i AS user_id, i AS session_id, TIMESTAMP '2026-11-01' + to_hours(i::INTEGER) AS t,
  i * 1.5 AS revenue, ['a', 'b'] AS skus, '/p?x=' || i AS path, '{"k":1}' AS j FROM range(50) r(i)`;
const analysts = [
  "SELECT date_trunc('day', t) AS day, count(*), sum(revenue), median(revenue), quantile_cont(revenue, 0.9) FROM data GROUP BY ALL " +
    'ORDER BY day',
  'SELECT user_id, row_number() OVER (PARTITION BY user_id ORDER BY t) n, lag(revenue) OVER (ORDER BY t), sum(revenue) OVER w FROM ' +
    'data WINDOW w AS (ORDER BY t ROWS 3 PRECEDING)',
  'SELECT path, count(DISTINCT (user_id, session_id)) FROM data GROUP BY ROLLUP (path) HAVING grouping(path) = 0 OR count(*) > 1',
  "SELECT regexp_replace(path, '\\?.*', '') p, split_part(path, '?', 2), upper(left(path, 2)), path LIKE '%x%', path ILIKE 'P%', " +
    "path SIMILAR TO '/p.*' FROM data",
  'SELECT sku, count(*) FROM (SELECT unnest(skus) AS sku FROM data) GROUP BY ALL',
  'SELECT list_transform(skus, lambda x: upper(x)), list_contains(skus, $$a$$), len(skus), skus[1], skus[1:2] FROM data',
  "SELECT json_extract_string(j, '$.k'), j::JSON ->> 'k', CAST(j AS JSON) -> 'k' FROM data",
  "SELECT CASE WHEN revenue > 10 THEN 'high' ELSE 'low' END AS c, coalesce(path, '-'), nullif(path, ''), round(avg(revenue), 2) " +
    'FROM data GROUP BY ALL',
  "SELECT t AT TIME ZONE 'UTC' AT TIME ZONE 'Europe/Paris', strftime(t, '%Y-%m'), extract(hour FROM t), dayname(t), t::DATE, t - " +
    'INTERVAL 1 DAY FROM data',
  "FROM data SELECT count(*) WHERE t BETWEEN '2026-11-01' AND now() AND session_id NOT IN (1, 2) AND user_id IS NOT NULL",
  'SELECT * EXCLUDE (j) REPLACE (revenue * 2 AS revenue) FROM data LIMIT 3 OFFSET 1',
  'SELECT COLUMNS(c -> c LIKE $$%id$$) FROM data',
  'WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT * FROM r',
  'SELECT a.user_id FROM data a JOIN data b USING (session_id) WHERE EXISTS (SELECT 1 FROM data c WHERE c.session_id = a.session_id)',
  'SELECT * FROM (SELECT session_id % 3 AS m, revenue FROM data) PIVOT (sum(revenue) FOR m IN (0, 1, 2))',
  "SELECT corr(session_id, revenue), regr_slope(revenue, session_id), stddev(revenue), string_agg(path, ',' ORDER BY t), " +
    'arg_max(path, t), mode(path) FROM data',
  'SELECT floor(revenue / 10)::INTEGER * 10 AS bucket, count(*) FROM data GROUP BY 1 UNION ALL SELECT 0, count(*) FROM data',
  "SELECT DISTINCT ON (user_id) user_id, printf('%.2f', revenue), url_decode(path), md5(user_id), hash(path) FROM data ORDER BY " +
    'user_id, t DESC',
  'SELECT d.day, count(data.t) FROM generate_series(DATE $$2026-11-01$$, DATE $$2026-11-03$$, INTERVAL 1 DAY) d(day) LEFT JOIN data ' +
    'ON data.t::DATE = d.day GROUP BY ALL',
  "SELECT if(revenue > 1, 1, 0), greatest(1, 2), -revenue, NOT (revenue > 1), revenue IS DISTINCT FROM 1, {'a': path}.a, " +
    'try_cast(path AS INTEGER) FROM data',
  'SUMMARIZE data',
  'DESCRIBE data',
];

describe('the sandbox', () => {
  it('refuses every question about the engine before it runs', { tags: 'nightly' }, async () => {
    const database = await opened(['CREATE VIEW data AS SELECT 1 AS a']);
    const passed: string[] = [];
    for (const sql of inquiries)
      await checkStatement(database, sql, ['data']).then(
        () => passed.push(sql),
        () => undefined,
      );
    expect(passed).toEqual([]);
  });

  it('lets through what analysts write', async () => {
    const database = await opened([ANALYST_VIEW]);
    for (const sql of analysts) {
      await checkStatement(database, sql, ['data']);
      expect([sql, (await database.runAndReadAll(sql)).columnCount > 0]).toEqual([sql, true]);
    }
  });

  it.each(Object.keys(attacks({ outside, own })))(
    'refuses to %s, leaves no trace, and answers afterwards',
    { tags: 'nightly' },
    async (aim) => {
      const before = readFileSync(own);
      const list = someOf(attacks({ outside, own: OWN })[aim] ?? [], 4);
      for (const [index, outcome] of (await Promise.all(list.map(outcomeOf))).entries()) {
        expect([list[index], outcome]).toEqual([list[index], expect.stringMatching(/^SqlError: /)]);
        expect(outcome).not.toContain(SECRET);
      }
      expect(readdirSync(outside)).toEqual(['link.txt', 'secret.txt']);
      expect(readFileSync(own)).toEqual(before);
      expect((await query('SELECT browser_name FROM data')).rows).toEqual([['Chrome']]);
    },
  );

  it('holds without the look at the statement too: the database itself reads and writes nothing else', { tags: 'nightly' }, async () => {
    const database = await opened([`CREATE VIEW data AS FROM read_parquet(['${own}'])`], [own]);
    // Tables and views of the engine itself hold nothing of a caller.
    for (const sql of Object.values(attacks({ outside, own: join(outside, 'own') })).flat()) {
      const text = await database.runAndReadAll(sql).then(
        (result) => JSON.stringify(result.getRowsJson()),
        () => '',
      );
      expect([sql, text.includes(SECRET)]).toEqual([sql, false]);
    }
    expect(readdirSync(outside)).toEqual(['link.txt', 'secret.txt']);
  });

  it('survives what may break a parser', { tags: 'nightly' }, async () => {
    const outcomes = await Promise.all([...strange, 'SELECT 1'].map(outcomeOf));
    expect(outcomes.filter((outcome) => !/^(SqlError: .|answered: )/.test(outcome))).toEqual([]);
    expect(outcomes.at(-1)).toBe('answered: [[1]]');
  });

  it.each(bombs)('stops %s', { tags: 'nightly' }, async (sql) => {
    const started = performance.now();
    await expect(query(sql, { timeoutMs: 400 })).rejects.toMatchObject({
      name: 'SqlError',
      reason: expect.stringMatching(/^(time|memory)$/),
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('starts nothing for a call that is cancelled between its turn and its process', async () => {
    const controller = new AbortController();
    // The look at the signal when the turn comes finds nothing, and right after it the caller goes.
    Object.assign(controller.signal, { throwIfAborted: () => controller.abort() });
    await expect(query('SELECT count(*) FROM range(1000000000000)', { signal: controller.signal })).rejects.toMatchObject({
      name: 'AbortError',
    });
  });

  it('gives as many rows as were asked for, and says that there are more', { tags: 'nightly' }, async () => {
    const most = { ...readable, ...limits, maxRows: 5_000 };
    const { rows, more } = await runSql({ ...most, sql: 'SELECT * FROM range(100000000000)' }, options());
    expect([rows.length, rows.at(-1), more]).toEqual([5000, [4999], true]);
    expect((await runSql({ ...most, sql: 'SELECT * FROM range(5000)' }, options())).more).toBe(false);
  });
});

describe('a session', () => {
  function session(more: Partial<SqlOptions> = {}): SqlSession {
    const begun = openSql(readable, options(more));
    onTestFinished(() => begun.close());
    return begun;
  }

  it('answers statements in their order, also those that come before it is ready', { tags: 'nightly' }, async () => {
    const { run } = session();
    const answers = await Promise.all([1, 2, 3].map((n) => run({ sql: `SELECT ${n} AS n FROM data`, ...limits })));
    expect(answers.map(({ rows }) => rows)).toEqual([[[1]], [[2]], [[3]]]);
  });

  it('keeps the rows of a statement for those after it alone, and only of one that may run', { tags: 'nightly' }, async () => {
    const { run } = session();
    await run({ sql: 'SELECT * FROM range(10)', keptAs: 'late', ...limits });
    const count = { sql: 'SELECT count(*) AS n FROM late', ...limits };
    expect((await run(count)).rows).toEqual([[10]]);
    await expect(session().run(count)).rejects.toMatchObject({ reason: 'refused' });
    const sql = "COPY data TO 'x.csv'";
    await expect(session().run({ sql, keptAs: 'kept', ...limits })).rejects.toMatchObject({ reason: 'refused' });
  });

  it('ends at the first statement that fails, with its reason for all that wait', async () => {
    const { run } = session();
    const statements = ['SELECT nothing FROM data', 'SELECT 1'].map((sql) => run({ sql, ...limits }));
    for (const outcome of await Promise.allSettled(statements))
      expect(outcome).toMatchObject({ status: 'rejected', reason: { reason: 'sql' } });
    await expect(run({ sql: 'SELECT 1', ...limits })).rejects.toMatchObject({ reason: 'sql' });
  });

  it('ends when its signal aborts, and when it is closed before it is ready', { tags: 'nightly' }, async () => {
    const ending = new AbortController();
    const endless = session({ signal: ending.signal }).run({ sql: 'SELECT count(*) FROM range(1000000000000)', ...limits });
    setTimeout(() => ending.abort(new Error('no longer wanted')), 50);
    await expect(endless).rejects.toThrow('no longer wanted');
    const begun = session();
    begun.run({ sql: 'SELECT 1', ...limits }).catch(() => undefined);
    await begun.close();
  });
});
