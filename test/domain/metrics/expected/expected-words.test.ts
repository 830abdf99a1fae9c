import { expect, it } from 'vitest';
import { tellExpected } from '../../../../src/domain/metrics/expected/expected-words.ts';
import { grammarOf } from '../../../../src/domain/metrics/findings.ts';
import type { ExpectedCell } from '../../../../src/domain/metrics/read/query-table.ts';

const cell = (expected: number, low: number, high: number, verdict: ExpectedCell['verdict'] = 'normal'): ExpectedCell => ({
  expected,
  low,
  high,
  verdict,
});

/** What is told of days in a row; each has the values and the expectations of its metrics. */
function told(
  days: readonly { values: Record<string, number | null>; expected: Record<string, ExpectedCell> }[],
  breakdown: string[] = ['day'],
) {
  const lines = days.map(({ values, expected }, at) => {
    const label = `2026-11-${String(20 + at)}`;
    const interval = { label, startMs: Date.parse(label), endMs: Date.parse(`${label}T23:59:59.999Z`) };
    return { order: at, values, expected, interval, selection: { device: 'all', segmentIds: [] } };
  });
  const query = { metrics: Object.keys(days[0]?.values ?? {}), bases: [], breakdown };
  const grammar = grammarOf('2026-11-27');
  return tellExpected(
    lines as never,
    { query, timeZone: 'UTC', currency: 'EUR', grammar, placeOf: () => ({}), countedTo: '2026-11-26' } as never,
  );
}

const day = (visits: number | null, own: ExpectedCell) => ({ values: { visits }, expected: { visits: own } });

it('counts what is normal, and tells the unusual day with both figures', () => {
  const calm = [day(100, cell(101, 90, 110)), day(99, cell(101, 90, 110))];
  expect(told(calm).lead).toEqual(['Both days were normal.']);
  expect(told([...calm, day(180, cell(100, 90, 110, 'high'))])).toMatchObject({
    lead: [['Visits were 80% above normal on 22 Nov: 180 instead of about 100.']],
    facts: [{ subject: 'visits', verdict: 'higher', now: 180, against: { what: 'expected', value: 100, low: 90, high: 110 } }],
  });
  const two = told([...calm, day(180, cell(100, 90, 110, 'high')), day(20, cell(100, 90, 110, 'low'))]).lead;
  expect(two).toEqual([
    'Of 4 days, 2 were unusual.',
    ['Visits were 80% below normal on 23 Nov: 20 instead of about 100.'],
    ['Visits were 80% above normal on 22 Nov: 180 instead of about 100.'],
  ]);
});

it('says of a single value whether it is normal', () => {
  expect(told([day(100, cell(101, 90, 110))], []).lead).toEqual([['Visits were normal on 20 Nov: 100, with 101 expected.']]);
});

it('names in the details what is far from expected and still no finding, with what would be normal', () => {
  expect(told([day(100, cell(101, 90, 110)), day(9_000, cell(4_300, 1_500, 12_000))]).details).toEqual([
    'Visits on 21 Nov were 109% above expected, which is not significant here: anything from 1,500 to 12,000 is normal.',
  ]);
});

it('tells the first and the last of what lies ahead, and what is counted of it', () => {
  const ahead = [day(50, cell(100, 90, 110, 'forecast')), day(null, cell(120, 100, 140, 'forecast'))];
  expect(told(ahead).lead).toEqual([
    'Visits on 20 Nov: 100 expected (90 to 110). So far it is 50, up to 26 Nov.',
    'Visits on 21 Nov: 120 expected (100 to 140).',
  ]);
});

it('says that nothing can be expected of a young site', () => {
  expect(told([day(5, { expected: null, low: null, high: null, verdict: 'too young' })]).lead).toEqual([
    'Nothing can be expected yet: fewer than 21 days before the range are known.',
  ]);
});
