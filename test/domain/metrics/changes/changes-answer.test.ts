import { expect, it } from 'vitest';
import { type AnswerFacts, changesAnswer } from '../../../../src/domain/metrics/changes/changes-answer.ts';
import type { RankedChange } from '../../../../src/domain/metrics/changes/rank-changes.ts';

const facts = (selections: number): AnswerFacts => ({
  site: {
    ranked: [],
    unread: { selections, of: 21 },
    outcome: 'revenueSum',
    faults: [],
    special: '',
    large: [],
    slowly: [],
    names: { segment: String, goal: String, zone: String },
    currency: 'EUR',
    provisionalFrom: '2026-11-18',
    looked: 12,
    tooFew: 0,
    requests: 44,
    dataSince: '2026-05-26',
  },
  speed: undefined,
  days: 28,
  limit: 10,
  timeZone: 'UTC',
  firstDay: '2026-10-29',
  lastDay: '2026-11-25',
});

it('the first sentence says that most could not be read', () => {
  const range = 'changed beyond chance in the 28 days from 2026-10-29 to 2026-11-25:';
  expect(changesAnswer(facts(0)).answer).toBe(`Nothing ${range} 12 series looked at, 0 changes.`);
  expect(changesAnswer(facts(9)).answer).toBe(
    `Nothing that was looked at ${range} only 12 series looked at, for 9 of 21 selections could not be read, 0 changes.`,
  );
});

it('a trend that makes less than is news in the days that are looked at stands beside the list', () => {
  const place = { device: 'all' } as const;
  const drift: RankedChange = {
    shape: 'drift',
    from: '2026-11-24',
    days: 2,
    earliest: '2026-11-24',
    latest: '2026-11-24',
    place,
    parts: [{ metric: 'visits', place, relative: 0.029, low: 0.01, high: 0.05, score: 4 }],
    pValue: 1e-5,
    seriesCount: 5,
    cost: undefined,
  };
  const { site, ...rest } = facts(0);
  const answerOf = (days: number) => changesAnswer({ ...rest, days, site: site && { ...site, ranked: [drift] } });
  expect([answerOf(28).total, answerOf(2).total, answerOf(2).changes]).toEqual([1, 0, []]);
  expect(answerOf(2).answer).toBe(
    'Nothing changed beyond chance in the 2 days from 2026-10-29 to 2026-11-25: 12 series looked at, 0 changes. ' +
      'Beside the list, by the trend since 2026-05-26: Visits (all visitors) +2.9% per 28 days.',
  );
});

it('a change of visits is of no goal, whose rates beside it name theirs', () => {
  const place = { device: 'mobile', goalId: 7 } as const;
  const size = { relative: 2, low: 1.8, high: 2.2, score: 9 };
  const rate = { metric: 'conversionRate', place: { device: 'all', goalId: 7 }, ...size, relative: -0.3, mix: 'yes' } as const;
  const change: RankedChange = {
    shape: 'episode',
    from: '2026-11-02',
    to: '2026-11-08',
    days: 7,
    earliest: '2026-11-02',
    latest: '2026-11-02',
    place,
    most: { device: 'mobile', segmentId: 3, goalId: 7 },
    parts: [{ metric: 'visits', place, ...size }, rate],
    pValue: 1e-9,
    seriesCount: 2,
    cost: undefined,
  };
  const { site, ...rest } = facts(0);
  const [told] = changesAnswer({ ...rest, site: site && { ...site, ranked: [change] } }).changes;
  expect([told?.where, told?.mostIn]).toEqual([{ device: 'mobile' }, { device: 'mobile', segmentId: 3, segment: '3' }]);
  expect(told?.parts.map(({ metric, goalId }) => [metric, goalId])).toEqual([
    ['visits', undefined],
    ['conversionRate', 7],
  ]);
});
