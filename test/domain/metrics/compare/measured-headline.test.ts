import { expect, it } from 'vitest';
import { followingSize } from '../../../../src/domain/metrics/compare/causes.ts';
import type { MeasuredChange } from '../../../../src/domain/metrics/compare/measured-change.ts';
import { dayAfter } from '../../../../src/lib/calendar.ts';
import { seeded } from '../../../bench/verdicts/random.ts';
import { readingWith, rowOn } from '../points.ts';

const DAYS = 120;
const labelAt = (day: number) => dayAfter('2026-07-01', day);

/** A reading whose revenue scatters by so much and falls to a share on its last days. */
function readingOf(seed: number, scatter: number, days: number) {
  const random = seeded(seed);
  const history = Array.from({ length: DAYS }, (_, day) => {
    const revenueSum = 4_000 * Math.exp(scatter * random.normal()) * (day < DAYS - days ? 1 : 0.7);
    return rowOn(labelAt(day), { revenueSum, conversionCount: 50, visits: 2_000 });
  });
  return readingWith(history);
}

const rateSince = (days: number): MeasuredChange => {
  const from = labelAt(DAYS - days);
  const size = { relative: -0.3, low: -0.35, high: -0.25, pValue: 1e-9 };
  return {
    metric: 'conversionRate',
    device: 'all',
    change: { shape: 'step', from, days, earliest: from, latest: from, ...size },
  };
};

it('a product has a size on the days of its factor where chance leaves no doubt of its direction', () => {
  const sizesOf = (scatter: number, days: number) =>
    Array.from({ length: 12 }, (_, seed) => followingSize('revenueSum', readingOf(seed + 1, scatter, days), rateSince(days)));
  const [clear, doubtful] = [sizesOf(0.1, 8), sizesOf(0.6, 1)];
  expect(clear.every((size) => size !== undefined && Math.abs(size.relative + 0.3) < 0.1)).toBe(true);
  expect(doubtful.filter((size) => size !== undefined && size.low * size.high <= 0)).toEqual([]);
});
