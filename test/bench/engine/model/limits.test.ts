import { describe, expect, it } from 'vitest';
import { tailOf } from '../../../../src/statistics/tails.ts';
import { sampleSize } from '../../../support/sample-size.ts';
import { seeded } from '../../verdicts/random.ts';
import { changeColumn, fitOf } from './fit.ts';
import { walking } from './kalman.ts';
import { overshoot } from './limits.ts';
import { clearest, type Shape } from './search.ts';

const DAYS = 119;
const MANY = 1e6;

/** The share of series without a change in which a shape is found at 1 %. */
function rateOf(shape: Shape, carry: number, from: number, draws: number): number {
  const { normal } = seeded(19);
  const times = Float64Array.from({ length: DAYS }, (_, at) => at);
  const noise = { sampling: new Float64Array(DAYS), shock: 1, carry, slow: 0 };
  let hits = 0;
  for (let draw = 0; draw < draws; draw += 1) {
    let shock = normal();
    const x = times.map(() => {
      const own = shock;
      shock = carry * shock + Math.sqrt(1 - carry ** 2) * normal();
      return own;
    });
    const fit = fitOf(x, walking(times), [changeColumn(DAYS, { from: 0, to: DAYS })], noise);
    const found = clearest(fit, { shape, from, to: DAYS, level: 0.01 }, MANY);
    if (found && found.logP <= Math.log(0.01)) hits += 1;
  }
  return hits / draws;
}

describe('the limit of a search', () => {
  const draws = sampleSize({ full: 20_000, short: 3_000 });

  it.each([
    ['step', 0, 112],
    ['step', 0, 91],
    ['step', 0.5, 91],
    ['step', 0.8, 91],
    ['point', 0.5, 91],
    ['bump', 0, 91],
    ['bump', 0.8, 91],
  ] as const)('of a %s, carry %d, from day %d on, is exceeded by one unchanged series in a hundred', (shape, carry, from) => {
    const rate = rateOf(shape, carry, from, draws);
    const spread = 3 * Math.sqrt(0.01 / draws);
    expect(rate).toBeGreaterThan(0.0075 - spread);
    expect(rate).toBeLessThan(0.0135 + spread);
  });

  it('corrects for what a walk overshoots, to a hundredth of the sum that Siegmund 1985 gives (4.2)', () => {
    for (const x of [0.1, 0.5, 1, 2, 3]) {
      let sum = 0;
      for (let n = 1; n < 40_000; n += 1) sum += tailOf((x * Math.sqrt(n)) / 2) / 2 / n;
      expect(Math.abs(overshoot(x) - (2 / x ** 2) * Math.exp(-2 * sum))).toBeLessThan(0.012);
    }
    expect(overshoot(0)).toBe(1);
  });
});
