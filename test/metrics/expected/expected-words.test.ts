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

const usual = cell(101, 90, 110);
const [low, high] = (['low', 'high'] as const).map((verdict) => cell(100, 90, 110, verdict)) as [ExpectedCell, ExpectedCell];
const calm = [day(100, usual), day(99, usual)];
const outside = [day(120, usual), day(99, usual), day(99, usual)];
const unseen = { ...cell(100, 30, 300, 'low'), unseen: ['Black Friday'] };
const news = [changeOf('visits', -0.5)];
const changed = [
  day(100, cell(100, 90, 110)),
  day(60, { ...low, news }),
  // Beyond its bounds beside the change: of many rows some are.
  day(42, { ...low, news }),
  day(10, { ...low, news }),
  day(180, { ...high, news }),
];
const even = cell(100, 90, 110);
const one = day(1, cell(1, 0, 2));
const ABOVE = (dayText: string) => [`Visits were 80% above normal on ${dayText} Nov: 180 instead of 100.`];

it.each<[string, readonly Row[], ReturnType<typeof told>['lead'], string[]?]>([
  ['counts what is normal', calm, ['Both days were normal.']],
  ['tells the unusual day with both figures', [...calm, day(180, high)], [ABOVE('22')]],
  [
    'tells of several unusual days the last first',
    [...calm, day(180, high), day(20, low)],
    ['Of 4 days, 2 were unusual.', ['Visits were 80% below normal on 23 Nov: 20 instead of 100.'], ABOVE('22')],
  ],
  [
    'says which special day of an unknown effect may have made a row unusual',
    [day(20, unseen)],
    [['Visits were 80% below normal on 20 Nov: 20 instead of 100; Black Friday alone could explain it.']],
    [],
  ],
  [
    'says nothing of a special day that made no row unusual, and counts no rows',
    [day(100, { ...unseen, verdict: 'normal' })],
    [['Visits were normal on 20 Nov: 100, with 100 expected (30 to 300).']],
    [],
  ],
  ['says nothing of what lies ahead', [day(null, cell(100, 90, 110, 'forecast'))], []],
  [
    'counts a row outside its own bounds that is no discovery among so many',
    outside,
    ['All 3 days were normal. One lies outside its 95% bounds, which may be chance: 20 Nov (above).'],
  ],
  [
    'counts more rows outside their own bounds than chance explains',
    [...outside, ...outside],
    [
      'None of 6 days was clearly unusual. 2 lie outside their 95% bounds, more than chance alone explains: ' +
        '20 Nov (above) and 23 Nov (above).',
    ],
  ],
  [
    'says of each value of a single row whether it is normal',
    [{ values: { visits: 100, revenueSum: 9 }, expected: { visits: usual, revenueSum: cell(9, 8, 10) } }],
    [
      ['Visits were normal on 20 Nov: 100, with 101 expected (90 to 110).'],
      ['Revenue was normal on 20 Nov: 9.00 EUR, with 9.00 EUR expected (8.00 to 10.00 EUR).'],
    ],
    [],
  ],
  [
    'of the days of a change says when, and tells those far beyond its size or on its other side',
    changed,
    [
      'Of 5 days, 4 were unusual, 2 of them because of a listed change (21 Nov and 22 Nov).',
      ['Visits were 90% below normal on 23 Nov: 10 instead of 100.'],
      ABOVE('24'),
    ],
  ],
  [
    'of the days of a change alone says when',
    changed.slice(0, 3),
    ['Of 3 days, 2 were unusual, because of a listed change (21 Nov and 22 Nov).'],
  ],
  [
    'of a single day of a change tells its figures',
    changed.slice(1, 2),
    [['Visits were 40% below normal on 20 Nov: 60 instead of 100.']],
    [],
  ],
  [
    'says that a change lies in rows of which none shows it',
    [even, even, { ...even, news }].map((own) => ({ ...day(99, own), days: 2 })),
    ['All 3 weeks were normal, 1 of them with a listed change (from 22 to 23 Nov).'],
    ['week'],
  ],
  [
    'says beside a change that a value of another metric may be no chance',
    [day(99, even), day(99, even), day(60, { ...even, news: [changeOf('conversionRate', 2)] })],
    ['All 3 days were normal. One lies outside its 95% bounds, which may be chance: 22 Nov (below).'],
  ],
  ['counts values and not weeks where rows are of devices too', [one, one, one], ['All 3 values were normal.'], ['week', 'device']],
  [
    'says that nothing can be expected of a young site',
    [day(5, { expected: null, low: null, high: null, verdict: 'not enough data' })],
    ['Nothing can be expected: too few of the days just before the range have data.'],
  ],
])('%s', (_, days, lead, breakdown) => {
  expect(told(days, breakdown).lead).toEqual(lead);
});

it('records the unusual days alone, beside what was expected of them', () => {
  const against = { what: 'expected', value: 100, low: 90, high: 110 };
  expect(told([...calm, day(180, high)]).facts).toMatchObject([{ subject: 'visits', verdict: 'higher', now: 180, against }]);
  expect(told(changed.slice(0, 3)).facts).toEqual([]);
});

it('tells the sum of what lies ahead with its own bounds, and what is counted of it, for each metric', () => {
  const own = (expected: number, visits = cell(expected, expected - 9, expected + 9, 'forecast')) => ({
    visits,
    conversionRate: cell(3, 2, 4, 'forecast'),
  });
  const of = (visits: number | null, expected: Row['expected']) => ({ values: { visits, conversionRate: null }, expected });
  const [lines, words] = sceneOf([of(50, own(100)), of(null, own(120))]);
  const [whole] = sceneOf([of(50, own(220, cell(220, 205, 236, 'forecast')))]);
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
