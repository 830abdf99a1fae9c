/** @module-tag nightly */
import { describe, expect, it } from 'vitest';
import { truthOf } from '../../support/truth.ts';
import { records, useTools } from '../support.ts';

const { call, platform } = useTools();

const here = (column: string) => `SELECT ${column}, count(*) AS n FROM sessions WHERE session_time >= '2026-11-18' GROUP BY ALL`;

const planIn = (text: string) => /apply_export_plan \{"planId":"(plan-[a-z0-9]{10})","confirm":true\}/.exec(text)?.[1] ?? '';

it('where nothing is downloaded names the jobs whose files the platform has, and is answered once they are fetched', async () => {
  const sql = "SELECT count(*) AS n FROM sessions WHERE session_time >= '2026-11-17' AND session_time < '2026-11-19'";
  const { isError, text } = await call('query_export', { sql });
  expect(isError).toBe(true);
  const args = JSON.parse(
    /The platform has the files of ".+" \([^)]+\): sync_exports (\{[^}]+\}) fetches them; then ask again\./.exec(text)?.[1] ?? '{}',
  );
  // One job suffices, so only the runs of one are fetched.
  expect(args.jobIds).toHaveLength(1);
  expect(await call('sync_exports', args)).toMatchObject({ structured: { state: 'complete' } });
  const { visits } = truthOf(platform(), { from: '2026-11-17T00:00:00.000Z', to: '2026-11-18T23:59:59.999Z' });
  expect(records(await call('query_export', { sql }))).toEqual([{ n: visits }]);
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
    expect(text).toMatch(
      /^sql: no views are downloaded\. The platform has the files of "Daily views" \([^)]+\): sync_exports \{"jobIds":\["\d+"\]/,
    );
  });

  it('a column that no scope has is refused as before', async () => {
    const { text } = await call('query_export', { sql: here('no_such_column') });
    expect(text).toMatch(/^sql: there is no column "no_such_column"\./);
    expect(planIn(text)).toBe('');
  });
});
