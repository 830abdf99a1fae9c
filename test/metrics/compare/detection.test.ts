import { describe, expect, it } from 'vitest';
import { dayAfter, daysFrom } from '../../../src/lib/calendar.ts';
import { detectionSentences, detectionsOf } from '../../../src/metrics/compare/detection.ts';
import type { Reading } from '../../../src/metrics/compare/readings.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { readingWith, rowOn } from '../points.ts';

const VISITS = 4_000;
const [BEFORE, SINCE] = [0.036, 0.024];

/** Days of a rate that falls for good on day 154, `level` days ago. */
function readingOf(seed: number, level: number): Reading {
  const { normal } = seeded(seed);
  const history = times(154 + level, (day) => {
    const rate = day < 154 ? BEFORE : SINCE;
    const orders = Math.round(VISITS * rate + Math.sqrt(VISITS * rate * (1 - rate)) * normal());
    return rowOn(dayAfter('2026-06-01', day), { visits: VISITS, conversionCount: orders, conversionRate: (100 * orders) / VISITS });
  });
  return readingWith(history);
}

describe('a level that is known from few days', () => {
  it('says its days, and what they can show by their counts', () => {
    const [detection] = detectionsOf(readingOf(1, 13), ['conversionRate'], 5);
    expect(detection).toMatchObject({ days: null, levelDays: 13 });
    const error = Math.sqrt(((1 - SINCE) / (VISITS * SINCE)) * (1 / 13 + 1 / 92));
    const byCounts = 100 * Math.expm1(3.4174 * error);
    expect(detection?.smallest).toBeGreaterThan(0.95 * byCounts);
    expect(detection?.smallest).toBeLessThan(1.35 * byCounts);
    const [size, least] = detectionSentences(detection ? [detection] : []);
    expect(size).toBe('A lasting change of 5% could not be seen within 92 days in conversion rate.');
    expect(least).toMatch(/^With 13 days at the present level, a change of \d+(\.\d)?% in conversion rate could be seen in that time\.$/);
  });

  it('is that of the factor that moved a product, and learns nothing of scatter from weeks with special days', () => {
    const { normal } = seeded(3);
    const isSpecial = (day: number) => day >= 100 && day < 107;
    const rows = readingOf(1, 13).days.map((row, day) => {
      const factor = isSpecial(day) ? 2.5 : 1;
      const conversionCount = Math.round(factor * Number(row.values['conversionCount']));
      const revenueSum = conversionCount * 70 * Math.exp(0.15 * normal());
      return { ...row, values: { ...row.values, visits: factor * VISITS, conversionCount, revenueSum } };
    });
    const specialOf = (label: string) => (isSpecial(daysFrom('2026-06-01', label)) ? { special: { mean: 0, sd: 0.5 } } : {});
    const known = { specialDays: () => undefined, of: (_: string, label: string) => specialOf(label) };
    // Baskets scatter by 15 % and orders by their number.
    const byScatter = 100 * Math.expm1(3.4174 * Math.sqrt((0.15 ** 2 + 1 / (VISITS * SINCE)) * (1 / 13 + 1 / 92)));
    for (const days of [rows, rows.map((row) => ({ ...row, known }))]) {
      const [detection] = detectionsOf(readingWith(days), ['revenueSum'], 5);
      expect(detection?.levelDays).toBe(13);
      expect(detection?.smallest).toBeGreaterThan(0.95 * byScatter);
      expect(detection?.smallest).toBeLessThan(1.4 * byScatter);
    }
  });

  it('says all of it in sentences of at most 25 words', () => {
    const own = { percent: 5, days: null, levelDays: 9 };
    const said = detectionSentences([
      { ...own, metric: 'conversionRate', smallest: 19.5 },
      { ...own, metric: 'revenueSum', smallest: 24 },
    ]);
    for (const sentence of said) expect(sentence.split(' ').length).toBeLessThanOrEqual(25);
    expect(said).toContain(
      'With 9 days at the present level, a change of 19.5% in conversion rate and 24.0% in revenue could be seen in that time.',
    );
  });
});
