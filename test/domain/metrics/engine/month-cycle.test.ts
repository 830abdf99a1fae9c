import { describe, expect, it } from 'vitest';
import { judgePeriods } from '../../../../src/domain/metrics/engine/judge.ts';
import { type DailyPoint, seriesOf } from '../../../../src/domain/metrics/engine/series.ts';
import { DAY_MS } from '../../../../src/lib/clock.ts';
import { seeded } from '../../../bench/verdicts/random.ts';
import { sampleSize } from '../../../support/sample-size.ts';

const DAYS = 170;
const FIRST_MS = Date.parse('2026-04-14');
const labelAt = (day: number) => new Date(FIRST_MS + day * DAY_MS).toISOString().slice(0, 10);

/** Visits that rise by `payDays` from the 26th to the 3rd and fall by half as much on other days; the last ones are 30 September 2026. */
function daysOf(payDays: number, seed: number): DailyPoint[] {
  const random = seeded(seed);
  return Array.from({ length: DAYS }, (_, day) => {
    const label = labelAt(day);
    const date = Number(label.slice(8));
    const ofMonth = date >= 26 || date <= 3 ? 1 + payDays : 1 - payDays / 2;
    const weekday = new Date(label).getUTCDay() % 6 === 0 ? 0.8 : 1;
    return {
      label,
      numerator: random.poisson(20_000 * ofMonth * weekday * Math.exp(0.04 * random.normal())),
      denominator: 1,
      isWhole: true,
    };
  });
}

const sites = sampleSize({ full: 60, short: 20 });
const shareOf = (applies: (seed: number) => boolean) =>
  Array.from({ length: sites }, (_, seed) => Number(applies(seed + 1))).reduce((sum, value) => sum + value, 0) / sites;

describe('the course of a month', () => {
  it('is looked for in what dates share: nearly always found with pay days of 15 %, seldom without', () => {
    const isFound = (payDays: number) => (seed: number) =>
      seriesOf(daysOf(payDays, seed), 'count', labelAt(DAYS - 7))?.regressors.some(({ of }) => of === 'month') === true;
    expect(shareOf(isFound(0.15))).toBeGreaterThan(0.9);
    expect(shareOf(isFound(0))).toBeLessThanOrEqual(0.2);
  });

  it('is taken out of a comparison over the first pay days, and said', () => {
    const judged = (payDays: number, seed: number) =>
      judgePeriods({
        kind: 'count',
        days: daysOf(payDays, seed),
        baseline: { from: labelAt(DAYS - 14), to: labelAt(DAYS - 8) },
        period: { from: labelAt(DAYS - 7), to: labelAt(DAYS - 1) },
      });
    expect(shareOf((seed) => judged(0.15, seed).verdict !== 'within noise')).toBeLessThanOrEqual(0.15);
    const effects = Array.from({ length: sites }, (_, seed) => judged(0.15, seed + 1).calendar?.month ?? 0);
    const mean = effects.reduce((sum, effect) => sum + effect, 0) / sites;
    // Five of the seven days are pay days: 1.15 for 0.925.
    expect(mean).toBeCloseTo((5 * 1.15 + 2 * 0.925) / 7 / 0.925 - 1, 1);
  });

  it('hardly widens the first guess of what is noise, by which special days of unknown effect are weighed', () => {
    const varianceOf = (payDays: number, seed: number) =>
      seriesOf(daysOf(payDays, seed), 'count', labelAt(DAYS - 7))?.roughVariance ?? Infinity;
    expect(shareOf((seed) => varianceOf(0.15, seed) > 1.5 * varianceOf(0, seed))).toBeLessThanOrEqual(0.1);
  });
});
