import { describe, expect, it } from 'vitest';
import type { Facts } from '../../src/findings/finding.ts';
import { paragraphOf, ranked } from '../../src/findings/paragraph.ts';

it('the first paragraph has three sentences and sixty words at most, and at least its first sentence', () => {
  expect(paragraphOf(['One is here. Two is here.', 'Three is here.', 'Four is here.'])).toEqual({
    answer: 'One is here. Two is here. Three is here.',
    rest: ['Four is here.'],
  });
  const long = `${'word '.repeat(58)}end.`;
  expect(paragraphOf(['A first one.', long, 'Last.'])).toEqual({ answer: 'A first one.', rest: [long, 'Last.'] });
  expect(paragraphOf([`${long.slice(0, -1)} more and more.`]).rest).toEqual([]);
});

describe('the order of findings', () => {
  const finding = (subject: string, more: Partial<Facts>): Facts => ({
    subject,
    unit: '',
    place: {},
    when: { shape: 'step', from: '2026-09-04', ongoing: true },
    now: 1,
    verdict: 'lower',
    causes: [],
    ...more,
  });
  const cost = (value: number, unit = 'EUR') => ({ of: 'revenueSum', value, low: value, high: value, unit, from: '', to: '' });

  it('is counting, what goes on by its cost, what ended, and what did not change', () => {
    const all = [
      finding('unchanged', { verdict: 'unchanged' }),
      finding('ended', { when: { shape: 'episode', from: '2026-09-01', to: '2026-09-03', ongoing: false }, cost: cost(-9_000) }),
      finding('cheap', { cost: cost(-10) }),
      finding('many visits', { cost: cost(-99_999, 'sessions') }),
      finding('dear', { cost: cost(500) }),
      finding('counting', { verdict: 'measurement' }),
    ];
    expect(ranked(all).map(({ subject }) => subject)).toEqual(['counting', 'dear', 'cheap', 'many visits', 'ended', 'unchanged']);
  });

  it('puts the clearer one first where neither has a cost, then the narrower place', () => {
    const all = [
      finding('wide', { chance: 0.01 }),
      finding('narrow', { chance: 0.01, place: { device: 'mobile' } }),
      finding('clear', { chance: 1e-6 }),
    ];
    expect(ranked(all).map(({ subject }) => subject)).toEqual(['clear', 'narrow', 'wide']);
  });
});
