import { expect, it } from 'vitest';
import { usualText } from '../../../../src/domain/metrics/compare/usual-words.ts';

it('figures beyond noise are said with the level that the verdict goes by, of a product too', () => {
  const text = (after: number, relative: number) =>
    usualText({
      metric: 'conversionCount',
      compared: { before: 1_000, after },
      judgement: { verdict: 'within noise', changes: [], relative, noise: 0.193, score: -2 },
      days: { first: '2026-11-16' },
    });
  expect(text(794, -0.189)).toBe(' (-18.9% on a typical day, weekdays and special days evened out)');
  expect(text(815, -0.18)).toBe('');
});

it('single days that alone make the figures lie beyond noise are named beside the level without them', () => {
  const day = (from: string, relative: number) => {
    const bounds = { relative, low: relative - 0.1, high: relative + 0.1 };
    return { shape: 'outlier', from, to: from, days: 1, earliest: from, latest: from, pValue: 1e-4, ...bounds } as const;
  };
  const change = {
    metric: 'visits',
    compared: { before: 30_469, after: 34_149 },
    judgement: {
      verdict: 'within noise',
      withOutliers: 'up',
      changes: [day('2026-11-15', -0.219), day('2026-11-18', 0.477)],
      relative: 0.015,
      noise: 0.104,
      score: 0.4,
    },
    days: { first: '2026-11-16' },
  } as const;
  expect(usualText(change)).toBe('; +1.5% without 2026-11-15 (-21.9%) and 2026-11-18 (+47.7%), which stand out');
  expect(usualText(change, true)).toBe(' (+1.5% without 2026-11-15 and 2026-11-18)');
  const same = { ...change, compared: { before: 30_469, after: 33_000 } };
  expect(usualText(same)).toBe(' (+1.5% on typical days)');
});
