import { describe, expect, it } from 'vitest';
import { type ConditionEffect, differenceOf } from '../../../../src/domain/journeys/impact/effect.ts';
import { togetherOf } from '../../../../src/domain/journeys/impact/together.ts';

/** An effect on so many sessions that bought this often, held against as many without it. */
function effect(sessions: number, withShare: number, withoutShare: number, more: Partial<ConditionEffect> = {}): ConditionEffect {
  const difference = differenceOf({ share: withShare, trials: sessions }, { share: withoutShare, trials: sessions });
  const [low, high] = [-difference.high * sessions * 5_000, -difference.low * sessions * 5_000];
  return {
    sessions,
    comparable: sessions,
    withShare,
    withoutShare,
    difference,
    lostRevenue: { value: -difference.value * sessions * 5_000, low, high },
    score: 0,
    revenueScore: 0,
    effectiveControls: sessions,
    metMore: [],
    plain: undefined,
    ...more,
  };
}

describe('an error over several pages', () => {
  it('costs what it costs at each of them, and is clearer than at any', () => {
    const parts = [effect(300, 0.03, 0.06), effect(500, 0.04, 0.07), effect(400, 0.02, 0.05)];
    const all = togetherOf(parts);
    expect(all).toMatchObject({ sessions: 1_200, comparable: 1_200 });
    expect(all?.difference.value).toBeCloseTo(-0.03, 10);
    expect(all?.lostRevenue.value).toBeCloseTo(1_200 * 0.03 * 5_000, 4);
    // As one comparison of all of them would say.
    const whole = differenceOf({ share: all?.withShare ?? 0, trials: 1_200 }, { share: all?.withoutShare ?? 0, trials: 1_200 });
    expect(all?.difference.low).toBeCloseTo(whole.low, 2);
    expect(all?.difference.high).toBeCloseTo(whole.high, 2);
    expect(all?.score).toBeLessThan(-3);
    expect(all?.revenueScore).toBeLessThan(-3);
    for (const { difference } of parts) expect((difference.high - difference.low) / 2).toBeGreaterThan((whole.high - whole.low) / 2);
  });

  it('is none where one page is left that can be compared', () => {
    const unfair = effect(300, 0.03, 0.06, { comparable: 100 });
    expect(togetherOf([unfair, effect(500, 0.04, 0.07)])).toBeUndefined();
    expect(togetherOf([unfair, effect(500, 0.04, 0.07), effect(500, 0.04, 0.07)])).toMatchObject({ sessions: 1_300, comparable: 1_000 });
  });
});
