import { expect, it } from 'vitest';
import { type AnswerFacts, changesAnswer } from '../../../../src/domain/metrics/changes/changes-answer.ts';

const facts = (selections: number): AnswerFacts => ({
  site: {
    ranked: [],
    unread: { selections, of: 21 },
    outcome: 'revenueSum',
    faults: [],
    special: '',
    large: [],
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
