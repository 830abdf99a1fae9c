import { expect, it } from 'vitest';
import type { Change } from '../../../../src/domain/metrics/compare/comparison-words.ts';
import { toldSizes } from '../../../../src/domain/metrics/compare/device-sizes.ts';
import type { DatedChange } from '../../../../src/domain/metrics/engine/changes.ts';
import type { Judgement } from '../../../../src/domain/metrics/engine/judge.ts';

const day: DatedChange = {
  shape: 'outlier',
  from: '2026-10-24',
  to: '2026-10-24',
  days: 1,
  earliest: '2026-10-24',
  latest: '2026-10-24',
  relative: 0.3,
  low: 0.2,
  high: 0.4,
  pValue: 1e-4,
};
const step: DatedChange = { ...day, shape: 'step', from: '2026-10-12' };
const drift: Judgement = { verdict: 'drift', changes: [], relative: 0.1, noise: 0.05, score: 4 };

/** Visits that rose by 12 %, by this verdict and first day. */
const risen = (judgement: Partial<Judgement>, since?: DatedChange): Change => ({
  metric: 'visits',
  before: 1_000,
  after: 1_120,
  compared: { before: 1_000, after: 1_120 },
  isPerDay: false,
  lengths: { before: 1, after: 1 },
  detectable: null,
  judgement: { ...drift, ...judgement },
  since,
  days: { first: '2026-10-01', last: '2026-10-31' },
  of: '',
});

/** Two devices that rose by 10 and 20 %, their levels by as much as the test says. */
const devices = (desktop: Partial<Judgement>, mobile: Partial<Judgement>) => ({
  explained: {
    groups: [
      { name: 'desktop', before: 800, after: 880, contribution: 80 },
      { name: 'mobile', before: 200, after: 240, contribution: 40 },
      { name: 'tablet', before: 0, after: 0, contribution: 0 },
    ],
  },
  verdictOf: (name: string) => ({ judged: { ...drift, ...(name === 'desktop' ? desktop : mobile) } }),
});
const told = (change: Change, desktop: Partial<Judgement> = { relative: 0.06 }, mobile: Partial<Judgement> = { relative: 0.11 }) => {
  const { of, sizes } = toldSizes(change, devices(desktop, mobile));
  return [of, ...[...(sizes ?? [])].map(([name, size]) => `${name} ${Math.round(100 * size)}`)];
};

it('are those that were counted, where the whole is told by them', () => {
  expect(told(risen({ relative: 0.11 }))).toEqual(['', 'desktop 10', 'mobile 20']);
  expect(told(risen({ relative: 0.11 }, { ...step, from: '2026-10-01', to: undefined } as unknown as DatedChange))[0]).toBe('');
});

it('are levels on typical days beside such a figure of the whole, which lies among them', () => {
  const typical = { relative: 0.07, changes: [day] };
  expect(told(risen(typical))).toEqual(['on typical days', 'desktop 6', 'mobile 11']);
  expect(told(risen(typical), { relative: 0.09 })).toEqual(['as counted', 'desktop 10', 'mobile 20']);
  expect(told(risen(typical), { relative: 0.06, isOfMain: true })).toEqual(['as counted', 'desktop 10', 'mobile 20']);
});

it('are those of its days, where a change within the period has some', () => {
  expect(told(risen({ isOfMain: true }, { ...step, from: '2026-10-12', to: '2026-10-20' }))).toEqual(['from 2026-10-12 to 2026-10-20']);
});
