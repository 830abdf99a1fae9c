import { expect, it } from 'vitest';
import { followingSize } from '../../../../src/domain/metrics/compare/causes.ts';
import type { MeasuredChange } from '../../../../src/domain/metrics/compare/measured-change.ts';
import type { Reading } from '../../../../src/domain/metrics/compare/readings.ts';
import type { MetricRow } from '../../../../src/domain/metrics/read/metric-answers.ts';
import { DAY_MS } from '../../../../src/lib/clock.ts';
import { seeded } from '../../../bench/verdicts/random.ts';

const DAYS = 120;
const labelAt = (day: number) => new Date(Date.parse('2026-07-01') + day * DAY_MS).toISOString().slice(0, 10);

/** A reading whose revenue scatters by so much and falls to a share on its last days. */
function readingOf(seed: number, scatter: number, days: number): Reading {
  const random = seeded(seed);
  const history = Array.from({ length: DAYS }, (_, day): MetricRow => {
    const startMs = Date.parse(labelAt(day));
    const revenueSum = 4_000 * Math.exp(scatter * random.normal()) * (day < DAYS - days ? 1 : 0.7);
    return {
      range: 0,
      selection: { device: 'all', segmentIds: [], goalId: undefined, zoneId: undefined },
      interval: { startMs, endMs: startMs + DAY_MS - 1, label: labelAt(day), isPart: false },
      values: { revenueSum, conversionCount: 50, visits: 2_000 },
    };
  });
  return { device: 'all', segmentIds: [], zoneId: undefined, before: {}, after: {}, history, baselineDays: [], periodDays: [] };
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
