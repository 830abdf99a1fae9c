import { mean } from 'simple-statistics';
import { describe, expect, it } from 'vitest';
import { expectationsOf, LEAST_LEVEL_DAYS } from '../../../src/metrics/engine/expectation.ts';
import { judgePeriods } from '../../../src/metrics/engine/judge.ts';
import { judgeDay } from '../../../src/metrics/engine/judge-day.ts';
import { drawWorld, METRICS, type Metric, type Planted, pointsOf } from '../../bench/verdicts/metrics/world.ts';
import { times } from '../../support/times.ts';

const DAYS = 120;

/** The last day of a large site against the day before. */
function questionOf(metric: Metric, seed: number, planted: readonly Planted[] = []) {
  const world = drawWorld({ seed, visitsPerDay: 100_000, days: DAYS, history: DAYS - 2, planted });
  const label = (day: number) => ({ from: world.labels[day] ?? '', to: world.labels[day] ?? '' });
  const days = pointsOf(world, metric, {});
  return { kind: METRICS[metric].kind, days, baseline: label(DAYS - 2), period: label(DAYS - 1) };
}

const dropOf = (factor: number, from = DAYS - 1): Planted => ({ on: 'rate', from, to: DAYS, factor });

describe('a single day', () => {
  it('is expected as the rows of a query are, with the bounds by which it is judged', () => {
    const question = questionOf('conversionRate', 5);
    const rows = [{ days: question.days.slice(-1) }];
    const rowAt = (chance?: number) =>
      expectationsOf(question.kind, question.days.slice(0, -1), rows, { least: LEAST_LEVEL_DAYS, ...(chance && { chance }) })?.rows[0];
    const { expected } = judgeDay(question);
    expect(expected).toEqual({ expected: rowAt()?.expected, low: rowAt(0.01)?.low, high: rowAt(0.01)?.high });
    expect(rowAt()?.low).toBeGreaterThan(expected?.low ?? 1);
  });

  it('lies outside the bounds that are shown where it is called high or low, and inside where not; on days of a known fall at 5 %', () => {
    const wide = times(24, (seed) => {
      const question = questionOf('conversionRate', seed + 5, [dropOf(0.85 + 0.01 * seed), dropOf(0.9, DAYS - 6)]);
      const { verdict, expected, noise, changes } = judgeDay(question);
      const { numerator = 0, denominator = 1 } = question.days.at(-1) ?? {};
      const value = numerator / denominator;
      const isOutside = expected !== undefined && (value < expected.low || value > expected.high);
      expect(verdict !== 'within noise').toBe(isOutside);
      return { noise: noise ?? 0, isKnown: changes.some(({ shape, to }) => shape === 'step' && to === undefined) };
    });
    const meanOf = (isKnown: boolean) => mean(wide.flatMap((own) => (own.isKnown === isKnown ? [own.noise] : [])));
    expect(meanOf(true)).toBeLessThan(0.85 * meanOf(false));
  });

  it('is usual where a campaign of a week ended the day before', () => {
    const campaign: Planted = { on: 'visits', from: DAYS - 8, to: DAYS - 1, factor: 4 };
    for (const seed of [5, 6, 7, 8]) expect(judgeDay(questionOf('visits', seed, [campaign])).verdict).toBe('within noise');
  });

  it('is found lower by less than the day before alone would show', () => {
    const seeds = [5, 6, 7, 8, 9, 10, 11, 12];
    const verdicts = seeds.map((seed) => questionOf('conversionRate', seed, [dropOf(0.82)]));
    const found = verdicts.filter((question) => judgeDay(question).verdict === 'down').length;
    const byBaseline = verdicts.filter((question) => judgePeriods(question).verdict === 'down').length;
    expect(found).toBeGreaterThanOrEqual(6);
    expect(found).toBeGreaterThan(byBaseline);
  });

  it('has a verdict that its level and its noise bear', () => {
    for (const seed of [5, 6, 7, 8, 9, 10]) {
      for (const factor of [0.7, 0.85, 1, 1.2, 1.4]) {
        const { verdict, relative, noise } = judgeDay(questionOf('conversionRate', seed, [dropOf(factor)]));
        const direction = (relative ?? 0) > 0 ? 'up' : 'down';
        expect(verdict).toBe(Math.abs(relative ?? 0) > (noise ?? 0) ? direction : 'within noise');
      }
    }
  });

  it('that stands out makes no day of its usual baseline stand out', () => {
    const high: Planted = { on: 'visits', from: DAYS - 1, to: DAYS, factor: 1.5 };
    for (const seed of [5, 6, 7, 8, 9, 10, 11, 12]) {
      const question = questionOf('visits', seed, [high]);
      const { verdict, changes } = judgeDay(question);
      expect(verdict).toBe('up');
      expect(changes.filter(({ shape, from }) => shape === 'outlier' && from === question.baseline.from)).toEqual([]);
    }
  });

  it('of a fall that began weeks ago is as expected', () => {
    const { verdict, changes } = judgeDay(questionOf('conversionRate', 5, [dropOf(0.7, DAYS - 20)]));
    expect(verdict).toBe('within noise');
    expect(changes.some(({ shape, relative }) => shape === 'step' && relative < -0.2)).toBe(true);
  });
});
