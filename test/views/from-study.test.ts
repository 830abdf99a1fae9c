import { expect, test } from 'vitest';
import { chartOfView } from '../../src/views/from-study.ts';

const RANGE = { timeZone: 'UTC', interval: { startMs: Date.UTC(2026, 8, 15), endMs: Date.UTC(2026, 8, 22) }, yet: '' };

test('a view of levels or failures is drawn by step, the one that it begins with in colour', () => {
  const rows = [
    ['Search', 'Cart', 11.3, 8, 15],
    ['Home', 'Home', 1.7, 1, 4],
  ];
  const figures = { of: 'percent', columns: ['scenario', 'step', 'percent', 'low', 'high'], rows };
  const answer = '"Search" fails at "Cart" in 11.3% of 345 runs. At 1 other step at most 1.7% do.';
  expect(chartOfView({ figures, ...RANGE, breakdown: undefined, answer, yet: 'Only 2 of 6 scenarios looked at yet' })).toMatchObject({
    kind: 'bars',
    title: '"Search" fails at "Cart" in 11.3% of 345 runs',
    subtitle: '15 – 21 Sept 2026, UTC, %, Only 2 of 6 scenarios looked at yet, lines: 95%',
    unit: 'percent',
    labels: ['Search, Cart', 'Home, Home'],
    series: [{ values: [11.3, 1.7], low: [8, 1], high: [15, 4] }],
    accent: ['Search, Cart'],
  });
  // Its rows are of the whole range.
  expect(chartOfView({ figures, ...RANGE, breakdown: 'week', answer, yet: '' })).toMatchObject({
    kind: 'bars',
    subtitle: expect.stringContaining('not by week'),
  });
});

test('a cycle of hours is a course with a line for each step', () => {
  const rows = ['Cart', 'Home'].flatMap((step, at) => ['00:00', '01:00'].map((hour) => ['Search', step, hour, 100 + at, 90, 110]));
  const figures = { of: 'firstByte', columns: ['scenario', 'step', 'hour', 'firstByte', 'low', 'high'], rows };
  expect(chartOfView({ figures, ...RANGE, breakdown: 'hour', answer: 'TTFB does not differ by hour.' })).toMatchObject({
    kind: 'trend',
    subtitle: expect.stringContaining('scenario Search'),
    unit: 'ms',
    times: ['00:00', '01:00'],
    series: [
      { name: 'Cart', values: [100, 100], low: [90, 90] },
      { name: 'Home', values: [101, 101] },
    ],
  });
});
