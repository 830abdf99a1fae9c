import { expect, it } from 'vitest';
import { filesOfStatement, lackingDays } from '../../../src/usecases/exports/files-needed.ts';

const nowMs = Date.parse('2026-11-20T10:00:00Z');
const day = (number: number) => Date.UTC(2026, 10, number);

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

it('days lack where no run has all columns at once; a run that lists no columns may have any', () => {
  const run = (first: number, last: number, ...names: string[]) => ({
    scope: 'sessions',
    from: new Date(day(first)).toISOString(),
    to: new Date(day(last + 1)).toISOString(),
    fields: names.map((fieldName) => ({ fieldName })),
  });
  const asked = [{ startMs: day(10), endMs: day(15) }];
  const runs = [run(10, 12, 'a', 'b'), run(13, 14, 'a')];
  expect(lackingDays(asked, runs, 'sessions', ['a'])).toEqual([]);
  expect(lackingDays(asked, runs, 'sessions', ['a', 'B'])).toEqual([{ startMs: day(13), endMs: day(15) }]);
  expect(lackingDays(asked, [...runs, run(13, 13)], 'sessions', ['b'])).toEqual([{ startMs: day(14), endMs: day(15) }]);
  expect(lackingDays(asked, runs, 'views', [])).toEqual(asked);
});
