import { expect, it } from 'vitest';
import { type AnswerFacts, changesAnswer } from '../../../src/metrics/changes/changes-answer.ts';
import type { RankedChange } from '../../../src/metrics/changes/rank-changes.ts';

type Site = NonNullable<AnswerFacts['site']>;

const facts = (more: Partial<Site> = {}, rest: Partial<AnswerFacts> = {}): AnswerFacts => ({
  site: {
    ranked: [],
    unread: { selections: 0, of: 21 },
    faults: [],
    spans: [],
    askedGoals: [],
    asked: { metrics: [], place: { device: 'all' } },
    special: [],
    nameOf: (_, id) => String(id),
    currency: 'EUR',
    unseen: [],
    daysOf: () => [],
    looked: 12,
    tooFew: 0,
    requests: 44,
    dataSince: '2026-05-26',
    ...more,
  },
  speed: undefined,
  limit: 10,
  timeZone: 'UTC',
  firstDay: '2026-10-29',
  lastDay: '2026-11-25',
  today: '2026-11-26',
  unseen: [],
  ...rest,
});
const answerOf = (...told: Parameters<typeof facts>) => changesAnswer(facts(...told));

it('says that nothing changed, and what could not be read or was not looked at', () => {
  expect(answerOf().answer).toBe('Nothing changed beyond chance from 29 Oct to 25 Nov.');
  expect(answerOf({ asked: { metrics: ['conversionRate'], place: { device: 'mobile' } } }).answer).toBe(
    'Nothing changed beyond chance in mobile conversion rate from 29 Oct to 25 Nov.',
  );
  const unread = { selections: 9, of: 21 };
  expect(answerOf({ unread }, { unseen: ['The zones of this app were not looked at.'] }).answer).toBe(
    'Nothing that was looked at changed beyond chance from 29 Oct to 25 Nov. Of 21 selections, 9 could not be read. ' +
      'The zones of this app were not looked at.',
  );
});

it('a trend is told for the days that are looked at, on none of which it began', () => {
  const place = { device: 'all' } as const;
  const drift: RankedChange = {
    shape: 'drift',
    from: '2026-11-25',
    days: 2,
    earliest: '2026-11-24',
    latest: '2026-11-24',
    place,
    parts: [{ metric: 'visits', place, relative: 0.029, low: 0.01, high: 0.05, score: 4 }],
    pValue: 1e-5,
    cost: undefined,
  };
  // What only the last day shows is no level yet.
  expect(answerOf({ ranked: [{ ...drift, shape: 'step' }] }).answer).toBe('Visits were 3% higher on 25 Nov.');
  const { answer, findings } = answerOf({ ranked: [drift] });
  expect(answer).toBe('Visits drifted 3% higher from 29 Oct to 25 Nov, slowly and on no single day.');
  expect(findings[0]?.change).toEqual({ percent: 2.9, low: 1, high: 5 });
});

it('a change of visits is of no goal, whose rates beside it name theirs', () => {
  const place = { device: 'mobile', goalId: 7 } as const;
  const size = { relative: 2, low: 1.8, high: 2.2, score: 9 };
  const rate = {
    metric: 'conversionRate',
    place: { device: 'all', goalId: 7 },
    ...size,
    relative: -0.3,
    mix: { of: 'yes', grown: { device: 'mobile' } },
  } as const;
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
    cost: undefined,
  };
  const { answer, findings } = answerOf({ ranked: [change] });
  expect(findings.map(({ subject, place: at, causes }) => [subject, at, causes])).toEqual([
    ['visits', { device: 'mobile' }, [{ kind: 'place', name: '"3" on mobile', basis: 'measured' }]],
    ['conversionRate', { goal: '7' }, [{ kind: 'mix', name: 'a larger share of mobile', basis: 'measured' }]],
  ]);
  expect(answer).toBe('Mobile visits were 200% higher from 2 to 8 Nov, above all in "3" on mobile.');
  // One more is told itself, also where the list has no room for it; of several it is said where they are.
  const on = (day: string) => ({ ...change, from: day, to: day });
  const ranked = [change, on('2026-11-10')];
  const told = `${answer} Mobile visits were 200% higher on 10 Nov, above all in "3" on mobile.`;
  for (const limit of [10, 1]) expect(answerOf({ ranked }, { limit }).answer).toBe(told);
  expect(answerOf({ ranked: [...ranked, on('2026-11-15')] }).answer).toBe(`${answer} There are 5 more changes, listed below.`);
  // Special days are named, and what moved visits on them is no change.
  const special = ['Black Friday'];
  const beside = answerOf({ special, ranked: [change] });
  expect([beside.answer, beside.details?.at(-1)]).toEqual([answer, 'Visits also moved on special days: Black Friday.']);
  const calm = (metrics: readonly string[]) => answerOf({ special, asked: { metrics, place: { device: 'all' } } }).answer;
  expect(calm(['visits'])).toMatch(/^Apart from special days, nothing changed/);
  expect(calm(['bounceRate'])).toMatch(/^Nothing changed/);
});
