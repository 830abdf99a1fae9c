import { expect, it } from 'vitest';
import { changesOf, type FunnelCounts } from '../../../src/domain/journeys/funnel.ts';
import { seeded } from '../../bench/verdicts/random.ts';

const FIRST_DAY = 20_400;

/** Days on which so many did the first step, of whom this share did the second. */
function countsOf(from: number, shares: readonly number[], roll: () => number, sessions = 300): FunnelCounts {
  const days = shares.map((share, index) => {
    const reached = Array.from({ length: sessions }, () => roll() < share).filter(Boolean).length;
    return [from + index, [0, sessions - reached, reached]] as const;
  });
  return { days: new Map(days), groups: new Map(), gaps: new Map(), next: [], immature: 0 };
}

const dayText = (day: number) => new Date(day * 86_400_000).toISOString().slice(0, 10);
const filled = (days: number, share: number) => Array.from({ length: days }, () => share);

function changeOf(before: readonly number[], after: readonly number[], seed: number) {
  const random = seeded(seed);
  const roll = () => random.uniform();
  const start = FIRST_DAY + before.length;
  const [change] = changesOf(['/payment', 'purchase'], countsOf(FIRST_DAY, before, roll), countsOf(start, after, roll)).slice(-1);
  return { change, dayOf: (index: number) => dayText(start + index) };
}

it.each([7, 14, 28])('a change of a step against a baseline is told from its day on, with a baseline of %s days', (baseline) => {
  const since = Array.from({ length: 20 }, (_, seed) => {
    const { change, dayOf } = changeOf(filled(baseline, 0.9), [...filled(2, 0.9), ...filled(5, 0.75)], seed);
    expect(change?.verdict).toBe('lower');
    return change?.since === dayOf(2);
  });
  expect(since.filter(Boolean).length).toBeGreaterThanOrEqual(17);
});

it('a change of a step against a baseline has no day where it came before the range', () => {
  const { change } = changeOf([...filled(4, 0.9), ...filled(10, 0.7)], filled(7, 0.7), 1);
  expect(change?.since).toBeUndefined();
});

it('a change of a step against a baseline never goes against its own figures', () => {
  const against = Array.from({ length: 120 }, (_, seed) => {
    const random = seeded(seed + 5_000);
    const drawn = (days: number) => filled(days, 0).map(() => 0.58 + 0.05 * random.normal());
    const { verdict = '', beforePercent = 0, afterPercent = 0 } = changeOf(drawn(seed % 2 === 0 ? 14 : 28), drawn(7), seed).change ?? {};
    return (verdict === 'higher' && afterPercent < beforePercent) || (verdict === 'lower' && afterPercent > beforePercent);
  });
  expect(against).not.toContain(true);
});
