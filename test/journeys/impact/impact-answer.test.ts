import { expect, it } from 'vitest';
import type { ConditionEffect, Estimate } from '../../../src/journeys/impact/effect.ts';
import { answerSentence, byCost, type ImpactRow, rowOf } from '../../../src/journeys/impact/impact-answer.ts';
import { touchesPage } from '../../../src/journeys/impact/scenario-pages.ts';

const NOTHING: Estimate = { value: 0, low: 0, high: 0 };

/** A row of so many sessions, all comparable; shares in percent. */
function row(facts: Pick<ImpactRow, 'condition' | 'what' | 'verdict'>, sessions: number, [own, other, half]: number[], lost?: Estimate) {
  const [withShare, withoutShare] = [(own ?? 0) / 100, (other ?? 0) / 100];
  const value = withShare - withoutShare;
  const difference = { value, low: value - (half ?? 0) / 100, high: value + (half ?? 0) / 100 };
  const counts = { sessions, comparable: sessions, effectiveControls: sessions, intervalPercent: 95, metMore: [] };
  const effect: ConditionEffect = { ...counts, withShare, withoutShare, difference, lostRevenue: lost ?? NOTHING };
  return rowOf(effect, lost !== undefined, { ...facts, pages: [] });
}

const variant = (lost: Estimate) =>
  row({ condition: 'checkout = one_page, against steps', what: 'variable', verdict: 'within noise' }, 8_000, [2.33, 2.29, 0.4], lost);
const purchases = { many: 'purchases', currency: 'EUR' } as const;

it('a variant asked for its revenue is told with the amount that it brought more or less, and whether that is noise', () => {
  const own = variant({ value: -120_000, low: -280_000, high: 40_000 });
  const shares = 'No winner yet: checkout = one_page, against steps, has 2.33% purchases against 2.29%, a difference within noise.';
  expect(answerSentence([own], 1, { ...purchases, aim: 'conversions' })).toBe(shares);
  expect(answerSentence([own], 1, { ...purchases, aim: 'revenue' })).toBe(
    `${shares} Revenue: about 1,200 EUR more (95%: -400 to 2,800), within noise.`,
  );
  const worse = variant({ value: 50_000, low: 10_000, high: 90_000 });
  expect(answerSentence([worse], 1, { ...purchases, aim: 'revenue' })).toContain('Revenue: about 500 EUR lost (95%: 100 to 900).');
  const unknown = { ...purchases, currency: undefined, aim: 'revenue' } as const;
  expect(answerSentence([own], 1, unknown)).toContain('about 1,200 in revenue more');
  expect(answerSentence([worse], 1, unknown)).toContain('about 500 in revenue lost');
});

const ofBounces = (condition: string, verdict: ImpactRow['verdict'], points: number, what = 'rage_click') =>
  row({ condition, what, verdict }, 200, [50 + points, 50, 10]);
const bounces = { many: 'visits that end on that page', aim: 'conversions', currency: undefined, isHarm: true } as const;

it('of visits that end on a page more is the loss: what raises them comes first and is told', () => {
  const rows = [ofBounces('a', 'no fair comparison', -20), ofBounces('b', 'within noise', 5), ofBounces('c', 'raises', 30)];
  const sorted = rows.toSorted(byCost('conversions', true));
  expect(sorted.map(({ condition }) => condition)).toEqual(['c', 'b', 'a']);
  expect(answerSentence(sorted, 3, bounces)).toBe('Clearest: c, about 60 more visits that end on that page (95%: 40 to 80).');
  expect(answerSentence(sorted.slice(1), 2, bounces)).toBe(
    'None of the 2 conditions that can be judged raises visits that end on that page beyond chance.',
  );
  expect(answerSentence([ofBounces('a click', 'no fair comparison', -20)], 1, bounces)).toBe(
    'No sign that a click goes with more visits that end on that page: 30% with it, 50% without, a difference that is hardly its doing.',
  );
  expect(answerSentence([ofBounces('v = b, against a', 'raises', 30, 'variable')], 1, bounces)).toContain('loses: 80%');
});

it('a condition with which more is bought is no cause of it: it is said to cost nothing', () => {
  const facts = { condition: 'loading over 5 s on /p/*', what: 'slow_page', verdict: 'no fair comparison' } as const;
  const own = row(facts, 2_000, [4.01, 3.13, 0.7], { value: -90_000, low: -150_000, high: -30_000 });
  expect(answerSentence([own], 1, { ...purchases, aim: 'conversions' })).toBe(
    'No sign that loading over 5 s on /p/* costs purchases: 4.01% with it, 3.13% without, a difference that is hardly its doing.',
  );
  expect(answerSentence([own], 1, { ...purchases, aim: 'revenue' })).toContain('about 900 EUR more (95%: 300 to 1,500)');
});

it('a loss of purchases that baskets hide is told in purchases where revenue is asked for', () => {
  const facts = { condition: 'an API error on /checkout/payment', what: 'api_error', verdict: 'lowers' } as const;
  const own = row(facts, 104, [21.2, 53, 9], { value: 210_000, low: -30_000, high: 450_000 });
  const words = { ...purchases, aim: 'revenue' } as const;
  expect(answerSentence([own, own], 31, words)).toBe(
    'Costliest beyond chance: an API error on /checkout/payment, about 33 purchases lost (95%: 24 to 42).',
  );
  expect(answerSentence([own], 1, words)).toContain('costs revenue: about 33 purchases lost');
});

it.each([
  ['/checkout/payment', 'Payment', true],
  ['/checkout/payment', 'Cart', false],
  ['/checkout/payment', 'Checkout', false],
  ['/cart', 'Open the basket', true],
  ['/p/*', 'Product page', true],
  ['/', 'Home', true],
  ['/c/*', 'Category', true],
  ['/search', 'Search results', true],
  ['/guide/*', 'Product page', false],
])('a slow-down of %s and the step "%s" are of one page: %s', (pattern, step, isOne) => {
  expect(touchesPage(pattern, step)).toBe(isOne);
});
