import { describe, expect, it } from 'vitest';
import {
  atScore,
  type ConditionEffect,
  differenceOf,
  doubtOf,
  effectOf,
  leastScore,
  scoreOf,
  separate,
  standsOut,
  togetherOf,
} from '../../../src/journeys/impact/effect.ts';
import { wilson } from '../../../src/statistics/proportions.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { strataSums } from './strata-sums.ts';

/** Sessions of two devices and three depths: [device, depth, exposed, sessions, conversions]. */
type Row = readonly [number, number, number, number, number];

/** The effect by rows; `met`: for each other finding, how many sessions of each row met it. */
const effectIn = (rows: readonly Row[], met: readonly (readonly number[])[] = []) =>
  effectOf(
    strataSums(
      rows.map(([device, depth, exposed, sessions, conversions], at) => ({
        stratum: `${device} ${depth}`,
        isExposed: exposed === 1,
        sessions,
        conversions,
        cents: 5_000,
        met: met.map((own) => own[at] ?? 0),
      })),
    ),
  );

/** Simpson's paradox by hand: on each device alike the exposed buy half as often, but they are on the device that buys. */
const PARADOX: readonly Row[] = [
  [0, 0, 1, 4_000, 400],
  [0, 0, 0, 1_000, 200],
  [1, 0, 1, 1_000, 10],
  [1, 0, 0, 20_000, 400],
];

it('the effect of a condition is that of comparable sessions, where a plain comparison says the contrary', () => {
  const effect = effectIn(PARADOX);
  // By hand: with 410 of 5,000; without (4,000 × 0.2 + 1,000 × 0.02) of 5,000, where all without are 600 of 21,000.
  expect(effect.withShare).toBeCloseTo(0.082, 6);
  expect(effect.withoutShare).toBeCloseTo(0.164, 3);
  expect(effect.lostRevenue.value).toBeCloseTo((820 - 410) * 5_000, -4);
  expect(scoreOf(effect.difference)).toBeLessThan(-7);
  expect(effect.plain).toBeCloseTo(410 / 5_000 - 600 / 21_000, 6);
});

it('the effect of a condition is not judged where nobody is left to compare with', () => {
  const effect = effectIn([
    [0, 0, 1, 900, 10],
    [1, 0, 0, 9_000, 900],
  ]);
  expect(effect).toMatchObject({ sessions: 900, comparable: 0 });
  expect(doubtOf(effect)).toBe('no fair comparison');
});

it('the effect of a condition is not judged with too few conversions to be expected', () => {
  const effect = effectIn([
    [0, 0, 1, 60, 0],
    [0, 0, 0, 9_000, 300],
  ]);
  expect(doubtOf(effect)).toBe('too few');
});

it('intervals are those of Wilson and Newcombe as published', () => {
  // Newcombe 1998, Statistics in Medicine 17: 81/263 by method 3, and 56/70 less 48/80 by method 10.
  expect(wilson(81 / 263, 263).map((bound) => Number(bound.toFixed(4)))).toEqual([0.2553, 0.3662]);
  const { low, high } = differenceOf({ share: 56 / 70, trials: 70 }, { share: 48 / 80, trials: 80 });
  expect([low, high].map((bound) => Number(bound.toFixed(4)))).toEqual([0.0524, 0.3339]);
});

it('intervals hold the truth in at least 93 of 100 worlds, nulls stand out in at most 7', () => {
  const random = seeded(41);
  const [rounds, chance, effect] = [400, [0.02, 0.06, 0.15], 0.6];
  let [held, found] = [0, 0];
  for (let round = 0; round < rounds; round += 1) {
    const isNull = round % 2 === 0;
    const rows = [0, 1].flatMap((device) =>
      [0, 1, 2].flatMap((depth): Row[] => {
        const usual = (chance[depth] ?? 0) * (device === 0 ? 1 : 1.5);
        const [few, many] = [60 + 40 * device, 900 - 200 * depth];
        const own = random.binomial(few, usual * (isNull ? 1 : effect));
        return [
          [device, depth, 1, few, own],
          [device, depth, 0, many, random.binomial(many, usual)],
        ];
      }),
    );
    const truth = [0, 1].flatMap((device) => chance.map((each) => (60 + 40 * device) * each * (device === 0 ? 1 : 1.5)));
    const lost = truth.reduce((sum, value) => sum + value * (isNull ? 0 : 1 - effect), 0);
    const { difference, comparable } = effectIn(rows);
    if (-difference.high * comparable <= lost && lost <= -difference.low * comparable) held += 1;
    if (isNull && Math.abs(scoreOf(difference)) > 1.96) found += 1;
  }
  expect(held / rounds).toBeGreaterThanOrEqual(0.93);
  expect(found / (rounds / 2)).toBeLessThanOrEqual(0.07);
});

describe('several findings', () => {
  it('keep what is their own: a condition that merely goes with another one is none', () => {
    // Condition 0 halves sales. Condition 1 costs nothing, but half of its sessions met condition 0, against a tenth of the others.
    const effects = [
      effectIn(
        [
          [0, 0, 1, 2_000, 100],
          [0, 0, 0, 18_000, 1_800],
        ],
        [
          [2_000, 0],
          [1_000, 1_800],
        ],
      ),
      effectIn(
        [
          [0, 0, 1, 2_000, 150],
          [0, 0, 0, 18_000, 1_750],
        ],
        [
          [1_000, 1_000],
          [2_000, 0],
        ],
      ),
    ];
    const least = leastScore(effects, 'conversions');
    expect(effects.map((effect) => standsOut(effect, 'conversions', least))).toEqual([true, true]);
    const findings = separate(effects, 'conversions', least);
    expect(findings.map(({ stands }) => stands)).toEqual([true, false]);
    expect(findings[0]?.effect.difference.value).toBeCloseTo(-0.05, 3);
    // Its figures are of what is left, within bounds that hold no effect.
    const { low = 1, high = -1 } = findings[1]?.effect.difference ?? {};
    expect(low).toBeLessThan(0);
    expect(high).toBeGreaterThan(0);
  });

  it('losses and gains are each at the false discovery rate of conditions, and the interval of a claim alone leaves out no effect', () => {
    const random = seeded(77);
    let worldsWithClaim = 0;
    const rounds = 400;
    for (let round = 0; round < rounds; round += 1) {
      const effects = Array.from({ length: 30 }, () =>
        effectIn([
          [0, 0, 1, 300, random.binomial(300, 0.1)],
          [0, 0, 0, 3_000, random.binomial(3_000, 0.1)],
        ]),
      );
      const least = leastScore(effects, 'conversions');
      const found = effects.filter((effect) => standsOut(effect, 'conversions', least));
      worldsWithClaim += Number(found.length > 0);
      for (const effect of effects) {
        const { low, high } = atScore(effect, least).difference;
        expect(low * high > 0).toBe(found.includes(effect));
      }
    }
    // Two families, 1 % each.
    expect(worldsWithClaim / rounds).toBeLessThanOrEqual(0.04);
  });
});

/** An effect on so many sessions that bought this often, held against as many without it. */
function effectOn(sessions: number, withShare: number, withoutShare: number, more: Partial<ConditionEffect> = {}): ConditionEffect {
  const difference = differenceOf({ share: withShare, trials: sessions }, { share: withoutShare, trials: sessions });
  const [low, high] = [-difference.high * sessions * 5_000, -difference.low * sessions * 5_000];
  return {
    sessions,
    comparable: sessions,
    withShare,
    withoutShare,
    difference,
    lostRevenue: { value: -difference.value * sessions * 5_000, low, high },
    effectiveControls: sessions,
    metMore: [],
    ...more,
  };
}

it('an error over several pages costs what it costs at each of them, and is clearer than at any', () => {
  const parts = [effectOn(300, 0.03, 0.06), effectOn(500, 0.04, 0.07), effectOn(400, 0.02, 0.05)];
  const all = togetherOf(parts);
  expect(all).toMatchObject({ sessions: 1_200, comparable: 1_200 });
  expect(all?.difference.value).toBeCloseTo(-0.03, 10);
  expect(all?.lostRevenue.value).toBeCloseTo(1_200 * 0.03 * 5_000, 4);
  // As one comparison of all of them would say.
  const whole = differenceOf({ share: all?.withShare ?? 0, trials: 1_200 }, { share: all?.withoutShare ?? 0, trials: 1_200 });
  expect(all?.difference.low).toBeCloseTo(whole.low, 2);
  expect(all?.difference.high).toBeCloseTo(whole.high, 2);
  expect(scoreOf(all?.difference ?? whole)).toBeLessThan(-3);
  expect(scoreOf(all?.lostRevenue ?? whole)).toBeGreaterThan(3);
  for (const { difference } of parts) expect((difference.high - difference.low) / 2).toBeGreaterThan((whole.high - whole.low) / 2);
});

it('an error over several pages is none where one page is left that can be compared', () => {
  const unfair = effectOn(300, 0.03, 0.06, { comparable: 100 });
  expect(togetherOf([unfair, effectOn(500, 0.04, 0.07)])).toBeUndefined();
  expect(togetherOf([unfair, effectOn(500, 0.04, 0.07), effectOn(500, 0.04, 0.07)])).toMatchObject({
    sessions: 1_300,
    comparable: 1_000,
  });
});

it('where fewer buy revenue is lost, however much the baskets scatter', () => {
  const hidden = effectOn(500, 0.21, 0.53, { lostRevenue: { value: 210_000, low: -300_000, high: 720_000 } });
  const nothing = effectOn(500, 0.5, 0.5, { lostRevenue: { value: 0, low: -300_000, high: 300_000 } });
  const least = leastScore([hidden, nothing], 'revenue');
  expect([hidden, nothing].map((effect) => standsOut(effect, 'revenue', least))).toEqual([true, false]);
});
