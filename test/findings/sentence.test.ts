import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Facts } from '../../src/findings/finding.ts';
import { costSentence, intervalSentence, sentenceOf } from '../../src/findings/sentence.ts';
import { rangeText } from '../../src/findings/wording.ts';
import { breaches } from '../support/sentence-limits.ts';

const NOUNS: Record<string, { name: string; isPlural: boolean }> = {
  conversionRate: { name: 'conversion rate', isPlural: false },
  visits: { name: 'visits', isPlural: true },
  revenueSum: { name: 'revenue', isPlural: false },
};
const grammar = { nounOf: (subject: string) => NOUNS[subject] ?? { name: subject, isPlural: false }, year: '2026' };

const step: Facts = {
  subject: 'conversionRate',
  unit: '%',
  place: {},
  when: { shape: 'step', from: '2026-09-04', ongoing: true },
  now: 2.64,
  against: { what: 'before', value: 3.41 },
  change: { percent: -35.5, low: -39.1, high: -31.6 },
  verdict: 'lower',
  causes: [],
};
const range: Facts = {
  ...step,
  when: { shape: 'range', from: '2026-09-01', to: '2026-09-14', ongoing: false },
  change: { percent: -23, low: -30, high: -15 },
};
const say = (facts: Facts, more: Partial<Facts> = {}) => sentenceOf({ ...facts, ...more }, grammar);

describe('the sentence of a finding', () => {
  it.each<[string, Partial<Facts>, string]>([
    ['what goes on', {}, 'Conversion rate has been 36% lower since 4 Sept.'],
    ['another year', { when: { ...step.when, from: '2025-12-31' } }, 'Conversion rate has been 36% lower since 31 Dec 2025.'],
    [
      'a small size with its tenth',
      { change: { percent: 4.3, low: 4, high: 4.6 }, verdict: 'higher' },
      'Conversion rate has been 4.3% higher since 4 Sept.',
    ],
    [
      'a limit that is exceeded',
      { against: { what: 'limit', value: 2 }, verdict: 'higher', now: 2.64 },
      'Conversion rate is 2.64%, above the limit of 2%.',
    ],
    [
      'a limit of others that is kept',
      { against: { what: 'limit', name: "the team's limit", value: 3 }, verdict: 'lower', now: 2.64 },
      "Conversion rate is 2.64%, within the team's limit of 3%.",
    ],
    [
      'a limit that other runs might keep',
      { subject: 'visits', unit: '', against: { what: 'limit', value: 100 }, verdict: 'uncertain', now: 101 },
      'Visits are 101, above the limit of 100, but not significantly.',
    ],
    ['a device', { place: { device: 'mobile' } }, 'Mobile conversion rate has been 36% lower since 4 Sept.'],
    [
      'the one device that moved',
      { place: { device: 'mobile' }, causes: [{ kind: 'place', name: 'mobile', basis: 'measured' }] },
      'Mobile conversion rate has been 36% lower since 4 Sept; no other device changed significantly.',
    ],
    [
      'a segment within a device, of a goal',
      { place: { device: 'tablet', segment: 'New visitors', goal: 'Newsletter' } },
      'Tablet conversion rate of "New visitors" for the goal "Newsletter" has been 36% lower since 4 Sept.',
    ],
    [
      'a zone of a project',
      { place: { zone: 'Hero', project: 'Shop' } },
      'Conversion rate of the zone "Hero" in Shop has been 36% lower since 4 Sept.',
    ],
    [
      'what ended within a month',
      { subject: 'visits', when: { shape: 'episode', from: '2026-10-03', to: '2026-10-09', ongoing: false } },
      'Visits were 36% lower from 3 to 9 Oct.',
    ],
    [
      'what ended in another month',
      { subject: 'visits', when: { shape: 'episode', from: '2026-09-28', to: '2026-10-03', ongoing: false } },
      'Visits were 36% lower from 28 Sept to 3 Oct.',
    ],
    [
      'a day',
      { subject: 'visits', when: { shape: 'day', from: '2026-10-03', to: '2026-10-03', ongoing: false } },
      'Visits were 36% lower on 3 Oct.',
    ],
    [
      'a drift',
      { when: { ...step.when, shape: 'drift' } },
      'Conversion rate has drifted 36% lower since 4 Sept, slowly and on no single day.',
    ],
    [
      'what may have begun on many days',
      { when: { ...step.when, earliest: '2026-08-30', latest: '2026-09-08' } },
      'Conversion rate has been 36% lower since some day between 30 Aug and 8 Sept.',
    ],
    [
      'the mix',
      { causes: [{ kind: 'mix', name: 'a larger share of mobile', share: 0.8, basis: 'measured' }] },
      'Conversion rate has been 36% lower since 4 Sept, mostly because of a larger share of mobile.',
    ],
    [
      'the mix, of which no part is measured',
      { causes: [{ kind: 'mix', name: 'a larger share of other visitors', basis: 'same time' }] },
      'Conversion rate has been 36% lower since 4 Sept, perhaps because of a larger share of other visitors.',
    ],
    [
      'an event',
      { causes: [{ kind: 'event', name: 'a higher LCP', basis: 'same time' }] },
      'Conversion rate has been 36% lower since 4 Sept; close in time: a higher LCP.',
    ],
    [
      'a season',
      { causes: [{ kind: 'season', name: 'the season', basis: 'inferred' }] },
      'Conversion rate has been 36% lower since about 4 Sept; the season alone could explain it.',
    ],
    [
      'counting',
      { verdict: 'measurement', causes: [{ kind: 'measurement', name: 'almost no visits were counted on 2026-09-04', basis: 'inferred' }] },
      'The counting may be at fault: almost no visits were counted on 2026-09-04.',
    ],
  ])('of %s', (_, more, sentence) => {
    expect(say(step, more)).toBe(sentence);
  });

  it.each<[string, Partial<Facts>, string]>([
    ['that moved', {}, 'Conversion rate fell from 3.41% to 2.64% (-23%).'],
    [
      'through a factor',
      { causes: [{ kind: 'factor', name: 'visits', share: 0.9, basis: 'measured' }] },
      'Conversion rate fell from 3.41% to 2.64% (-23%), mostly through visits.',
    ],
    [
      'whose totals went the other way',
      { now: 3.5 },
      'Conversion rate went from 3.41% to 3.5% (+2.6%). On comparable days it is 23% lower.',
    ],
    [
      'whose totals went the other way because of some days',
      { now: 3.5, causes: [{ kind: 'special day', name: 'the days from 4 to 10 Sept', share: 1.02, basis: 'measured' }] },
      'Conversion rate went from 3.41% to 3.5% (+2.6%), because of the days from 4 to 10 Sept. Otherwise it is 23% lower.',
    ],
    ['whose totals are alike', { now: 3.41 }, 'Conversion rate went from 3.41% to 3.41% (0.0%). On comparable days it is 23% lower.'],
    [
      'without a change',
      { verdict: 'unchanged', detectable: 19, change: { percent: -23, low: -48, high: 2 } },
      'Conversion rate went from 3.41% to 2.64% (-23%): no significant change; one of 19% would have shown.',
    ],
    [
      'whose days do not differ as their totals do',
      { verdict: 'unchanged' },
      'Conversion rate went from 3.41% to 2.64% (-23%): on comparable days no significant change.',
    ],
    [
      'in which nothing could show',
      { verdict: 'unchanged', detectable: 100, change: { percent: -23, low: -100, high: 60 } },
      'Conversion rate went from 3.41% to 2.64% (-23%): no significant change; even a fall to zero would not have shown.',
    ],
    [
      'that special days explain',
      {
        subject: 'visits',
        unit: 'sessions',
        now: 53_195,
        against: { what: 'before', value: 33_857 },
        verdict: 'unchanged',
        causes: [{ kind: 'special day', name: 'Black Friday', share: 0.99, basis: 'measured' }],
      },
      'Visits went from 33,857 to 53,195 (+57%), mostly because of Black Friday. Otherwise no significant change.',
    ],
    [
      'that special days explain in part',
      { verdict: 'unchanged', causes: [{ kind: 'special day', name: 'Black Friday', share: 0.4, basis: 'measured' }] },
      'Conversion rate went from 3.41% to 2.64% (-23%), partly because of Black Friday. Otherwise -14.5%, not significant.',
    ],
    [
      'that moved, mostly with special days',
      { causes: [{ kind: 'special day', name: 'Christmas', share: 0.9, basis: 'measured' }] },
      'Conversion rate fell from 3.41% to 2.64% (-23%), mostly because of Christmas.',
    ],
    [
      'of which not even twice as much would show',
      { verdict: 'unchanged', now: 4, detectable: 109, change: { percent: 17, low: -39, high: 130 } },
      'Conversion rate went from 3.41% to 4% (+17%): no significant change; even a doubling would not have shown.',
    ],
    ['that is uncertain', { verdict: 'uncertain' }, 'Conversion rate went from 3.41% to 2.64% (-23%): too uncertain to judge.'],
    ['of a young site', { verdict: 'too few data' }, 'Conversion rate went from 3.41% to 2.64% (-23%): too few whole days to judge.'],
    ['without a value', { now: null }, 'Conversion rate has no value in one of the two periods.'],
    [
      'beside others',
      {
        place: { device: 'mobile' },
        against: { what: 'others', name: 'desktop', value: 5 },
        change: { percent: -47, low: -50, high: -44 },
      },
      'Mobile conversion rate was 2.64%, 47% lower than desktop (5%).',
    ],
    [
      'like the others',
      { against: { what: 'others', name: 'desktop', value: 5 }, verdict: 'unchanged' },
      'Conversion rate was 2.64%, against 5% of desktop: no significant difference.',
    ],
    [
      'against the expected',
      {
        subject: 'revenueSum',
        unit: 'EUR',
        now: 90_700,
        when: { shape: 'day', from: '2026-08-28', to: '2026-08-28', ongoing: false },
        against: { what: 'expected', value: 38_900 },
        change: { percent: 133, low: 90, high: 170 },
        verdict: 'higher',
      },
      'Revenue was 133% above normal on 28 Aug: 90,700 EUR instead of 38,900 EUR.',
    ],
    [
      'a day that holds a change',
      {
        subject: 'revenueSum',
        unit: 'EUR',
        now: 7_309,
        when: { shape: 'day', from: '2026-08-28', to: '2026-08-28', ongoing: false },
        against: { what: 'expected', value: 9_754, low: 6_817, high: 13_600, name: 'leaving out the change since 7 Aug' },
        verdict: 'unchanged',
      },
      'Revenue was 7,309 EUR on 28 Aug, with 9,754 EUR expected (6,817 to 13,600 EUR), leaving out the change since 7 Aug.',
    ],
  ])('of ranges %s', (_, more, sentence) => {
    expect(say(range, more)).toBe(sentence);
  });

  it('keeps its limits whatever the record holds: 25 words, six figures, one pair of brackets, no empty part', () => {
    const amount = fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 1e7, noNaN: true }));
    const number = fc.double({ min: -99, max: 900, noNaN: true });
    const label = fc.constantFrom('2026-09-04', '2025-12-31', '2026-11-07T14:05Z');
    const drawn = fc.record({
      subject: fc.constantFrom('visits', 'conversionRate', 'revenueSum'),
      unit: fc.constantFrom('%', 'EUR', 'sessions', 'ms', 'bytes'),
      place: fc.constantFrom({}, { device: 'mobile' }, { segment: 'New' }, { zone: 'Hero' }, { goal: 'Order' }),
      shape: fc.constantFrom('step', 'episode', 'day', 'drift', 'range'),
      from: label,
      to: label,
      ongoing: fc.boolean(),
      now: fc.option(amount),
      before: fc.option(amount),
      what: fc.constantFrom('before', 'expected', 'others', 'limit', 'variant'),
      percent: number,
      verdict: fc.constantFrom('higher', 'lower', 'unchanged', 'uncertain', 'too few data'),
      cause: fc.constantFrom('place', 'factor', 'mix', 'event', 'special day', 'season'),
      detectable: fc.option(fc.double({ min: 0.1, max: 120, noNaN: true }), { nil: undefined }),
    });
    fc.assert(
      fc.property(drawn, ({ shape, from, to, ongoing, before, what, percent, cause, detectable, ...own }) => {
        const facts = {
          ...own,
          when: { shape, from, to, ongoing },
          against: { what, value: before },
          change: { percent, low: percent - 5, high: percent + 5 },
          causes: [{ kind: cause, name: 'desktop', share: 0.9, basis: 'measured' }],
          ...(detectable !== undefined && { detectable }),
        } as Facts;
        const text = sentenceOf(facts, grammar);
        expect(text).toMatch(/^[A-Z].*\.$/);
        expect(breaches(text)).toEqual([]);
      }),
    );
  });
});

it('a clock time carries its zone, two of one zone once', () => {
  const textOf = (from: string, to: string) => rangeText(`2026-11-${from}`, `2026-11-${to}`, '2026');
  expect(textOf('10T11:08Z', '10T11:08Z')).toBe('on 10 Nov, 11:08 UTC');
  expect(textOf('10T11:08+01:00', '10T12:00+01:00')).toBe('on 10 Nov from 11:08 to 12:00 UTC+1');
  expect(textOf('10T11:08-05:30', '12T12:00-05:30')).toBe('from 10 Nov, 11:08 to 12 Nov, 12:00 UTC-5:30');
});

it('ranges beside a change that they hold make no claim of their own', () => {
  const against = { what: 'before' as const, value: 2.51, name: 'including the change since 22 Sept' };
  const held: Partial<Facts> = { now: 2.22, against, verdict: 'unchanged', detectable: 17 };
  const figures = 'Conversion rate went from 2.51% to 2.22% (-12%),';
  expect(say(range, held)).toBe(`${figures} including the change since 22 Sept.`);
  const causes: Facts['causes'] = [{ kind: 'special day', name: '21 Sept', share: 0.9, basis: 'measured' }];
  expect(say(range, { ...held, causes })).toBe(`${figures} mostly because of 21 Sept, including the change since 22 Sept.`);
});

it('special days that make a part of what the season may have made are told before it', () => {
  const causes: Facts['causes'] = [
    { kind: 'special day', name: 'Black Friday', share: 0.4, basis: 'measured' },
    { kind: 'season', name: 'the season', basis: 'inferred' },
  ];
  expect(say(range, { causes })).toMatch(/, partly because of Black Friday; the season could explain the rest\.$/);
});

it('factors that each make most of a change are all named', () => {
  const causes = ['visits', 'conversion rate'].map((name) => ({ kind: 'factor' as const, name, share: 0.9, basis: 'measured' as const }));
  expect(say(range, { causes })).toBe('Conversion rate fell from 3.41% to 2.64% (-23%), mostly through visits and conversion rate.');
});

describe('beside the sentence', () => {
  const cost = { of: 'revenueSum', value: -48_895, low: -56_966, high: -41_630, unit: 'EUR', from: '2026-09-04', to: '2026-09-14' };

  it('a cost is rounded to what its interval bears, and is none where it may be nothing', () => {
    expect(costSentence({ ...step, cost }, grammar)).toBe('It has cost about 49,000 EUR so far.');
    // Later days are known, which are not asked about.
    expect(costSentence({ ...step, cost }, { ...grammar, known: '2026-09-20' })).toBe('It cost about 49,000 EUR up to 14 Sept.');
    expect(
      costSentence(
        { ...step, cost: { ...cost, value: 48_895, low: 41_630, high: 56_966 }, when: { ...step.when, ongoing: false } },
        grammar,
      ),
    ).toBe('It brought about 49,000 EUR.');
    const wide = { ...cost, value: -25_239, low: -36_579, high: -16_396 };
    const past = { ...step, when: { shape: 'episode' as const, from: '2026-09-04', to: '2026-09-20', ongoing: false } };
    expect(costSentence({ ...past, cost: wide }, { ...grammar, known: '2026-09-30' })).toBe('It cost about 25,000 EUR up to 14 Sept.');
    expect(costSentence({ ...step, cost: { ...cost, of: 'visits', unit: 'sessions', low: -48_910, high: -48_880 } }, grammar)).toBe(
      'That is about 48,890 fewer visits so far.',
    );
    expect(costSentence({ ...step, cost: { ...cost, high: 10 } }, grammar)).toBe('');
  });

  it('conversions are those of a goal, which is named where the place does not', () => {
    const orders = { ...cost, of: 'conversions', goal: 'Subscription', value: 52, low: 40, high: 64, unit: 'conversions' };
    const said = 'That is about 52 more conversions for the goal "Subscription" so far.';
    expect(costSentence({ ...step, cost: orders }, grammar)).toBe(said);
    expect(costSentence({ ...step, place: { goal: 'Subscription' }, cost: orders }, grammar)).toBe(
      said.replace(' for the goal "Subscription"', ''),
    );
  });

  it('the details have the interval and the days on which it may have begun', () => {
    const doubtful = { ...step, when: { ...step.when, earliest: '2026-09-02', latest: '2026-09-05' }, cost };
    expect(intervalSentence(doubtful, grammar)).toBe(
      'Conversion rate: -35.5%, 95% interval -39.1 to -31.6%; revenue -56,966 to -41,630 EUR; it began between 2 and 5 Sept.',
    );
    expect(intervalSentence(range, grammar)).toBe('');
  });
});
