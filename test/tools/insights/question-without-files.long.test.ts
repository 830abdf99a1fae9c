/** @module-tag nightly */
import { describe, expect, it } from 'vitest';
import { truthOf } from '../../support/truth.ts';
import { planIn, records, refusal, useTools } from '../support.ts';

const { call, platform } = useTools();

const here = (column: string) => `SELECT ${column}, count(*) AS n FROM sessions WHERE session_time >= '2026-11-18' GROUP BY ALL`;

it('where nothing is downloaded fetches the fewest runs that the platform has of its days, and answers from them', async () => {
  const sql = "SELECT count(*) AS n FROM sessions WHERE session_time >= '2026-11-17' AND session_time < '2026-11-19'";
  const answer = await call('query_export', { sql });
  const { visits } = truthOf(platform(), { from: '2026-11-17T00:00:00.000Z', to: '2026-11-18T23:59:59.999Z' });
  expect(records(answer)).toEqual([{ n: visits }]);
  // One job suffices, two days of a daily export and no hourly ones.
  const { structured } = await call('query_export');
  expect(structured).toMatchObject({ runs: 2, jobs: [{ job: 'Daily sessions' }] });
});

it('files that cannot be fetched are named with the call that tries again', async () => {
  platform().faults.add({ kind: 'refused', operation: 'download' });
  const { isError, text } = await call('query_export', { jobId: 'Daily views', sql: 'SELECT 1 FROM data' });
  expect({ isError, text }).toEqual(
    refusal(/The files of "Daily views" could not be fetched: sync_exports \{"jobIds":\["3130"\]\} tries again and says why\.$/),
  );
});

describe('what no file holds is told apart from what does not exist', () => {
  it('a column that an export can hold is planned', async () => {
    const { isError, text } = await call('query_export', { sql: here('screen_width') });
    expect({ isError, text }).toEqual(refusal('sql: no downloaded file has "screen_width", which an export can hold. '));
    const { structured } = await call('apply_export_plan', { planId: planIn(text) });
    expect(structured).toMatchObject({ request: { body: { fields: expect.arrayContaining([{ fieldName: 'screen_width' }]) } } });
  });

  it('a view that is not there yet is fetched where the platform has its files', async () => {
    const answer = await call('query_export', { sql: "SELECT count(*) AS n FROM views WHERE view_time >= '2026-11-18'" });
    expect(Number(records(answer)[0]?.['n'])).toBeGreaterThan(1_000);
  });

  it('a column that no scope has is refused as before', async () => {
    const { text } = await call('query_export', { sql: here('no_such_column') });
    expect(text).toMatch(/^sql: there is no column "no_such_column"\./);
    expect(planIn(text)).toBe('');
  });
});
