import { describe, expect, it } from 'vitest';
import { detectionSentences, detectionsOf } from '../../../../src/domain/metrics/compare/detection.ts';
import type { Reading } from '../../../../src/domain/metrics/compare/readings.ts';
import type { MetricRow } from '../../../../src/domain/metrics/read/metric-answers.ts';
import { DAY_MS } from '../../../../src/lib/clock.ts';
import { seeded } from '../../../bench/verdicts/random.ts';

const FIRST_MS = Date.parse('2026-06-01');
const VISITS = 4_000;
const [BEFORE, SINCE] = [0.036, 0.024];
const selection: MetricRow['selection'] = { device: 'all', segmentIds: [], goalId: undefined, zoneId: undefined };

/** Days of a rate that falls for good on day 154, `level` days ago. */
function readingOf(seed: number, level: number): Reading {
  const { normal } = seeded(seed);
  const history = Array.from({ length: 154 + level }, (_, day): MetricRow => {
    const startMs = FIRST_MS + day * DAY_MS;
    const rate = day < 154 ? BEFORE : SINCE;
    const orders = Math.round(VISITS * rate + Math.sqrt(VISITS * rate * (1 - rate)) * normal());
    return {
      selection,
      range: 0,
      interval: { startMs, endMs: startMs + DAY_MS - 1, label: new Date(startMs).toISOString().slice(0, 10), isPart: false },
      values: { visits: VISITS, conversionCount: orders, conversionRate: (100 * orders) / VISITS },
    };
  });
  return { device: 'all', segmentIds: [], zoneId: undefined, before: {}, after: {}, history, baselineDays: [], periodDays: [] };
}

describe('a level that is known from few days', () => {
  it('says its days, what they can show by their counts, and how many days each would show the change', () => {
    const [detection] = detectionsOf(readingOf(1, 13), ['conversionRate'], 5);
    expect(detection).toMatchObject({ days: null, levelSince: '2026-11-02', levelDays: 13 });
    const error = Math.sqrt(((1 - SINCE) / (VISITS * SINCE)) * (1 / 13 + 1 / 92));
    const byCounts = 100 * Math.expm1(3.4174 * error);
    expect(detection?.smallest).toBeGreaterThan(0.95 * byCounts);
    expect(detection?.smallest).toBeLessThan(1.35 * byCounts);
    const [size, ahead] = detectionSentences(detection ? [detection] : []);
    expect(size).toMatch(
      /^A lasting change of 5% could not be seen within 92 days in conversion rate \(\d+(\.\d)?% could, against 13 days of its level\)\.$/,
    );
    expect(ahead).toMatch(/^Against as many days of the present level, it would take \d+ days in conversion rate\.$/);
  });

  it('shows the change after these days in four of five cases', () => {
    const days = detectionsOf(readingOf(2, 13), ['conversionRate'], 5)[0]?.daysEach ?? 0;
    const least = (2 * (1 - SINCE) * 3.4174 ** 2) / (VISITS * SINCE * Math.log(1.05) ** 2);
    expect(days).toBeGreaterThan(0.95 * least);
    const { normal } = seeded(9);
    const countOf = (rate: number) => VISITS * days * rate + Math.sqrt(VISITS * days * rate * (1 - rate)) * normal();
    const shown = Array.from({ length: 400 }, () => {
      const [a, b] = [countOf(SINCE), countOf(1.05 * SINCE)];
      return Math.abs(Math.log(b / a)) / Math.sqrt((1 - SINCE) * (1 / a + 1 / b)) > 2.5758;
    });
    expect(shown.filter(Boolean).length).toBeGreaterThan(0.76 * 400);
  });
});
