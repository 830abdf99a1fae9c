import { expect, it } from 'vitest';
import { answerSentence, rowOf } from '../../../../src/domain/journeys/impact/impact-answer.ts';

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
