import { expect, it } from 'vitest';
import { answerSentence, byCost, type ImpactRow, rowOf } from '../../../../src/domain/journeys/impact/impact-answer.ts';

const variant = (lostCents: { value: number; low: number; high: number }) =>
  rowOf({
    condition: 'checkout = one_page, against steps',
    what: 'variable',
    pages: [],
    sessions: 8_000,
    comparable: 8_000,
    shares: { with: 0.0233, without: 0.0229, difference: { value: 0.0004, low: -0.004, high: 0.005 } },
    lostCents,
    verdict: 'within noise',
  });
const purchases = { many: 'purchases', currency: 'EUR' } as const;

it('a variant asked for its revenue is told with the amount that it brought more or less, and whether that is noise', () => {
  const row = variant({ value: -120_000, low: -280_000, high: 40_000 });
  const shares = 'No winner yet: checkout = one_page, against steps, has 2.33% purchases against 2.29%, a difference within noise.';
  expect(answerSentence([row], 1, { ...purchases, aim: 'conversions' })).toBe(shares);
  expect(answerSentence([row], 1, { ...purchases, aim: 'revenue' })).toBe(
    `${shares} Revenue: about 1,200 EUR more than as many sessions without it would bring (95%: -400 to 2,800), within noise.`,
  );
  const worse = variant({ value: 50_000, low: 10_000, high: 90_000 });
  expect(answerSentence([worse], 1, { ...purchases, aim: 'revenue' })).toContain(
    'Revenue: about 500 EUR less than as many sessions without it would bring (95%: -900 to -100).',
  );
});

const ofBounces = (condition: string, verdict: ImpactRow['verdict'], difference: number) =>
  rowOf({
    condition,
    what: 'rage_click',
    pages: ['/pay'],
    sessions: 200,
    comparable: 200,
    shares: { with: 0.5 + difference, without: 0.5, difference: { value: difference, low: difference - 0.1, high: difference + 0.1 } },
    verdict,
  });

it('of visits that end on a page more is the loss: what raises them comes first and is told', () => {
  const words = { many: 'visits that end on that page', aim: 'conversions', currency: undefined, isHarm: true } as const;
  const rows = [ofBounces('a', 'no fair comparison', -0.2), ofBounces('b', 'within noise', 0.05), ofBounces('c', 'raises', 0.3)];
  const sorted = rows.toSorted(byCost('conversions', true));
  expect(sorted.map(({ condition }) => condition)).toEqual(['c', 'b', 'a']);
  expect(answerSentence(sorted, 3, words)).toBe('Clearest: c, about 60 more visits that end on that page (95%: 40 to 80).');
  expect(answerSentence(sorted.slice(1), 2, words)).toBe(
    'None of the 2 conditions that can be judged raises visits that end on that page beyond chance.',
  );
  expect(answerSentence([ofBounces('a click', 'no fair comparison', -0.2)], 1, words)).toBe(
    'No sign that a click goes with more visits that end on that page: 30% with it, 50% without, a difference that is hardly its doing.',
  );
});

it('a variant with which more visits end loses', () => {
  const row = { ...ofBounces('v = b, against a', 'raises', 0.3), what: 'variable' };
  expect(answerSentence([row], 1, { many: 'visits that end', aim: 'conversions', currency: undefined, isHarm: true })).toContain(
    'loses: 80%',
  );
});

it('a condition with which more is bought is no cause of it: it is said to cost nothing', () => {
  const row = rowOf({
    condition: 'loading over 5 s on /p/*',
    what: 'slow_page',
    pages: ['/p/*'],
    sessions: 2_000,
    comparable: 2_000,
    shares: { with: 0.0401, without: 0.0313, difference: { value: 0.0088, low: 0.002, high: 0.015 } },
    lostCents: { value: -90_000, low: -150_000, high: -30_000 },
    verdict: 'no fair comparison',
  });
  expect(answerSentence([row], 1, { ...purchases, aim: 'conversions' })).toBe(
    'No sign that loading over 5 s on /p/* costs purchases: 4.01% with it, 3.13% without, a gain beyond chance that is hardly its doing.',
  );
  expect(answerSentence([row], 1, { ...purchases, aim: 'revenue' })).toContain('about 900 EUR more with it (95%: 300 to 1,500)');
});
