import { expect, it } from 'vitest';
import { type AnswerFacts, changesAnswer } from '../../../src/metrics/changes/changes-answer.ts';
import type { ChangeEvent } from '../../../src/metrics/changes/events.ts';
import { partOf } from '../points.ts';

const ALL = { device: 'all', segmentIds: [] } as const;
type Site = NonNullable<AnswerFacts['site']>;

const facts = (more: Partial<Site> = {}, rest: Partial<AnswerFacts> = {}): AnswerFacts => ({
  site: {
    changes: [],
    unread: { selections: 0, of: 21 },
    faults: [],
    spans: [],
    askedGoals: [],
    asked: { metrics: [], place: ALL },
    special: [],
    nameOf: (_, id) => String(id),
    currency: 'EUR',
    unseen: [],
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
  expect(answerOf({ asked: { metrics: ['conversionRate'], place: { ...ALL, device: 'mobile' } } }).answer).toBe(
    'Nothing changed beyond chance in mobile conversion rate from 29 Oct to 25 Nov.',
  );
  const unread = { selections: 9, of: 21 };
  expect(answerOf({ unread }, { unseen: ['The zones of this app were not looked at.'] }).answer).toBe(
    'Nothing that was looked at changed beyond chance from 29 Oct to 25 Nov. Of 21 selections, 9 could not be read. ' +
      'The zones of this app were not looked at.',
  );
});

it('a trend is told for the days that are looked at, on none of which it began', () => {
  const size = { from: '2026-11-25', days: 2, relative: 0.029, low: 0.01, high: 0.05 };
  // What only the last day shows is no level yet.
  expect(answerOf({ changes: [[partOf('visits', { ...size, to: '2026-11-25' })]] }).answer).toBe('Visits were 3% higher on 25 Nov.');
  const drift = partOf('visits', { ...size, shape: 'drift' });
  const { answer, findings } = answerOf({ changes: [[drift]] });
  expect(answer).toBe('Visits drifted 3% higher from 29 Oct to 25 Nov, slowly and on no single day.');
  expect(findings[0]?.change).toEqual({ percent: 2.9, low: 1, high: 5 });
});

it('a change of visits is of no goal, whose rates beside it name theirs', () => {
  const days = { shape: 'episode', from: '2026-11-02', to: '2026-11-08', pValue: 1e-9 } as const;
  const on = (from: string, to = from): ChangeEvent => [
    {
      ...partOf('visits', { ...days, from, to, relative: 2, low: 1.8, high: 2.2 }, { device: 'mobile', goalId: 7 }),
      causes: [{ kind: 'place', name: '"3" on mobile', basis: 'measured' }],
    },
    {
      ...partOf('conversionRate', { ...days, from, to, relative: -0.3 }, { goalId: 7 }),
      causes: [{ kind: 'mix', name: 'a larger share of mobile', basis: 'measured' }],
    },
  ];
  const change = on('2026-11-02', '2026-11-08');
  const { answer, findings } = answerOf({ changes: [change] });
  expect(findings.map(({ subject, place: at, causes }) => [subject, at, causes])).toEqual([
    ['visits', { device: 'mobile' }, [{ kind: 'place', name: '"3" on mobile', basis: 'measured' }]],
    ['conversionRate', { goal: '7' }, [{ kind: 'mix', name: 'a larger share of mobile', basis: 'measured' }]],
  ]);
  expect(answer).toBe('Mobile visits were 200% higher from 2 to 8 Nov, above all in "3" on mobile.');
  // One more is told itself, also where the list has no room for it; of several it is said where they are.
  const changes = [change, on('2026-11-10')];
  const told = `${answer} Mobile visits were 200% higher on 10 Nov, above all in "3" on mobile.`;
  for (const limit of [10, 1]) expect(answerOf({ changes }, { limit }).answer).toBe(told);
  expect(answerOf({ changes: [...changes, on('2026-11-15')] }).answer).toBe(`${answer} There are 5 more changes, listed below.`);
  // Special days are named, and what moved visits on them is no change.
  const special = ['Black Friday'];
  const beside = answerOf({ special, changes: [change] });
  expect([beside.answer, beside.details?.at(-1)]).toEqual([answer, 'Visits also moved on special days: Black Friday.']);
  const calm = (metrics: readonly string[]) => answerOf({ special, asked: { metrics, place: ALL } }).answer;
  expect(calm(['visits'])).toMatch(/^Apart from special days, nothing changed/);
  expect(calm(['bounceRate'])).toMatch(/^Nothing changed/);
});
