import { describe, expect, it } from 'vitest';
import { type Change, changeSentence } from '../../../../src/domain/metrics/compare/comparison-words.ts';
import { pastText } from '../../../../src/domain/metrics/compare/level-words.ts';

const step = { shape: 'step', from: '2026-09-28', days: 20, earliest: '2026-09-28', latest: '2026-09-28', pValue: 1e-6 } as const;

describe('a change within a period that went the other way', () => {
  const points = (days: number, first: string, value: (day: number) => number) =>
    Array.from({ length: days }, (_, day) => {
      const label = new Date(Date.parse(first) + day * 86_400_000).toISOString().slice(0, 10);
      return { label, numerator: value(day), denominator: 1, isWhole: true };
    });
  const quarter = (since: Partial<NonNullable<Change['since']>>): Change => ({
    metric: 'visits',
    before: 92_000,
    after: 86_000,
    compared: { before: 92_000, after: 86_000 },
    isPerDay: false,
    lengths: { before: 1, after: 1 },
    detectable: null,
    judgement: { verdict: 'up', changes: [], relative: 0.04, noise: 0.03, score: 5, isOfMain: true },
    points: { before: points(92, '2026-03-31', () => 1_000), after: points(92, '2026-07-01', (day) => (day < 65 ? 900 : 1_019)) },
    since: { ...step, from: '2026-09-04', earliest: '2026-09-03', days: 27, relative: 0.15, low: 0.1, high: 0.2, ...since },
    days: { first: '2026-07-01', last: '2026-09-30' },
    of: '',
  });

  it('is said behind what the period did, with the days before it', () => {
    expect(changeSentence(quarter({}), undefined)).toBe(
      'Visits went 92,000 → 86,000 (-6.5%); within the period they are 15.0% higher (10.0% to 20.0%) since 2026-09-04 ' +
        '(2026-09-03 to 2026-09-28 are possible), 27 days up to 2026-09-30, ' +
        'after 65 days up to 2026-09-03 that lay 10.0% below the baseline.',
    );
    expect(changeSentence(quarter({ from: '2026-07-03' }), undefined)).toMatch(/27 days up to 2026-09-30\.$/);
    expect(changeSentence(quarter({ to: '2026-09-20' }), undefined)).toMatch(
      /; within the period they were 15\.0% higher .* and are back\.$/,
    );
  });

  it('is said first where the period went the same way', () => {
    const fallen = changeSentence(quarter({ relative: -0.15, low: -0.2, high: -0.1 }), undefined);
    expect(fallen).toMatch(/^Visits are 15\.0% lower .*; over the whole period/);
  });
});

it('that is over is back, of a sum of orders where more than the last day shows it', () => {
  const fall = { ...step, to: '2026-10-17', relative: -0.25, low: -0.35, high: -0.15 };
  const said = (metric: string, last: string) => pastText({ metric, days: { last } }, fall);
  expect(said('revenueSum', '2026-10-19')).toBe('was 25.0% lower (15.0% to 35.0%) from 2026-09-28 to 2026-10-17 and is back');
  expect(said('revenueSum', '2026-10-18')).toBe('was 25.0% lower (15.0% to 35.0%) from 2026-09-28 to 2026-10-17');
  expect(said('visits', '2026-10-18')).toMatch(/ and are back$/);
});
