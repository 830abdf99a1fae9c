/** @module-tag nightly */
import { beforeAll, describe, expect, it } from 'vitest';
import { passWaiting } from '../../support/pass-waiting.ts';
import { truthOf } from '../../support/truth.ts';
import { records, useTools, WEEK, WIRE_WEEK } from '../support.ts';

const { call, ask, platform, assistant } = useTools();

const within = `session_time >= '${WEEK.startDate}' AND session_time < '2026-11-16'`;
const REVENUE = `SELECT browser_name, sum(session_transactions_revenue_cents) AS cents FROM sessions WHERE ${within} GROUP BY ALL`;
const here = (column: string) => `SELECT ${column}, count(*) AS n FROM sessions WHERE session_time >= '2026-11-18' GROUP BY ALL`;

const jobsThere = async () => (await ask('listExportJobs', { limit: 100 })).map(({ jobId }) => jobId);
const planIn = (text: string) => /apply_export_plan \{"planId":"(plan-[a-z0-9]{10})","confirm":true\}/.exec(text)?.[1] ?? '';

const passUntil = <T>(calling: Promise<T>): Promise<T> => passWaiting(platform(), calling);

it('where nothing is downloaded names the jobs whose files the platform has, and is answered once they are fetched', async () => {
  const sql = "SELECT count(*) AS n FROM sessions WHERE session_time >= '2026-11-17' AND session_time < '2026-11-19'";
  const { isError, text } = await call('query_export', { sql });
  expect(isError).toBe(true);
  const jobIds = /The platform has the files: sync_exports \{"jobIds":\[("\d+")\]\} fetches them; then ask again\./.exec(text)?.[1] ?? '';
  expect(jobIds).not.toBe('');
  // One job suffices, so only the runs of one are fetched.
  expect(await call('sync_exports', { jobIds: JSON.parse(`[${jobIds}]`) })).toMatchObject({ structured: { state: 'complete' } });
  const { visits } = truthOf(platform(), { from: '2026-11-17T00:00:00.000Z', to: '2026-11-18T23:59:59.999Z' });
  expect(records(await call('query_export', { sql }))).toEqual([{ n: visits }]);
});

describe('a week that no file holds with its columns', () => {
  beforeAll(() => call('sync_exports', { jobIds: ['Daily sessions'], waitSeconds: 40 }), 60_000);

  let planId = '';

  it('is answered with a finished plan, the same each time; nothing is created', async () => {
    const before = await jobsThere();
    const { isError, text } = await call('query_export', { sql: REVENUE });
    expect(isError).toBe(false);
    planId = planIn(text);
    expect(text).toMatch(
      /A once export that brings what is missing is planned \("Sessions JSONL 2026-11-09 to 2026-11-1\d", \d+ columns\), not created yet\./,
    );
    expect(text).not.toContain('find_export_gaps');
    expect(planIn((await call('query_export', { sql: REVENUE })).text)).toBe(planId);
    expect(await jobsThere()).toEqual(before);
  });

  it('its preview says that the files are fetched afterwards', async () => {
    const { structured, text } = await call('apply_export_plan', { planId });
    expect(structured['status']).toBe('preview');
    expect(text).toContain('Once it is created, its files are fetched into the workspace.');
  });

  it('is waited for when it is asked again, until the sums are those of the platform', async () => {
    await passUntil(call('apply_export_plan', { planId, confirm: true }));
    const calls = () => platform().requests.filter(({ operation }) => operation === 'listSuccessfulExportRuns').length;
    const before = calls();
    // What the files hold already is answered at once: the clock stands still.
    expect(await call('query_export', { sql: here('browser_name') })).toMatchObject({ isError: false });
    expect(calls()).toBe(before);
    const heard: string[] = [];
    const asked = (
      onprogress: (heard: { message?: string | undefined }) => void = ({ message = '' }) => void heard.push(message),
      signal = new AbortController().signal,
    ) => assistant().client.callTool({ name: 'query_export', arguments: { sql: REVENUE } }, { onprogress, signal, timeout: 120_000 });
    const cancelled = new AbortController();
    const waiting = asked(() => cancelled.abort(), cancelled.signal);
    expect((await Promise.allSettled([waiting])).map(({ status }) => status)).toEqual(['rejected']);
    let answer = await passUntil(asked());
    let times = 1;
    const saysSo = () => /ask the same again, which waits for them|Still being read, .* Ask again/.test(JSON.stringify(answer.content));
    for (; saysSo() && times < 4; times += 1) answer = await passUntil(asked());
    expect(heard).toEqual(expect.arrayContaining([expect.stringMatching(/^the platform computes it: RUNNING, .*about \d+ s left$/)]));
    const { rows } = answer.structuredContent as { rows: [string | null, number | string][] };
    const truth = truthOf(platform(), { from: WIRE_WEEK.startDate, to: WIRE_WEEK.endDate });
    expect(rows.reduce((sum, [, cents]) => sum + Number(cents), 0) / 100).toBeCloseTo(truth.revenue, 2);
    expect(times).toBeLessThanOrEqual(4);
  });
});

describe('what no file holds is told apart from what does not exist', () => {
  it('a column that an export can hold is planned', async () => {
    const { isError, text } = await call('query_export', { sql: here('screen_width') });
    expect(isError).toBe(true);
    expect(text).toContain('sql: no downloaded file has "screen_width", which an export can hold. ');
    const { structured } = await call('apply_export_plan', { planId: planIn(text) });
    expect(structured).toMatchObject({ request: { body: { fields: expect.arrayContaining([{ fieldName: 'screen_width' }]) } } });
  });

  it('a view that is not there yet has its files on the platform', async () => {
    const { text } = await call('query_export', { sql: "SELECT count(*) FROM views WHERE view_time >= '2026-11-18'" });
    expect(text).toMatch(/^sql: no downloaded file has "views", which an export can hold\. The platform has the files: sync_exports/);
  });

  it('a column that no scope has is refused as before', async () => {
    const { text } = await call('query_export', { sql: here('no_such_column') });
    expect(text).toMatch(/^sql: there is no column "no_such_column"\./);
    expect(planIn(text)).toBe('');
  });
});
