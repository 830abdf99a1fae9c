import { beforeAll, describe, expect, it } from 'vitest';
import { someOf } from '../../support/sample-size.ts';
import { textOf } from '../../support/sources.ts';
import { truthOf } from '../../support/truth.ts';
import { only, records, useTools, whole } from '../support.ts';

const { assistant, call } = useTools();

beforeAll(async () => {
  await call('download_export_run', { jobId: 'Daily sessions' });
});

describe('without sql', () => {
  it('the data are described, and each example runs', { tags: 'nightly' }, async () => {
    const answer = await call('query_export', { jobId: 'Daily sessions' });
    expect(answer.structured).toMatchObject({ runs: 1, rowCount: expect.any(Number), covered: ['2026-11-19 (1 day, UTC)'], gaps: [] });
    const examples = answer.structured['examples'] as { sql: string }[];
    expect(examples.length).toBeGreaterThanOrEqual(3);
    for (const { sql } of examples) expect(await call('query_export', { jobId: 'Daily sessions', sql })).toMatchObject({ isError: false });
    const counted = only(await call('query_export', { jobId: 'Daily sessions', sql: 'SELECT count(*) AS n FROM data' }));
    expect(counted['n']).toBe(answer.structured['rowCount']);
    expect(whole(answer)).toMatchSnapshot();
  });

  it('says which days are not in it, and so does a query', { tags: 'nightly' }, async () => {
    await call('download_export_run', { jobId: 'Daily views' });
    const runs = await call('list_export_runs', { jobId: 'Daily views', state: 'success' });
    const [, , third] = (runs.structured['runs'] as { jobRunId: number }[]) ?? [];
    await call('download_export_run', { jobId: 'Daily views', runId: third?.jobRunId });
    const answer = await call('query_export', { jobId: 'Daily views' });
    expect(answer.structured).toMatchObject({
      runs: 2,
      covered: [expect.any(String), '2026-11-19 (1 day, UTC)'],
      gaps: [expect.any(String)],
    });
    const queried = await call('query_export', { jobId: 'Daily views', sql: 'SELECT count(*) FROM data' });
    expect(queried.text).toContain(`Not in the data: ${String((answer.structured['gaps'] as string[])[0])}`);
  });
});

describe('several jobs', () => {
  it('are views by scope, which one statement joins', { tags: 'nightly' }, async () => {
    await call('download_export_run', { jobId: 'Daily views' });
    const answer = await call('query_export', {
      jobIds: ['Daily sessions', 'Daily views'],
      sql: `SELECT path, count(*) AS views FROM views JOIN sessions USING (project_id, user_id, session_id)
        WHERE device_id = 2 GROUP BY ALL ORDER BY views DESC LIMIT 5`,
    });
    expect(answer).toMatchObject({ isError: false, structured: { jobs: [{ job: expect.any(String) }, { job: expect.any(String) }] } });
    expect(records(answer).length).toBeGreaterThan(1);
    const described = await call('query_export');
    expect(described.structured['columns']).toEqual(['view', 'column', 'type', 'unit', 'about']);
    expect(described.text).toContain('The views are');
  });
});

describe('in another zone', () => {
  const paris = useTools({ timeZone: 'Europe/Paris' });

  it('the example counts its days, and they are those of the metrics', { tags: 'nightly' }, async () => {
    await paris.call('download_export_run', { jobId: 'Daily sessions' });
    const { examples } = (await paris.call('query_export', { jobId: 'Daily sessions' })).structured as { examples: { sql: string }[] };
    const days = records(await paris.call('query_export', { jobId: 'Daily sessions', sql: examples[0]?.sql }));
    const range = { startDate: '2026-11-19', endDate: '2026-11-19', metrics: ['visits'] };
    const evening = truthOf(paris.platform(), { from: '2026-11-19T23:00:00.000Z', to: '2026-11-19T23:59:59.999Z' });
    expect(days).toEqual([
      { day: '2026-11-19', sessions: expect.any(Number) },
      { day: '2026-11-20', sessions: evening.visits },
    ]);
    const morning = truthOf(paris.platform(), { from: '2026-11-18T23:00:00.000Z', to: '2026-11-18T23:59:59.999Z' });
    expect(Number(days[0]?.['sessions']) + morning.visits).toBe(only(await paris.call('query_metrics', range))['visits']);
  });
});

describe('a result', () => {
  it('of which not even one row can be shown says how to get less, not how to get more', { tags: 'nightly' }, async () => {
    const { isError, text } = await call('query_export', {
      jobId: 'Daily sessions',
      sql: `SELECT repeat('x', 300000) AS long FROM range(3)`,
    });
    expect({ isError, text }).toEqual({
      isError: true,
      text: expect.stringMatching(/the limit is 20000: narrow with jobId, jobIds, sql, limit\./),
    });
  });

  it('is cut to the budget, and its resource holds every row', { tags: 'nightly' }, async () => {
    const answer = await call('query_export', {
      jobId: 'Daily sessions',
      sql: 'SELECT user_id, session_id, "session_transaction_items.sku" FROM data',
    });
    const { rowCount, rows, uri } = answer.structured as { rowCount: number; rows: unknown[]; uri: string };
    expect(rows).toHaveLength(100);
    expect(answer.links).toEqual([uri]);
    const lines = (await assistant().read(uri)).trimEnd().split('\r\n');
    expect(lines).toHaveLength(rowCount + 1);
    expect(lines[0]).toBe('user_id,session_id,session_transaction_items.sku');
    expect(lines.slice(1).every((line) => /^\d{19},\d+,("\[""NL-.*\]"|\[\])$/.test(line))).toBe(true);
    await expect(assistant().read(uri.replace(/[\da-f]+$/, '0'.repeat(12)))).rejects.toThrow('no result 000000000000 any more');
    const ids = await assistant().client.complete({
      ref: { type: 'ref/resource', uri: 'analytics://{projectId}/exports/queries/{queryId}' },
      argument: { name: 'queryId', value: '' },
      context: { arguments: { projectId: '1201' } },
    });
    expect(ids.completion.values).toContain(uri.split('/').at(-1));
  });

  it('shows lists, decimals and what has no value exactly, in both channels', async () => {
    const columns = "[1, NULL] AS list, 1.50::DECIMAL(9, 2) AS amount, NULL AS nothing, max(user_id) AS id, {'a': 'b'} AS pair";
    const sql = `SELECT ${columns} FROM data`;
    const answer = await call('query_export', { jobId: 'Daily sessions', sql });
    expect(only(answer)).toEqual({
      list: '[1,null]',
      amount: '1.50',
      nothing: null,
      id: expect.stringMatching(/^9\d{18}$/),
      pair: '{"a":"b"}',
    });
    expect(answer.structured['answer']).toMatch(/^list \[1,null\], amount 1\.50, nothing –, id 9\d{18}\.$/);
    expect(answer.text).toMatch(/\[1,null\]\t1\.50\t–\t9\d{18}\t\{"a":"b"\}/);
    expect(answer.links).toEqual([]);
  });
});

describe('an error says what to do next', () => {
  it.each([
    ['SELECT brwser_name FROM data', 'sql: there is no column "brwser_name". Nearest: browser_name'],
    ['SELECT session_transaction_items.sku FROM data', '"session_transaction_items.sku"'],
    ['SELECT * FROM sessions', 'sql: there is no table "sessions"; the only one is data.'],
    ['SELECT sum(city) FROM data', "No function matches the given name and argument types 'sum(VARCHAR)'"],
    ['SELEC 1', 'sql: this is not valid SQL: syntax error at or near "SELEC"'],
    ["SELECT * FROM read_text('/etc/passwd')", 'read_text cannot be read from; the data are the view data.'],
    ['SELECT 1; SELECT 2', 'exactly one statement is expected, found 2'],
    ['DROP VIEW data', 'only a single SELECT statement runs here'],
  ])('%s', { tags: 'nightly' }, async (sql, words) => {
    const answer = await call('query_export', { jobId: 'Daily sessions', sql });
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining(words) });
    expect(answer.text).toContain('Correct the arguments and call again.');
    expect(answer.text).not.toContain('workspace-');
  });

  it('where nothing was downloaded and the platform has nothing', async () => {
    const answer = await call('query_export', { jobId: 'Tablet sessions, failed', sql: 'SELECT 1' });
    expect(answer.isError).toBe(true);
    // No argument is wrong, so none has to be corrected.
    expect(answer.text).toMatch(
      /^jobId: nothing of job (\d+) is downloaded yet\. The platform has no files of it from job \1: .+ brings them\.$/,
    );
  });
});

const page = textOf('docs/sql.md');
const examples = [...page.matchAll(/^(.+):\n\n```sql\n([^`]+)```$/gm)].map(([, question = '', sql = '']) => ({ question, sql }));
const run = (sql: string) => call('query_export', { jobIds: ['Daily sessions', 'Daily views'], sql });

beforeAll(async () => {
  for (const jobId of ['Daily sessions', 'Daily views']) await call('download_export_run', { jobId, waitSeconds: 30 });
});

it('the examples of the page on SQL are ten', () => {
  expect(examples).toHaveLength(10);
});

it.each(someOf(examples, 5))('the examples of the page on SQL $question', { tags: 'nightly' }, async ({ sql }) => {
  const answer = await run(sql);
  expect([answer.isError, answer.text]).toEqual([false, expect.any(String)]);
  const rows = records(answer);
  expect(rows.length).toBeGreaterThan(0);
  const last = Object.values(rows[0] ?? {}).at(-1);
  expect(last).not.toBeNull();
});

it('the limits of the page on SQL hold: a total without grouping() gets a note', { tags: 'nightly' }, async () => {
  const answer = await run('SELECT country_code, count(*) AS n FROM sessions GROUP BY ROLLUP (country_code)');
  expect(answer.text).toContain('grouping(column) is 1 for a total');
});
