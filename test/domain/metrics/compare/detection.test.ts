import { describe, expect, it } from 'vitest';
import { detectionSentences, detectionsOf } from '../../../../src/domain/metrics/compare/detection.ts';
import type { Reading } from '../../../../src/domain/metrics/compare/readings.ts';
import { dayAfter } from '../../../../src/lib/calendar.ts';
import { seeded } from '../../../bench/verdicts/random.ts';
import { readingWith, rowOn } from '../points.ts';

const VISITS = 4_000;
const [BEFORE, SINCE] = [0.036, 0.024];

/** Days of a rate that falls for good on day 154, `level` days ago. */
function readingOf(seed: number, level: number): Reading {
  const { normal } = seeded(seed);
  const history = Array.from({ length: 154 + level }, (_, day) => {
    const rate = day < 154 ? BEFORE : SINCE;
    const orders = Math.round(VISITS * rate + Math.sqrt(VISITS * rate * (1 - rate)) * normal());
    return rowOn(dayAfter('2026-06-01', day), { visits: VISITS, conversionCount: orders, conversionRate: (100 * orders) / VISITS });
  });
  return readingWith(history);
}

describe('a level that is known from few days', () => {
  it('says its days, what they can show by their counts, and how many days each would show the change', () => {
    const [detection] = detectionsOf(readingOf(1, 13), ['conversionRate'], 5);
    expect(detection).toMatchObject({ days: null, levelDays: 13 });
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
});
