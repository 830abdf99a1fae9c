import { expect, it } from 'vitest';
import type { Facts } from '../../src/findings/finding.ts';
import { grammarOf, wordedAll } from '../../src/metrics/findings.ts';

const fall: Facts = {
  subject: 'conversionRate',
  unit: '%',
  place: { device: 'mobile' },
  when: { shape: 'step', from: '2026-07-10', ongoing: true },
  now: 0.92,
  against: { what: 'before', value: 2.8 },
  change: { percent: -67, low: -71, high: -63 },
  verdict: 'lower',
  causes: [],
};
const cost = { of: 'revenueSum', value: 2_200, low: 1_600, high: 2_700, unit: 'EUR', from: '2026-07-17', to: '2026-07-21' };
const recovery: Facts = {
  ...fall,
  when: { ...fall.when, from: '2026-07-17' },
  now: 1.24,
  against: { what: 'before', value: 0.8 },
  change: { percent: 54, low: 29, high: 83 },
  verdict: 'higher',
  cost,
};
const said = (...facts: readonly Facts[]) => wordedAll(facts, grammarOf('2026-07-22')).map(({ sentence }) => sentence);

it('a recovery within a fall that goes on is told against the days of that fall, and brings nothing of its own', () => {
  expect(said(fall, recovery)).toEqual([
    'Mobile conversion rate has been 67% lower since 10 July.',
    'Mobile conversion rate has been 54% higher since 17 July than from 10 to 16 July.',
  ]);
  expect(wordedAll([fall, recovery], grammarOf('2026-07-22')).map((each) => each.cost)).toEqual([undefined, undefined]);
  // Elsewhere, or the same way, it is a change of its own.
  const elsewhere = { ...recovery, place: { device: 'tablet' } };
  expect(said(fall, elsewhere)[1]).toBe('Tablet conversion rate has been 54% higher since 17 July.');
  expect(said({ ...fall, verdict: 'higher' }, recovery)[1]).toBe('Mobile conversion rate has been 54% higher since 17 July.');
});
