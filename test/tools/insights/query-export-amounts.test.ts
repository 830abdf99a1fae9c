import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { openAssistant } from '../../support/assistant.ts';
import { useTools } from '../support.ts';

const { call, platform } = useTools();

beforeAll(async () => {
  await call('download_export_run', { jobId: 'Daily sessions' });
});

describe('amounts of money', () => {
  const revenue = { jobId: 'Daily sessions', sql: 'SELECT sum(session_transactions_revenue) AS session_transactions_revenue FROM data' };

  it('have the currency of the project beside them; other columns have none', { tags: 'nightly' }, async () => {
    expect((await call('query_export', revenue)).structured).toMatchObject({ currency: 'EUR' });
    const counted = await call('query_export', { jobId: 'Daily sessions', sql: 'SELECT count(*) AS n FROM data' });
    expect(counted.structured).not.toHaveProperty('currency');
    expect((await call('query_export', { jobId: 'Daily sessions' })).structured).toMatchObject({ currency: 'EUR' });
  });

  it('that a statement makes of cents keep their cents in the text', { tags: 'nightly' }, async () => {
    const cents = 'sum(session_transactions_revenue_cents)';
    const sql = `SELECT ${cents} AS all_cents, ${cents} / 100 AS revenue, round(${cents}::DOUBLE / 100.0, 2) AS rounded FROM data`;
    const { structured, text } = await call('query_export', { jobId: 'Daily sessions', sql });
    const [[allCents]] = structured['rows'] as [[number]];
    const amount = (allCents / 100).toFixed(2);
    expect(structured['units']).toEqual({ all_cents: 'cents', revenue: 'money', rounded: 'money' });
    expect(text).toContain(`${allCents}\t${amount}\t${amount}`);
  });

  it('are answered without it where the platform does not give it', { tags: 'nightly' }, async () => {
    platform().faults.add({ kind: 'refused', operation: 'getSiteRevenue' });
    const other = await openAssistant(platform(), { credential: 'shop' });
    onTestFinished(() => other.close());
    await other.call('download_export_run', { jobId: 'Daily sessions' });
    const answer = await other.call('query_export', revenue);
    expect(answer.isError).toBe(false);
    expect(answer.structured).not.toHaveProperty('currency');
  });

  it('have it in a plan too', async () => {
    const plan = { fields: ['session_transactions_revenue_cents'], frequency: 'daily' };
    expect((await call('plan_export', plan)).text).toContain('Amounts are in cents of EUR.');
    expect((await call('plan_export', { ...plan, fields: ['browser'] })).text).not.toContain('EUR');
  });
});
