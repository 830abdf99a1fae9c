import { readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { checkStatement, openDatabase } from '../../../src/workspace/query/database.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { someOf } from '../../support/sample-size.ts';
import { attacks, bombs, inquiries, strange } from './attacks.ts';
import { lines, type RunsOnDisk, runsOnDisk } from './runs-on-disk.ts';

const SECRET = 'the-secret-that-nobody-may-read';

function place() {
  const outside = temporaryFolder();
  writeFileSync(join(outside, 'secret.txt'), SECRET);
  symlinkSync(join(outside, 'secret.txt'), join(outside, 'link.txt'));
  const runs = runsOnDisk({ fields: ['user_id', 'browser_name'], files: [lines({ user_id: 7, browser_name: 'Chrome' })] });
  return { outside, runs, own: join(runs.directory, '501', 'part-1.jsonl.gz') };
}

function outcomeOf(runs: RunsOnDisk, sql: string): Promise<string> {
  return runs.query(sql).then(
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
  it('is tried in 250 ways', () => {
    const tried = [...Object.values(attacks({ outside: '', own: '' })).flat(), ...inquiries, ...bombs, ...strange];
    expect(new Set(tried).size).toBeGreaterThanOrEqual(250);
  });

  it('refuses every question about the engine before it runs', { tags: 'nightly' }, async () => {
    const database = await openDatabase({ setup: ['CREATE VIEW data AS SELECT 1 AS a'], files: [], memoryBytes: 2 ** 28, threads: 1 });
    onTestFinished(() => database.closeSync());
    const passed: string[] = [];
    for (const sql of inquiries)
      await checkStatement(database, sql, ['data']).then(
        () => passed.push(sql),
        () => undefined,
      );
    expect(passed).toEqual([]);
  });

  it('lets through what analysts write', async () => {
    const database = await openDatabase({ setup: [ANALYST_VIEW], files: [], memoryBytes: 2 ** 28, threads: 1 });
    onTestFinished(() => database.closeSync());
    for (const sql of analysts) {
      await checkStatement(database, sql, ['data']);
      const read = await database.runAndReadAll(sql);
      expect([sql, read.columnCount > 0]).toEqual([sql, true]);
    }
  });

  it.each(Object.keys(attacks({ outside: '', own: '' })))(
    'refuses to %s, leaves no trace, and answers afterwards',
    { tags: 'nightly' },
    async (aim) => {
      const { outside, own, runs } = place();
      const before = readFileSync(own);
      const list = someOf(attacks({ outside, own: '501/part-1.jsonl.gz' })[aim] ?? [], 4);
      const outcomes = await Promise.all(list.map((sql) => outcomeOf(runs, sql)));
      for (const [index, outcome] of outcomes.entries()) {
        expect([list[index], outcome]).toEqual([list[index], expect.stringMatching(/^SqlError: /)]);
        expect(outcome).not.toContain(SECRET);
      }
      expect(readdirSync(outside)).toEqual(['link.txt', 'secret.txt']);
      expect(readFileSync(own)).toEqual(before);
      expect((await runs.query('SELECT browser_name FROM data')).rows).toEqual([['Chrome']]);
    },
  );

  it('holds without the look at the statement too: the database itself reads and writes nothing else', { tags: 'nightly' }, async () => {
    const { outside, own, runs } = place();
    const { setup } = await runs.view();
    const database = await openDatabase({
      setup: [setup.replaceAll('501/', `${runs.directory}/501/`)],
      files: [own],
      memoryBytes: 2 ** 28,
      threads: 1,
    });
    onTestFinished(() => database.closeSync());
    for (const sql of Object.values(attacks({ outside, own })).flat()) {
      const text = await database.runAndReadAll(sql).then(
        (result) => JSON.stringify(result.getRowsJson()),
        () => '',
      );
      expect([sql, text.includes(SECRET)]).toEqual([sql, false]);
    }
    expect(readdirSync(outside)).toEqual(['link.txt', 'secret.txt']);
  });

  it.each([
    'SELECT browser_name FROM main.data',
    'SELECT d.browser_name FROM memory.main.data AS d',
    'WITH "Data" AS (SELECT browser_name FROM DATA) SELECT * FROM "data"',
    'SELECT * FROM (WITH a AS (SELECT * FROM data), b AS (SELECT browser_name FROM A) SELECT * FROM b)',
  ])('answers %s', { tags: 'nightly' }, async (sql) => {
    expect((await place().runs.query(sql)).rows).toEqual([['Chrome']]);
  });

  it('survives what may break a parser', { tags: 'nightly' }, async () => {
    const { runs } = place();
    const outcomes = await Promise.all(strange.map((sql) => outcomeOf(runs, sql)));
    expect(outcomes.filter((outcome) => !/^(SqlError: .|answered: )/.test(outcome))).toEqual([]);
    expect((await runs.query('SELECT 1')).rows).toEqual([[1]]);
  });

  it.each(bombs)('stops %s', { tags: 'nightly' }, async (sql) => {
    const { runs } = place();
    const started = performance.now();
    await expect(runs.query(sql, { timeoutMs: 400 })).rejects.toMatchObject({
      name: 'SqlError',
      reason: expect.stringMatching(/^(time|memory)$/),
    });
    expect(performance.now() - started).toBeLessThan(10_000);
  });

  it('ends the process of a call that was cancelled', { tags: 'nightly' }, async () => {
    const { runs } = place();
    const controller = new AbortController();
    const running = runs.query('SELECT count(*) FROM range(1000000000000)', { signal: controller.signal });
    setTimeout(() => controller.abort(), 100);
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
    expect((await runs.query('SELECT 1')).rows).toEqual([[1]]);
  });

  it('starts nothing for a call that is cancelled between its turn and its process', async () => {
    const { runs } = place();
    const controller = new AbortController();
    // The look at the signal when the turn comes finds nothing, and right after it the caller goes.
    Object.assign(controller.signal, { throwIfAborted: () => controller.abort() });
    const running = runs.query('SELECT count(*) FROM range(1000000000000)', { signal: controller.signal });
    await expect(running).rejects.toMatchObject({ name: 'AbortError' });
  });

  it('gives as many rows as were asked for, and says that there are more', { tags: 'nightly' }, async () => {
    const { runs } = place();
    const { rows, more } = await runs.query('SELECT * FROM range(100000000000)', { maxRows: 5000 });
    expect([rows.length, rows.at(-1), more]).toEqual([5000, [4999], true]);
    expect((await runs.query('SELECT * FROM range(5000)', { maxRows: 5000 })).more).toBe(false);
  });
});
