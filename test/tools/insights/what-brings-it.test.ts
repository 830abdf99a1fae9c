import { beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts';
import { passWaiting } from '../../support/pass-waiting.ts';
import { records, useTools } from '../support.ts';

const { call, platform } = useTools();

const STEPS = { steps: ['/cart', '/checkout/payment'] };
const SESSIONS = 'SELECT count(*) AS n FROM sessions';

/** The call of `sync_exports` that an answer names. */
const syncIn = (text: string) => JSON.parse(/sync_exports (\{[^}]+\}) fetches them; then ask again\./.exec(text)?.[1] ?? '{}');

describe('where nothing is downloaded', () => {
  it.each([
    ['a description', 'query_export', {}],
    ['one of a job', 'query_export', { jobId: 'Daily sessions' }],
    ['a statement of a job', 'query_export', { jobId: 'Daily sessions', sql: 'SELECT count(*) FROM data' }],
    ['jobs', 'query_export', { jobIds: ['Daily sessions', 'Daily views'] }],
    ['a statement that names no view', 'query_export', { sql: 'SELECT 1' }],
    ['retention of a job', 'analyze_retention', { jobIds: ['Daily sessions'] }],
    ['a funnel', 'analyze_funnel', STEPS],
  ])('%s names a call with arguments', async (_, tool, args) => {
    const { isError, text } = await call(tool, args);
    expect(isError).toBe(true);
    expect(syncIn(text)).toMatchObject({ jobIds: expect.arrayContaining([expect.stringMatching(/^\d+$/)]) });
    expect(text).not.toContain('list_workspace');
  });

  it.each([
    ['analyze_funnel', { ...STEPS, startDate: '-90d' }],
    ['measure_impact', { startDate: '-36d' }],
    ['query_export', { sql: `${SESSIONS} WHERE session_time >= '2026-08-01'` }],
  ])('%s over more days than an export for a question holds says which can be asked', async (tool, args) => {
    const { isError, text } = await call(tool, args);
    expect(isError).toBe(true);
    expect(text).toContain('holds at most 35 days. Ask for 2026-10-16 … 2026-11-19 (35 days, UTC), or fewer.');
  });

  it('days of which the platform has some are named with the call that fetches these, and the others alone are planned', async () => {
    const { text } = await call('analyze_funnel', { ...STEPS, startDate: '-7d' });
    expect(text).toMatch(/The platform has the files of "Daily views" \([^)]+\): sync_exports/);
    expect(syncIn(text)).toMatchObject({ jobIds: [expect.stringMatching(/^\d+$/)] });
    expect(text).toContain('A once export that brings the rest is planned');
    const planId = /apply_export_plan \{"planId":"(plan-[a-z0-9]{10})"/.exec(text)?.[1];
    const { structured } = await call('apply_export_plan', { planId });
    const { from, to } = (structured as { request: { body: { frequency: { dateRange: { from: string; to: string } } } } }).request.body
      .frequency.dateRange;
    expect(Date.parse(to) - Date.parse(from)).toBe(24 * HOUR_MS);
  });

  it('a description is sent to the job with most columns, as the first statements read them', async () => {
    const [all, first] = [await call('query_export'), await call('query_export', { sql: 'SELECT device_id, city FROM sessions' })];
    expect(syncIn(all.text).jobIds).toEqual(expect.arrayContaining(syncIn(first.text).jobIds));
  });

  it('a job without files is told apart from one that runs next', async () => {
    expect((await call('query_export', { jobId: 'Tablet sessions, failed' })).text).toMatch(
      /The platform has no files of it from job \d+: find_export_gaps \{"jobId":"\d+"\} says why, and plans what brings them\./,
    );
    expect((await call('query_export', { jobId: 'Sessions of yesterday' })).text).toMatch(
      /has not run to its end yet: download_export_run \{"jobId":"\d+"\} waits for its files\./,
    );
  });

  it('wrong SQL is refused for what it is', async () => {
    const refusal = async (sql: string, args = {}) => (await call('query_export', { sql, ...args })).text;
    expect(await refusal('SELEC 1')).toMatch(/^sql: this is not valid SQL/);
    expect(await refusal('SELECT 1 FROM nosuch')).toMatch(/^sql: there is no table "nosuch"; there are sessions, views\./);
    expect(await refusal('SELECT browser FROM data', { jobId: 'Daily sessions' })).toMatch(/^sql: there is no column "browser"\./);
  });
});

it('a question is sent to the fewest runs: those of a daily export and not of an hourly one', { tags: 'nightly' }, async () => {
  const args = syncIn((await call('query_export', { sql: SESSIONS })).text);
  const { structured } = await call('sync_exports', args);
  expect(structured['answer']).toMatch(/^[1-7] new runs downloaded; the data are from 1\d to 19 Nov\.$/);
  expect((await call('query_export', { sql: SESSIONS })).isError).toBe(false);
});

describe('of what is here', { tags: 'nightly' }, () => {
  beforeAll(() => call('sync_exports', { jobIds: ['Daily sessions'] }));

  it('a description counts its rows, which are not those of its table of columns', async () => {
    const { structured } = await call('query_export');
    const { rowCount, answer } = structured as { rowCount: number; answer: string };
    expect(answer).toMatch(new RegExp(`^${rowCount.toLocaleString('en')} rows of sessions \\(\\d+ columns\\)\\.$`));
  });

  it('a result with more rows than are read says so first, and gives no count', async () => {
    const sql = 'SELECT session_id FROM sessions CROSS JOIN (SELECT unnest(range(20)))';
    const { structured, text } = await call('query_export', { sql, limit: 1 });
    expect(structured['answer']).toMatch(/^More than 50,000 rows, the first: /);
    expect(structured['rowCount']).toBeUndefined();
    expect(text).toContain('Rows after the first 50000 were not read; the resource in uri holds these.');
    expect(text).not.toContain('holds them all');
  });

  it('days that are asked for and not exported yet are counted, and those that are here named', async () => {
    const { clock } = platform();
    const nowMs = clock.now();
    clock.jump(15 * HOUR_MS);
    const { structured } = await call('analyze_retention', { startDate: '-2d', periods: 1 });
    const lead = 'The downloads cover only 1 of the 2 days, on 19 Nov. ';
    expect(structured['answer']).toMatch(new RegExp(`^${lead}`));
    const sql = `${SESSIONS} WHERE session_time >= '2026-11-19'`;
    expect((await call('query_export', { sql })).structured['answer']).toMatch(new RegExp(`^${lead}n `));
    clock.jump(nowMs - clock.now());
  });
});

it('files of a plan that no question made are waited for by a question of its job', { tags: 'nightly' }, async () => {
  const order = { name: 'T1', fields: ['session id', 'device'], scope: 'sessions', frequency: 'once', format: 'JSONL' };
  const { planId } = (await call('plan_export', { ...order, startDate: '2026-11-17', endDate: '2026-11-18' })).structured;
  const applied = await call('apply_export_plan', { planId, confirm: true });
  expect(applied.text).toMatch(/A once job runs at once; query_export \{"jobIds":\["\d+"\].*\} waits for its files/);
  const question = { jobId: 'T1', sql: 'SELECT count(*) AS n FROM data' };
  const early = await passWaiting(platform(), call('query_export', question));
  expect(early.text).toMatch(/Its files are on the way \("T1": .*\): ask the same again, which waits for them\./);
  await platform().clock.advance(5 * MINUTE_MS);
  const answer = await passWaiting(platform(), call('query_export', question));
  expect(Number(records(answer)[0]?.['n'])).toBeGreaterThan(1_000);
});
