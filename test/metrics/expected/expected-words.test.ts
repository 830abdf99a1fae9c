import { expect, it } from 'vitest';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { forecastSentences, tellExpected } from '../../../src/metrics/expected/expected-words.ts';
import { grammarOf } from '../../../src/metrics/findings.ts';
import type { ExpectedCell } from '../../../src/metrics/read/query-table.ts';

const cell = (expected: number, low: number, high: number, verdict: ExpectedCell['verdict'] = 'normal'): ExpectedCell => ({
  expected,
  low,
  high,
  verdict,
});

type Row = { values: Record<string, number | null>; expected: Record<string, ExpectedCell>; device?: string; days?: number };

/** Rows of days, each with the values and the expectations of its metrics, and how they are told. */
function sceneOf(days: readonly Row[], breakdown: string[] = ['day']) {
  const lines = days.map(({ values, expected, device = 'all', days: length = 1 }, at) => {
    const label = `2026-11-${String(20 + at)}`;
    const interval = { label, startMs: Date.parse(label), endMs: Date.parse(label) + length * DAY_MS - 1 };
    return { order: at, values, expected, interval, selection: { device, segmentIds: [] } };
  });
  const query = { metrics: Object.keys(days[0]?.values ?? {}), bases: [], breakdown };
  const placeOf = ({ selection: { device } }: { selection: { device: string } }) => (device === 'all' ? {} : { device });
  const words = { query, timeZone: 'UTC', currency: 'EUR', grammar: grammarOf('2026-11-27'), placeOf, countedTo: '2026-11-26' };
  return [lines as never, words as never] as const;
}

const told = (...scene: Parameters<typeof sceneOf>) => tellExpected(...sceneOf(...scene));

/** A change of all visits. */
const changeOf = (metric: string, relative: number) =>
  ({ metric, reading: { device: 'all', segmentIds: [], known: [] }, change: { relative } }) as never; // all that is read

const day = (visits: number | null, own: ExpectedCell) => ({ values: { visits }, expected: { visits: own } });

it('counts what is normal, and tells the unusual day with both figures', () => {
  const calm = [day(100, cell(101, 90, 110)), day(99, cell(101, 90, 110))];
  expect(told(calm).lead).toEqual(['Both days were normal.']);
  expect(told([...calm, day(180, cell(100, 90, 110, 'high'))])).toMatchObject({
    lead: [['Visits were 80% above normal on 22 Nov: 180 instead of 100.']],
    facts: [{ subject: 'visits', verdict: 'higher', now: 180, against: { what: 'expected', value: 100, low: 90, high: 110 } }],
  });
  const two = told([...calm, day(180, cell(100, 90, 110, 'high')), day(20, cell(100, 90, 110, 'low'))]).lead;
  expect(two).toEqual([
    'Of 4 days, 2 were unusual.',
    ['Visits were 80% below normal on 23 Nov: 20 instead of 100.'],
    ['Visits were 80% above normal on 22 Nov: 180 instead of 100.'],
  ]);
});

it('says which special day of an unknown effect may have made a row unusual, and counts no rows', () => {
  const unseen = { ...cell(100, 30, 300, 'low'), unseen: ['Black Friday'] };
  expect(told([day(20, unseen)], []).lead).toEqual([
    ['Visits were 80% below normal on 20 Nov: 20 instead of 100; Black Friday alone could explain it.'],
  ]);
  expect(told([day(100, { ...unseen, verdict: 'normal' })], []).lead).toEqual([
    ['Visits were normal on 20 Nov: 100, with 100 expected (30 to 300).'],
  ]);
  expect(told([day(null, cell(100, 90, 110, 'forecast'))]).lead).toEqual([]);
});

it('counts rows outside their own bounds that are no discovery among so many', () => {
  const rows = [day(120, cell(101, 90, 110)), day(99, cell(101, 90, 110)), day(99, cell(101, 90, 110))];
  expect(told(rows).lead).toEqual(['All 3 days were normal. One lies outside its 95% bounds, which may be chance: on 20 Nov (above).']);
  expect(told([...rows, ...rows]).lead).toEqual([
    'None of 6 days was clearly unusual. Outside their 95% bounds lie 2, more than chance alone explains: on 20 Nov (above) and on 23 Nov (above).',
  ]);
});

it('says of each value of a single row whether it is normal', () => {
  const row = { values: { visits: 100, revenueSum: 9 }, expected: { visits: cell(101, 90, 110), revenueSum: cell(9, 8, 10) } };
  expect(told([row], []).lead).toEqual([
    ['Visits were normal on 20 Nov: 100, with 101 expected (90 to 110).'],
    ['Revenue was normal on 20 Nov: 9.00 EUR, with 9.00 EUR expected (8.00 to 10.00 EUR).'],
  ]);
});

it('tells the sum of what lies ahead with its own bounds, and what is counted of it, for each metric', () => {
  const own = (expected: number) => ({
    visits: cell(expected, expected - 9, expected + 9, 'forecast'),
    conversionRate: cell(3, 2, 4, 'forecast'),
  });
  const [lines, words] = sceneOf([
    { values: { visits: 50, conversionRate: null }, expected: own(100) },
    { values: { visits: null, conversionRate: null }, expected: own(120) },
  ]);
  const [whole] = sceneOf([
    { values: { visits: 50, conversionRate: null }, expected: { ...own(220), visits: cell(220, 205, 236, 'forecast') } },
  ]);
  expect(forecastSentences(lines, whole, words)).toEqual([
    'Visits on 20 Nov: 220 expected (205 to 236); 50 up to 26 Nov.',
    'Conversion rate on 20 Nov: 3% expected (2% to 4%).',
  ]);
});

it('names the device of what is expected of it', () => {
  const rows = ['all', 'tablet'].map((device) => ({ ...day(null, cell(100, 90, 110, 'forecast')), device }));
  const [lines, words] = sceneOf(rows, []);
  expect(forecastSentences(lines, [], words)).toEqual([
    'Visits on 20 Nov: 100 expected (90 to 110).',
    'Tablet visits on 21 Nov: 100 expected (90 to 110).',
  ]);
});

it('of the days of a change it says when, and tells those far beyond its size or on its other side', () => {
  const news = [changeOf('visits', -0.5)];
  const rows = [
    day(100, cell(100, 90, 110)),
    day(60, { ...cell(100, 90, 110, 'low'), news }),
    // Beyond its bounds beside the change: of many rows some are.
    day(42, { ...cell(100, 90, 110, 'low'), news }),
    day(10, { ...cell(100, 90, 110, 'low'), news }),
    day(180, { ...cell(100, 90, 110, 'high'), news }),
  ];
  expect(told(rows).lead).toEqual([
    'Of 5 days, 4 were unusual, 2 of them because of a listed change (on 21 Nov and on 22 Nov).',
    ['Visits were 90% below normal on 23 Nov: 10 instead of 100.'],
    ['Visits were 80% above normal on 24 Nov: 180 instead of 100.'],
  ]);
  expect(told(rows.slice(0, 3))).toMatchObject({
    lead: ['Of 3 days, 2 were unusual, because of a listed change (on 21 Nov and on 22 Nov).'],
    facts: [],
  });
  expect(told(rows.slice(1, 2), []).lead).toEqual([['Visits were 40% below normal on 20 Nov: 60 instead of 100.']]);
});

it('says that a change lies in rows of which none shows it, and beside which a value of another metric may be no chance', () => {
  const calm = cell(100, 90, 110);
  const weeks = [calm, calm, { ...calm, news: [changeOf('visits', -0.5)] }].map((own) => ({ ...day(99, own), days: 2 }));
  expect(told(weeks, ['week']).lead).toEqual(['All 3 weeks were normal, 1 of them with a listed change (from 22 to 23 Nov).']);
  const mixed = [day(99, calm), day(99, calm), day(60, { ...calm, news: [changeOf('conversionRate', 2)] })];
  expect(told(mixed).lead).toEqual(['All 3 days were normal. One lies outside its 95% bounds, which may be chance: on 22 Nov (below).']);
});

it('counts values and not weeks where rows are of devices too', () => {
  expect(told([day(1, cell(1, 0, 2)), day(1, cell(1, 0, 2)), day(1, cell(1, 0, 2))], ['week', 'device']).lead).toEqual([
    'All 3 values were normal.',
  ]);
});

it('says that nothing can be expected of a young site', () => {
  expect(told([day(5, { expected: null, low: null, high: null, verdict: 'too young' })]).lead).toEqual([
    'Nothing can be expected yet: fewer than 21 days before the range are known.',
  ]);
});
