import { beforeAll, expect, it } from 'vitest';
import { someOf } from '../../support/sample-size.ts';
import { textOf } from '../../support/sources.ts';
import { records, useTools } from '../support.ts';

const { call } = useTools();
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
