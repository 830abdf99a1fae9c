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
