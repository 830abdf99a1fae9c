import { describe, expect, it } from 'vitest';
import type { ImpactAnswer } from '../../src/domain/journeys/impact/impact-answer.ts';
import { chartOfImpact } from '../../src/views/from-journeys.ts';

const row = {
  condition: 'rage clicks on /cart',
  verdict: 'lowers',
  lostConversions: 12,
  lostConversionsLow: 4,
  lostConversionsHigh: 20,
  lostRevenue: 900,
  lostRevenueLow: 300,
  lostRevenueHigh: 1_500,
};
const drawn = (outcome: string, rows: readonly object[], currency?: string) =>
  chartOfImpact({ conditions: rows, days: 7, outcome, currency } as unknown as ImpactAnswer, ['2026-11-13 … 2026-11-19']);

describe('the picture of what conditions cost', () => {
  it('says the costliest and draws each with its interval, the verdict where it is no claim', () => {
    const within = { ...row, condition: 'slow load on /', verdict: 'within noise', lostConversionsLow: -3 };
    const unknown = { ...row, condition: 'error', verdict: 'too few', lostConversionsLow: undefined, lostConversionsHigh: undefined };
    const chart = drawn('purchase', [row, within, unknown, { ...row, lostConversions: undefined }]);
    expect(chart?.title).toBe('Costliest: rage clicks on /cart, 12 purchases in 7 days');
    expect(chart?.labels).toEqual(['rage clicks on /cart', 'slow load on /', 'error']);
    expect(chart?.notes).toEqual(['(4 to 20)', '(-3 to 20) not significant', 'too few']);
  });

  it('is one of money where revenue is asked about', () => {
    const chart = drawn('revenue', [row], 'EUR');
    expect(chart).toMatchObject({ title: 'Costliest: rage clicks on /cart, 900 EUR in 7 days', notes: ['(300 to 1,500)'] });
    expect(chart?.subtitle).toMatch(/^revenue lost, EUR in 7 days/);
  });

  it('draws more visits that end as the loss', () => {
    const ending = { ...row, verdict: 'raises', lostConversions: -12, lostConversionsLow: -20, lostConversionsHigh: -4 };
    const chart = drawn('bounce', [ending]);
    expect(chart?.title).toBe('Most visits end after rage clicks on /cart: 12 in 7 days');
    expect(chart?.series[0]?.values).toEqual([12]);
    expect(chart?.notes).toEqual(['(4 to 20)']);
    expect(drawn('bounce', [{ ...ending, verdict: 'within noise' }])?.title).toBe('No condition stands out as ending visits in 7 days');
  });

  it('is none where nothing could be measured', () => {
    expect(drawn('purchase', [{ ...row, lostConversions: undefined }])).toBeUndefined();
  });
});
