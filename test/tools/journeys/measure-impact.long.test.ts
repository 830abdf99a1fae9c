import { beforeAll, describe, expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { call, platform } = useTools();

const scopes = {
  sessions: [
    'session_number',
    'session_time',
    'device_id',
    'browser_name',
    'country_code',
    'session_number_of_transactions',
    'session_transactions_revenue_cents',
  ],
  views: [
    'view_number',
    'view_time',
    'path',
    'fully_loaded',
    'frustration_score',
    'rage_click_all_targets_ind',
    'any_js_error_ind',
    'any_api_error_ind',
    'errors.message',
  ],
} as const;
const select = (...names: readonly string[]) => ['project_id', 'user_id', 'session_id', ...names].map((fieldName) => ({ fieldName }));
const variant = { fieldName: 'custom_var', customVarPosition: '3' };
/** Two days suffice, and are read quickly. */
const DAYS = { from: '2026-11-14', to: '2026-11-15' };

/** Creates an export of past days and fetches it. */
async function fetched(scope: keyof typeof scopes): Promise<void> {
  const fields = [...select(...scopes[scope]), ...(scope === 'sessions' ? [variant] : [])];
  const job = {
    name: `Impact, ${scope}`,
    format: 'JSONL',
    scope,
    deviceLabel: 'all',
    frequency: { value: 'once', dateRange: DAYS },
    fields,
  };
  await call('create_export_job', { ...job, confirm: true });
  await platform().clock.advance(10 * 60_000);
  expect(await call('download_export_run', { jobId: job.name })).toMatchObject({ isError: false });
}

const jobIds = { jobIds: ['Impact, sessions', 'Impact, views'] };

describe('measure_impact', () => {
  describe('with the sessions and views of two days', () => {
    beforeAll(async () => {
      await fetched('sessions');
      await fetched('views');
    }, 60_000);

    it('answers what one condition costs, both channels whole', async () => {
      const answer = await call('measure_impact', { ...jobIds, conditions: [{ what: 'rage_click', pages: ['/checkout/payment'] }] });
      expect(whole(answer)).toMatchSnapshot();
      expect(answer.structured['conditions']).toMatchObject([{ what: 'rage_click', pages: ['/checkout/payment'] }]);
    });

    it('looks at everything where no condition is named, within few tokens', { tags: 'nightly' }, async () => {
      const answer = await call('measure_impact', jobIds);
      expect(answer.isError).toBe(false);
      expect(answer.text.length / 4).toBeLessThan(900);
      expect(Number(answer.structured['total'])).toBeGreaterThan(10);
    });

    it('draws intervals as wide as its verdicts ask: that of a claim alone leaves out 0', { tags: 'nightly' }, async () => {
      const { structured } = await call('measure_impact', { ...jobIds, limit: 50 });
      const rows = (structured['conditions'] as Record<string, number | string>[]).filter(({ verdict }) => verdict !== 'too few');
      expect(rows.length).toBeGreaterThan(10);
      for (const { verdict, lowPoints, highPoints } of rows)
        expect(Number(lowPoints) * Number(highPoints) > 0).toBe(verdict !== 'within noise');
    });

    it('tells which error costs most: each text is a condition of its own', { tags: 'nightly' }, async () => {
      const answer = await call('measure_impact', { ...jobIds, conditions: [{ what: 'js_error' }], limit: 50 });
      const rows = answer.structured['conditions'] as { message?: string; pages: string[] }[];
      expect(new Set(rows.map(({ message }) => message)).size).toBeGreaterThan(2);
      expect(rows.every(({ message }) => message !== undefined && !/\d/.test(message))).toBe(true);
      // A text of which no page stands out is one row over all its pages.
      const together = rows.filter(({ pages }) => pages.includes('all pages'));
      expect(together.length).toBeGreaterThan(0);
      for (const { message } of together) expect(rows.filter((row) => row.message === message)).toHaveLength(1);
    });

    it('compares the variants of a test by the name of the variable', { tags: 'nightly' }, async () => {
      const answer = await call('measure_impact', { ...jobIds, conditions: [{ what: 'variable', name: 'checkout_variant' }] });
      expect(answer.structured['conditions']).toMatchObject([
        { what: 'variable', condition: 'checkout_variant = steps, against one_page', against: 'one_page' },
      ]);
      expect(answer.text).toContain('Variants are compared by visitor');
    });
  });
});
