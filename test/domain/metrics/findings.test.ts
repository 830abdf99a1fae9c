import { expect, it } from 'vitest';
import { changeFacts, grammarOf } from '../../../src/domain/metrics/findings.ts';
import { sentenceOf } from '../../../src/findings/sentence.ts';
import { dayAfter } from '../../../src/lib/calendar.ts';

const LAST = '2026-11-20';
/** Days of 1,000 visits, a tenth less from a day on. */
const pointsSince = (from: string, season?: number) =>
  Array.from({ length: 120 }, (_, index) => {
    const label = dayAfter(LAST, index - 119);
    return { label, numerator: label < from ? 1_000 : 900, denominator: 1, isWhole: true, season };
  });

/** The record of visits that are a tenth lower since a day. */
function factsSince(from: string, { relative = -0.1, season }: { relative?: number; season?: number } = {}) {
  const change = { shape: 'step', from, days: 1, earliest: from, latest: from, relative, low: -0.2, high: -0.05, pValue: 1e-6 } as const;
  const cost = { metric: 'revenueSum' as const, value: -900, low: -1_200, high: -600 };
  return changeFacts({ metric: 'visits', place: {}, change, cost, points: pointsSince(from, season), last: LAST }, 'EUR');
}

it('a lower level of months may be the season where no earlier year is held, and has no cost then', () => {
  const told = factsSince('2026-09-01');
  expect(told).not.toHaveProperty('cost');
  expect(sentenceOf(told, grammarOf('2026-11-21'))).toBe('Visits have been 10% lower since 1 Sept; the season alone could explain it.');
});

it.each([
  ['of weeks', factsSince('2026-10-15')],
  ['beyond any season', factsSince('2026-09-01', { relative: -0.4 })],
  ['beside an earlier year', factsSince('2026-09-01', { season: 0.1 })],
])('a level %s is a change with its cost', (_, told) => {
  expect(told).toMatchObject({ causes: [], cost: { value: -900 } });
});
