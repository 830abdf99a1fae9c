import { expect, it } from 'vitest';
import { askedDays, filesOfStatement } from '../../../src/usecases/exports/statement.ts';

const nowMs = Date.parse('2026-11-20T10:00:00Z');
const day = (number: number) => Date.UTC(2026, 10, number);
const minute = (ms: number) => new Date(ms).toISOString().slice(5, 16);

it.each([
  ["WHERE session_date BETWEEN '2026-11-03' AND '2026-11-09'", ['11-03T00:00/11-10T00:00']],
  ["WHERE d >= DATE '2026-11-01' AND d < DATE '2026-11-02'", ['11-01T00:00/11-02T00:00']],
  ["WHERE d >= CAST('2026-10-01' AS DATE) AND d <= CAST('2026-10-31' AS DATE)", ['10-01T00:00/11-01T00:00']],
  ["WHERE session_time >= '2026-11-01 10:00:00' AND session_time < '2026-11-01 12:00:00'", ['11-01T10:00/11-01T12:00']],
  ["WHERE d = '2026-11-07'", ['11-07T00:00/11-08T00:00']],
  ["WHERE d > '2026-11-17'", ['11-18T00:00/11-20T10:00']],
  ["WHERE d >= '2026-11-18' AND d <= '2026-11-30'", ['11-18T00:00/11-20T10:00']],
  ["WHERE d < '2026-11-01'", []],
  ["WHERE CAST(d AS DATE) <> DATE '2026-11-10'", []],
  ["WHERE d != '2026-11-10'", []],
  ["WHERE d NOT BETWEEN '2026-11-10' AND '2026-11-12'", []],
  ["WHERE d < '2026-11-08' OR d >= '2026-11-14'", []],
  ["WHERE d < '2026-11-14' AND d >= '2026-11-08'", ['11-08T00:00/11-14T00:00']],
  ["WHERE country_code = 'DE' AND path LIKE '/2026-11-01/%'", []],
  [
    "SELECT sum(x) FILTER (d BETWEEN '2026-11-02' AND '2026-11-08'), sum(x) FILTER (d BETWEEN '2026-11-09' AND '2026-11-15') FROM s",
    ['11-02T00:00/11-09T00:00', '11-09T00:00/11-16T00:00'],
  ],
])('%s selects days', (sql, expected) => {
  expect(askedDays(sql, nowMs).map(({ startMs, endMs }) => `${minute(startMs)}/${minute(endMs)}`)).toEqual(expected);
});

it.each<[string, string, readonly string[], readonly string[]]>([
  ['a column', 'SELECT browser_name FROM sessions', ['browser_name'], ['browser', 'browser_version']],
  ['a column behind its view', 'SELECT s.browser_name FROM sessions AS s', ['browser_name'], ['name']],
  ['a name with a dot', 'SELECT "app_events.event_name" FROM sessions', ['app_events.event_name'], ['event_name']],
  ['an amount in its other unit', 'SELECT sum(revenue) FROM sessions', ['revenue_cents'], ['revenue_cents_sum']],
  ['a duration in its other unit', 'SELECT avg(duration_seconds) FROM sessions', ['duration_msec'], ['seconds']],
  ['no text', "SELECT 1 FROM sessions WHERE path = 'city'", ['path'], ['city']],
])('a statement reads %s', (_, sql, read, others) => {
  const [files, ...more] = filesOfStatement(sql, nowMs);
  expect(more).toEqual([]);
  expect(files?.scope).toBe('sessions');
  expect(read.filter((column) => !files?.reads(column))).toEqual([]);
  expect(others.filter((column) => files?.reads(column))).toEqual([]);
});

it('a statement needs the days that it names, up to the last midnight, of each view', () => {
  const sql = "SELECT 1 FROM views v JOIN sessions s USING (session_id) WHERE view_time >= '2026-11-17'";
  expect(filesOfStatement(sql, nowMs).map(({ scope, days }) => ({ scope, days }))).toEqual(
    ['sessions', 'views'].map((scope) => ({ scope, days: [{ startMs: day(17), endMs: day(20) }] })),
  );
  expect(filesOfStatement('SELECT 1 FROM data', nowMs)).toEqual([]);
});
