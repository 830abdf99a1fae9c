import { describe, expect, it } from 'vitest';
import { findingsOf, records, useTools } from '../support.ts';

const { call } = useTools();

/** The rate of purchases falls on one device in it. */
const range = { startDate: '2026-11-01', endDate: '2026-11-19' };
const goal = 'Newsletter sign-up';

describe('beside a goal other than that of e-commerce revenue follows from no conversions', () => {
  it('of that goal, whatever is named: neither a basket nor an order is made of them', { tags: 'nightly' }, async () => {
    const { text, structured } = await call('compare_metrics', { ...range, metrics: ['revenue', 'conversionRate'], goalId: goal });
    expect(text).not.toMatch(/basket|average (?:cart|order)/i);
    expect(structured['revenue']).toBeUndefined();
    const { structured: ofShop } = await call('compare_metrics', { ...range, metrics: ['revenue', 'conversionRate'] });
    expect(ofShop['revenue']).toMatchObject({ unit: 'EUR' });
    const amounts = (answer: Record<string, unknown>) =>
      (answer['rows'] as unknown[][]).find(([metric]) => metric === 'revenueSum')?.slice(0, 4);
    expect(amounts(structured)).toEqual(amounts(ofShop));
    expect(JSON.stringify(structured['findings'])).not.toContain('cartAverage');
  });

  it('and is expected as it is without that goal, beside the rate of purchases that it follows from', async () => {
    const asked = { ...range, metrics: ['revenue', 'conversionRate'], breakdown: ['week'], expected: true };
    const [ofGoal, ofShop] = [await call('query_metrics', { ...asked, goalIds: [goal] }), await call('query_metrics', asked)];
    const revenueOf = (answer: typeof ofGoal) =>
      records(answer).map((row) => Object.entries(row).filter(([column]) => column.startsWith('revenueSum')));
    expect(revenueOf(ofGoal).flat().length).toBeGreaterThan(8);
    expect(revenueOf(ofGoal)).toEqual(revenueOf(ofShop));
    const [change, ...others] = findingsOf(ofGoal);
    expect(change).toMatchObject({
      subject: 'conversionRate',
      place: { device: 'mobile', goal: 'e-commerce goal' },
      verdict: 'lower',
      cost: { of: 'revenueSum', unit: 'EUR' },
    });
    // Revenue is that of no goal.
    expect(others.filter(({ subject, place }) => subject === 'revenueSum' && 'goal' in place)).toEqual([]);
    const rates = (answer: typeof ofGoal) => records(answer).map(({ conversionRate }) => conversionRate);
    expect(rates(ofGoal)).not.toEqual(rates(ofShop));
  });
});
