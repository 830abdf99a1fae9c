import { describe, expect, it } from 'vitest';
import { type Arm, compareVariant, referenceOf, sampleRatioMismatch } from '../../../src/journeys/impact/effect.ts';
import { type Random, seeded } from '../../bench/verdicts/random.ts';

/** An arm of visitors with one to four sessions, who buy by a rate of their own: sessions of one visitor are alike. */
function armOf(value: string, visitors: number, rate: number, random: Random): Arm {
  const sums = { sessions: 0, conversions: 0, revenue: 0, nn: 0, ny: 0, yy: 0, nr: 0, rr: 0 };
  for (let visitor = 0; visitor < visitors; visitor += 1) {
    const own = rate * 2 * random.uniform();
    const sessions = random.integer(1, 4);
    const conversions = random.uniform() < 0.3 ? sessions * Number(random.uniform() < own) : random.binomial(sessions, own);
    const revenue = conversions * 5_000;
    sums.sessions += sessions;
    sums.conversions += conversions;
    sums.revenue += revenue;
    sums.nn += sessions ** 2;
    sums.ny += sessions * conversions;
    sums.yy += conversions ** 2;
    sums.nr += sessions * revenue;
    sums.rr += revenue ** 2;
  }
  return { value, visitors, ...sums };
}

describe('variants of a test', () => {
  it('have no winner by chance in more than 7 of 100 tests, although sessions of a visitor depend on each other', () => {
    const random = seeded(17);
    const rounds = 300;
    let winners = 0;
    for (let round = 0; round < rounds; round += 1) {
      const { verdict } = compareVariant(armOf('B', 1_500, 0.06, random), armOf('A', 1_500, 0.06, random), { variants: 1, days: 7 });
      if (verdict === 'raises' || verdict === 'lowers') winners += 1;
    }
    expect(winners / rounds).toBeLessThanOrEqual(0.07);
  });

  it('win where one is better, and say how many days a difference of 5 % needs where none shows', () => {
    const random = seeded(5);
    const better = compareVariant(armOf('B', 8_000, 0.09, random), armOf('A', 8_000, 0.06, random), { variants: 1, days: 7 });
    expect(better.verdict).toBe('raises');
    expect(better.effect.lostRevenue.value).toBeLessThan(0);
    const [one, other] = [armOf('B', 8_000, 0.06, random), armOf('A', 8_000, 0.06, random)];
    const same = compareVariant(one, other, { variants: 1, days: 7 });
    // By the textbook for independent sessions: 2 × (1.96 + 0.84)² × p (1 − p) / (0.05 p)², 20,000 sessions a week; visitors need more.
    const sessions = (2 * 2.8 ** 2 * 0.94) / (0.05 ** 2 * 0.06);
    const days = (7 * sessions) / 20_000;
    expect(same.moreDays).toBeGreaterThan(days - 7);
    expect(same.moreDays).toBeLessThan(3 * days);
    expect(compareVariant(other, one, { variants: 1, days: 7 }).moreDays).toBe(same.moreDays);
  });

  it('are told apart from a split that chance does not make', () => {
    const arm = (value: string, visitors: number): Arm => ({ ...armOf(value, 10, 0.1, seeded(1)), visitors });
    expect(sampleRatioMismatch([arm('A', 10_050), arm('B', 9_950)])).toBeUndefined();
    expect(sampleRatioMismatch([arm('A', 10_400), arm('B', 9_600)])).toEqual([0.5, 0.5]);
    expect(sampleRatioMismatch([arm('A', 9_020), arm('B', 980)])).toBeUndefined();
    expect(sampleRatioMismatch([arm('A', 5_000), arm('B', 5_000), arm('C', 5_400)])).toHaveLength(3);
    expect(sampleRatioMismatch([arm('A', 5_000), arm('B', 5_040), arm('C', 4_970)])).toBeUndefined();
  });

  it('are held against the one that is called the control', () => {
    const arm = (value: string): Arm => armOf(value, 10, 0.1, seeded(1));
    expect(referenceOf([arm('new'), arm('control')])?.value).toBe('control');
    expect(referenceOf([arm('steps'), arm('one_page')])?.value).toBe('one_page');
  });
});
