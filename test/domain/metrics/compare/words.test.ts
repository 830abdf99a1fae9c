import { describe, expect, it } from 'vitest';
import { deviceSentence } from '../../../../src/domain/metrics/compare/comparison-words.ts';
import type { Explained } from '../../../../src/domain/metrics/compare/contributions.ts';

function visits(...groups: [name: string, before: number, after: number][]): Explained {
  const told = groups.map(([name, before, after]) => ({ name, before, after, contribution: after - before }));
  return { metric: 'visits', change: told.reduce((sum, { contribution }) => sum + contribution, 0), groups: told, remainder: 0 };
}

describe('what explains a change of a count', () => {
  it('is a device that moved beyond its size', () => {
    const told = deviceSentence(visits(['desktop', 500, 510], ['mobile', 500, 700]), [], false);
    expect(told).toBe('Mobile explains 95% of it.');
  });

  it('is no device where all moved alike, however large one is', () => {
    const told = deviceSentence(visits(['desktop', 300, 270], ['mobile', 700, 630]), [], false);
    expect(told).toBe('Devices moved alike: mobile, 70% of the whole before, makes 70% of it.');
  });

  it('is a device that came anew, and nothing where nothing changed', () => {
    expect(deviceSentence(visits(['desktop', 500, 500], ['tablet', 0, 90]), [], false)).toBe('Tablet explains 100% of it.');
    expect(deviceSentence(visits(['desktop', 500, 500]), [], false)).toBe('');
  });
});

describe('what explains a change of a rate', () => {
  const rates = (mix: number, rate: number): Explained => ({
    metric: 'conversionRate',
    change: mix + rate,
    groups: [
      { name: 'mobile', before: 3, after: 3 + rate, shareBefore: 40, shareAfter: 60, mix, rate, contribution: mix + rate },
      { name: 'desktop', before: 5, after: 5, shareBefore: 60, shareAfter: 40, mix: 0, rate: 0, contribution: 0 },
    ],
    remainder: 0,
  });

  it('is the own rate of a device where that weighs more, else the mix of traffic', () => {
    expect(deviceSentence(rates(-0.1, -0.9), [], true)).toBe('Mobile explains 100%: its own rate fell (3% → 2.1%); traffic mix 10%.');
    expect(deviceSentence(rates(-0.9, -0.1), [], false)).toBe(
      'Traffic mix explains 90%: the share of mobile rose 40% → 60%; rates within devices 10% (each within noise).',
    );
  });
});
