import { expect, it } from 'vitest';
import type { Ask } from '../../src/api/client.ts';
import { ApiError } from '../../src/api/errors.ts';
import { withoutFilesWords } from '../../src/exports/deliveries.ts';
import { askedDays, filesOfStatement, noValueWords } from '../../src/exports/statement.ts';
import type { RunManifest } from '../../src/exports/store/manifest.ts';

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

const runs = [
  { fields: [{ fieldName: 'referer_url' }, { fieldName: 'custom_var', aliasName: 'plan', customVarPosition: 1 }] },
] as unknown as RunManifest[]; // only the fields are read

it.each([
  [
    'of a variable that is selected',
    'SELECT plan, count(*) FROM sessions GROUP BY ALL',
    'xy-empty',
    '"xy-empty" stands for no value of plan.',
  ],
  ['but not of other columns', 'SELECT referer_url, count(*) FROM sessions GROUP BY ALL', 'xy-empty', undefined],
  ['nor a word that may be a value', 'SELECT plan, referer_url FROM sessions', 'none', undefined],
])('a text that stands for no value is told, %s', (_, sql, text, words) => {
  expect(
    noValueWords(sql, runs, [
      ['free', 3],
      [text, 5],
    ]),
  ).toBe(words);
});

const laterMs = Date.parse('2026-11-26T12:00:00Z');
const listed = (jobId: number, runId: number, completedAt: string) => ({
  jobId,
  runId,
  completedAt,
  name: `Daily ${jobId}`,
  from: '',
  to: '',
  format: 'JSONL',
  scope: 'sessions',
});
const LISTED = [listed(31, 1, '2026-11-25T02:00:00.000Z'), listed(32, 3, '2026-11-25T03:00:00.000Z')];
const ended = (jobRunId: number, endDate: string, state = 'SUCCESS') => ({ jobRunId, endDate, state });

async function wordsOf(given: object[] | ApiError, jobIds?: readonly number[], all = LISTED) {
  const ask = (async (_: unknown, { jobId }: { jobId: number }) => {
    if (given instanceof ApiError) throw given;
    return jobId === 31 ? given : [];
  }) as unknown as Ask; // the runs of a job alone are asked for
  return withoutFilesWords(all, { jobIds, sinceMs: undefined }, { ask, nowMs: laterMs });
}

it('names runs that succeeded and are not among those with files, and no others', async () => {
  const [sentence, ...others] = await wordsOf([
    ended(1, '2026-11-25T02:00:00Z'),
    ended(2, '2026-11-24T02:00:00Z'),
    ended(4, '2026-11-23T02:00:00Z', 'FAILURE'),
    ended(5, '2026-11-10T02:00:00Z'),
    ended(6, '2026-11-26T11:58:00Z'),
  ]);
  expect(others).toEqual([]);
  expect(sentence).toContain('"Daily 31" (31): 1 run succeeded without rows (ended 2026-11-24)');
});

it('says nothing where runs cannot be read, all have files, or jobs are many', async () => {
  const empty = [ended(2, '2026-11-24T02:00:00Z')];
  expect(await wordsOf(new ApiError('down', 'Gone.'))).toEqual([]);
  expect(await wordsOf([ended(1, '2026-11-25T02:00:00Z')])).toEqual([]);
  expect(await wordsOf(empty, [31])).toHaveLength(1);
  const many = Array.from({ length: 8 }, (_, index) => listed(40 + index, 100 + index, '2026-11-25T02:00:00.000Z'));
  expect(await wordsOf(empty, undefined, [...LISTED, ...many])).toEqual([]);
});
