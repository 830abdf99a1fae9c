import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { sharedClickHouse } from '../../support/clickhouse/index.ts';
import { missing } from '../../support/clickhouse/start.ts';
import { asked, dayRun, described, type LoadedProject, openLoadedProject, sessionRow, viewRow } from './loaded-project.ts';

const range = (count: number) => Array.from({ length: count }, (_, index) => index);
const sessions = (day: number, count: number, more: object = {}) => range(count).map((number) => sessionRow(day, number, more));
const views = (day: number, count: number) =>
  range(count).flatMap((number) => range(1 + (number % 3)).map((view) => viewRow(day, number, view + 1)));

/** Twenty questions of analysts, each in the words of both dialects; a third text where that of ClickHouse differs. */
const QUESTIONS: readonly (readonly [question: string, sql: string, clickHouse?: string])[] = [
  ['how many sessions?', 'SELECT count(*) AS n FROM sessions'],
  ['sessions by day', 'SELECT CAST(session_time AS DATE) AS day, count(*) AS n FROM sessions GROUP BY day ORDER BY day'],
  [
    'revenue by browser',
    `SELECT browser_name, sum(session_transactions_revenue) AS revenue, count(*) AS n FROM sessions GROUP BY ALL ORDER BY
    revenue DESC, n`,
  ],
  ['exact cents', 'SELECT sum(session_transactions_revenue_cents) AS cents FROM sessions'],
  [
    'conversion rate by device',
    `SELECT device_name, avg(CASE WHEN session_number_of_transactions > 0 THEN 1.0 ELSE 0.0 END) AS rate FROM sessions
    GROUP BY device_name ORDER BY device_name`,
    `SELECT device_name, avg(CASE WHEN session_number_of_transactions > 0 THEN toFloat64(1) ELSE toFloat64(0) END) AS rate
    FROM sessions GROUP BY device_name ORDER BY device_name`,
  ],
  ['new visitors', 'SELECT count(*) AS n FROM sessions WHERE session_number = 1'],
  ['users', 'SELECT count(DISTINCT user_id) AS n FROM sessions'],
  ['ids with every digit', 'SELECT user_id, session_id FROM sessions ORDER BY session_id DESC LIMIT 5'],
  ['missing countries', 'SELECT count(*) AS n FROM sessions WHERE country_code IS NULL'],
  ['a sum over nothing is no value', "SELECT sum(session_number_of_views) AS n FROM sessions WHERE country_code = 'XX'"],
  [
    'best articles',
    `SELECT sku, sum(revenue) AS revenue FROM (SELECT unnest("session_transaction_items.sku") AS sku,
    unnest("session_transaction_items.revenue") AS revenue FROM sessions) GROUP BY sku ORDER BY sku`,
    `SELECT sku, sum(revenue) AS revenue FROM sessions ARRAY JOIN "session_transaction_items.sku" AS sku,
    "session_transaction_items.revenue" AS revenue GROUP BY sku ORDER BY sku`,
  ],
  ['lists as they are', 'SELECT "session_transaction_items.revenue_cents" AS items FROM sessions ORDER BY session_id LIMIT 9'],
  [
    'mobile views by path',
    `SELECT v.path, count(*) AS n FROM views v JOIN sessions s ON v.user_id = s.user_id AND v.session_id = s.session_id
    WHERE s.device_name = 'mobile' GROUP BY v.path ORDER BY n DESC, v.path`,
  ],
  [
    'rage clicks in the checkout',
    `SELECT path, count(DISTINCT session_id) AS n FROM views WHERE rage_click_all_targets_ind AND path LIKE '/checkout%'
    GROUP BY path`,
  ],
  ['slowest pages in seconds', 'SELECT path, max(fully_loaded_seconds) AS s FROM views GROUP BY path ORDER BY s DESC, path'],
  [
    'sessions without a view',
    `SELECT count(*) AS n FROM sessions s LEFT JOIN views v ON s.session_id = v.session_id AND s.user_id = v.user_id WHERE
    v.path IS NULL`,
  ],
  [
    'the first page of a session',
    `WITH first AS (SELECT session_id, min(view_number) AS number FROM views GROUP BY session_id) SELECT v.path, count(*)
    AS n FROM views v JOIN first f ON v.session_id = f.session_id AND v.view_number = f.number GROUP BY v.path ORDER BY
    v.path`,
  ],
  [
    'rank of devices by day',
    `SELECT day, device_name, n, row_number() OVER (PARTITION BY day ORDER BY n DESC, device_name) AS place FROM (SELECT
    CAST(session_time AS DATE) AS day, device_name, count(*) AS n FROM sessions GROUP BY ALL) ORDER BY day, place`,
  ],
  ['instants with milliseconds', 'SELECT min(session_time) AS first, max(session_time) AS last, min(is_excludable) AS e FROM sessions'],
  [
    'deep sessions of two days, either or',
    `SELECT * FROM (SELECT browser_name FROM sessions WHERE session_number_of_views > 8 UNION SELECT 'none' AS
    browser_name) ORDER BY browser_name NULLS LAST`,
  ],
];

/** Forty queries, half of them in processes of their own. */
const LONG_MS = 120_000;

describe.skipIf(missing)(`questions to the warehouse${missing ? ` (${missing})` : ''}`, () => {
  const clickHouse = sharedClickHouse();
  let shop: LoadedProject;
  beforeAll(async () => {
    if (missing !== undefined) return;
    const later = { exportedAt: '2026-11-14T02:00:00.000Z' };
    shop = await openLoadedProject(
      clickHouse(),
      dayRun(501, 10, sessions(10, 300)),
      dayRun(502, 11, sessions(11, 250)),
      // Again, exported later, with other values: these count.
      dayRun(503, 11, sessions(11, 200, { browser_name: 'Edge', session_transactions_revenue_cents: 5 }), later),
      dayRun(601, 10, views(10, 280), { jobId: 32, scope: 'views' }),
      dayRun(602, 11, views(11, 240), { jobId: 32, scope: 'views' }),
    );
  }, LONG_MS);
  afterAll(() => shop?.close());

  it('have the same rows, columns and units as on the disk, all twenty', { tags: 'nightly', timeout: LONG_MS }, async () => {
    const { workspace, onDisk } = shop;
    expect(QUESTIONS).toHaveLength(20);
    for (const [question, sql, other = sql] of QUESTIONS) {
      const here = await asked(onDisk, sql);
      const there = await asked(workspace, other);
      expect({ question, ...there, types: there.types.length }).toMatchObject({
        question,
        columns: here.columns,
        rows: here.rows,
        rowCount: here.rowCount,
        types: here.types.length,
        dialect: 'ClickHouse',
      });
      expect(there.units).toEqual(here.units);
      expect(here.dialect).toBeUndefined();
      expect(here.rows.length, question).toBeGreaterThan(0);
    }
  });

  it('know the same columns, days and rows, and their examples run', { tags: 'nightly' }, async () => {
    const { workspace, onDisk } = shop;
    const [here, there] = [await described(onDisk), await described(workspace)];
    expect(there).toMatchObject({ runs: 5, rowCount: here.rowCount, covered: here.covered, gaps: here.gaps, columns: here.columns });
    expect(there.rows).toEqual(here.rows);
    expect(there.dialect).toBe('ClickHouse');
    expect(there.notes.join(' ')).toContain('statements are in the dialect of ClickHouse');
    expect(there.examples.map(({ question }) => question)).toEqual(here.examples.map(({ question }) => question));
    for (const { sql } of there.examples) expect((await asked(workspace, sql)).rowCount, sql).toBeGreaterThan(0);
    for (const { sql } of (await described(workspace, { jobId: 31 })).examples)
      expect((await asked(workspace, sql, { jobId: 31 })).rowCount, sql).toBeGreaterThan(0);
  });

  it('that are wrong are answered with what is there', async () => {
    const { workspace } = shop;
    await expect(asked(workspace, 'SELECT brwser_name FROM sessions')).rejects.toThrow(
      /sql: there is no column "brwser_name". Nearest: browser_name/,
    );
    await expect(asked(workspace, 'SELEC 1')).rejects.toThrow(/sql: .*[Ss]yntax error/);
    await expect(asked(workspace, 'SELECT sum(number) FROM numbers(100000000000000)')).rejects.toThrow(/sql: .*Limit for rows/);
  });

  it('give as many rows as a query may, and say that there are more', { tags: 'nightly' }, async () => {
    const { workspace } = shop;
    const { rows, notes } = await asked(workspace, 'SELECT number FROM numbers(200000) ORDER BY number');
    expect([rows.length, rows[0], rows.at(-1)]).toEqual([50_000, [0], [49_999]]);
    expect(notes.join(' ')).toContain('Rows after the first 50000 were not read; the resource in uri holds these.');
  });
});
