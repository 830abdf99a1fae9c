import { expect, it } from 'vitest';
import { expectedAnswer } from '../../../../src/domain/metrics/expected/expected-words.ts';
import type { ExpectedCell } from '../../../../src/domain/metrics/read/expected-columns.ts';

const day = '2026-11-27';
const interval = { label: day, startMs: Date.parse(day), endMs: Date.parse(`${day}T23:59:59.999Z`) };
const cell = (expected: number, low: number, high: number): ExpectedCell => ({ expected, low, high, verdict: 'ordinary' });

function said(values: Record<string, number>, expected: Record<string, ExpectedCell>): string {
  const line = { order: 0, values, expected, interval, selection: { device: 'all', segmentIds: [] } };
  const query = { metrics: Object.keys(values), bases: [], breakdown: [] };
  return expectedAnswer([line] as never, { query, timeZone: 'UTC', currency: 'EUR' } as never);
}

it('ordinary values far from what was to be expected are told with their bounds, those of each metric', () => {
  const answer = said(
    { visits: 9_000, revenueSum: 24_000, conversionRate: 3 },
    { visits: cell(4_300, 1_500, 12_000), revenueSum: cell(9_000, 2_000, 41_000), conversionRate: cell(2.9, 2.1, 4) },
  );
  const [first, wide = ''] = answer.split(' only because the bounds are so wide: ');
  expect(first).toBe('All 3 values count as ordinary, 2 of them');
  expect(wide).toMatch(/^Revenue, .*24,000\.00 EUR where 9,000\.00 EUR \(95%: 2,000\.00 to 41,000\.00\) was to be expected; /);
  expect(wide).toMatch(/; Visits, .*9,000 where 4,300 \(95%: 1,500 to 12,000\) was to be expected\.$/);
  expect(answer).not.toContain('Conversion rate');
});

it('ordinary values near what was to be expected need no such word', () => {
  const answer = said({ visits: 4_400, revenueSum: 9_100 }, { visits: cell(4_300, 4_000, 4_600), revenueSum: cell(9_000, 8_000, 10_000) });
  expect(answer).not.toContain('wide');
});

it('an ordinary value outside its own bounds is told as that, and no bounds are called wide', () => {
  const answer = said({ visits: 9_000, revenueSum: 9_100 }, { visits: cell(4_300, 3_000, 6_000), revenueSum: cell(9_000, 2_000, 41_000) });
  expect(answer).toBe(
    'Both values together are ordinary, but 1 of 2 lies outside its own 95% bounds: Visits, 2026-11-27 with 9,000 where 4,300 ' +
      '(95%: 3,000 to 6,000) was to be expected.',
  );
});

it('an ordinary value outside its own bounds, but near what was to be expected, is counted and not called the farthest', () => {
  const answer = said({ visits: 4_700, revenueSum: 9_100 }, { visits: cell(4_300, 4_000, 4_600), revenueSum: cell(9_000, 8_000, 10_000) });
  expect(answer).toMatch(/^Both values are ordinary: .+, though 1 of 2 lies outside its own 95% bounds\.$/);
});
