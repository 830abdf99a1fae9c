import { beforeAll, describe, expect, it } from 'vitest';
import { HOUR_MS, MINUTE_MS } from '../../../src/lib/clock.ts';
import { passWaiting } from '../../support/pass-waiting.ts';
import { planIn, records, useTools } from '../support.ts';

const { call, platform } = useTools();

const STEPS = { steps: ['/cart', '/checkout/payment'] };
const SESSIONS = 'SELECT count(*) AS n FROM sessions';

describe('where nothing is downloaded', () => {
  it('a description fetches the newest files that the platform has, of the jobs with most columns', async () => {
    const { isError, structured, text } = await call('query_export');
    expect(isError).toBe(false);
    expect(structured['answer']).toMatch(/^[\d,]+ rows of sessions \(28 columns\) and views \(19 columns\)\.$/);
    expect(structured['jobs']).toEqual([
      expect.objectContaining({ job: 'Daily sessions' }),
      expect.objectContaining({ job: 'Daily views' }),
    ]);
    expect(text).toContain('sessions: 2026-11-13');
    expect(text).not.toContain('sync_exports');
  });

  it.each([
    ['analyze_funnel', { ...STEPS, startDate: '-90d' }],
    ['query_export', { sql: `${SESSIONS} WHERE session_time >= '2026-08-01'` }],
  ])(
    '%s over more days than an export for a question holds is answered of those there are, and says which can be asked',
    async (tool, args) => {
      const { structured, text } = await call(tool, args);
      expect(structured['answer']).toMatch(/^The downloads cover only \d+ of the \d+ days, /);
      expect(text).toMatch(/holds at most 35 days\. Ask for 2026-10-\d\d … 2026-11-\d\d \(35 days, UTC\), or fewer\./);
    },
  );

  it('days of which the platform has some are answered of these, and the others alone are planned', async () => {
    const { structured, text } = await call('analyze_funnel', { ...STEPS, startDate: '-7d' });
    expect(structured['answer']).toMatch(/^The downloads cover only 6 of the 7 days, from 13 to 14 Nov and from 16 to 19 Nov\./);
    expect(text).toMatch(/is planned \(.+\), not created yet\..* apply_export_plan /);
    const preview = await call('apply_export_plan', { planId: planIn(text) });
    const { from, to } = (preview.structured as { request: { body: { frequency: { dateRange: { from: string; to: string } } } } }).request
      .body.frequency.dateRange;
    expect([from, to]).toEqual(['2026-11-15T00:00:00.000Z', '2026-11-16T00:00:00.000Z']);
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

describe('of what is here', { tags: 'nightly' }, () => {
  beforeAll(() => call('sync_exports', { jobIds: ['Daily sessions', 'Daily views'] }));

  it('a description counts its rows, which are not those of its table of columns', async () => {
    const { structured } = await call('query_export');
    const { rowCount, answer } = structured as { rowCount: number; answer: string };
    expect(answer).toMatch(
      new RegExp(`^${rowCount.toLocaleString('en')} rows of sessions \\(\\d+ columns\\) and views \\(\\d+ columns\\)\\.$`),
    );
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
    const { structured } = await call('analyze_funnel', { ...STEPS, startDate: '-2d' });
    const lead = 'The downloads cover only 1 of the 2 days, on 19 Nov. ';
    expect(structured['answer']).toMatch(new RegExp(`^${lead}`));
    const sql = "SELECT count(*) AS n FROM views WHERE view_time >= '2026-11-19'";
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
