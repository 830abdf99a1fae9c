import { describe, expect, it } from 'vitest';
import type { ImpactAnswer } from '../../src/domain/journeys/impact/impact-answer.ts';
import { chartOfImpact, funnelChart } from '../../src/views/from-journeys.ts';

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

describe('the picture of a funnel', () => {
  const steps = [
    { step: '/p/*', sessions: 1_000 },
    { step: '/cart', sessions: 150 },
    { step: 'purchase', sessions: 50 },
  ];
  const group = (name: string, own: number[], kind: 'differs' | 'no difference', verdict: string) => ({
    group: name,
    steps: own,
    kind,
    verdict,
  });

  it('shows of a split how many of each group go on, and the group that differs', () => {
    const groups = [
      group('mobile', [400, 40, 4], 'differs', 'fewer reach /cart: 10.0% of those at /p/*, elsewhere 18.3%'),
      group('desktop', [600, 110, 46], 'no difference', 'like the others'),
    ];
    expect(funnelChart({ steps, groups, unit: 'sessions', covered: ['2026-11-13'] })).toMatchObject({
      title: 'Mobile: fewer reach /cart: 10.0% of those at /p/*, elsewhere 18.3%',
      labels: ['mobile', 'desktop'],
      accent: ['mobile'],
      unit: 'percent',
      series: [
        { name: 'reach /cart', values: [10, (100 * 110) / 600] },
        { name: 'reach purchase', values: [10, (100 * 46) / 110] },
      ],
    });
  });

  it('says the whole where no group differs, and shows the steps without a split', () => {
    const alike = [group('mobile', [400, 60, 20], 'no difference', ''), group('desktop', [600, 90, 30], 'no difference', '')];
    const whole = { title: '5% of sessions go from /p/* to purchase' };
    const funnel = { steps, unit: 'sessions', covered: ['2026-11-13'] };
    expect(funnelChart({ ...funnel, groups: alike })).toMatchObject(whole);
    expect(funnelChart({ ...funnel, groups: alike })).not.toHaveProperty('accent');
    expect(funnelChart(funnel)).toMatchObject({ ...whole, labels: ['/p/*', '/cart', 'purchase'] });
  });
});
