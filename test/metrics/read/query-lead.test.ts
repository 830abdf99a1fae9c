import { expect, it } from 'vitest';
import { grammarOf } from '../../../src/metrics/findings.ts';
import type { MetricQuery } from '../../../src/metrics/read/metric-query.ts';
import { leadOf } from '../../../src/metrics/read/query-lead.ts';
import type { QueryTable } from '../../../src/metrics/read/query-table.ts';

const UNITS = { visits: 'sessions', conversionRate: '%' };
const BY_SEGMENT: Partial<MetricQuery> = { metrics: ['conversionRate'], bases: ['visits'], breakdown: ['segment'] };

it.each<[string, string[], QueryTable['rows'], Partial<MetricQuery>, string]>([
  [
    'has the figures of one row and where they are',
    ['visits', 'conversionRate'],
    [[25751, 2.41]],
    {},
    '25,751 mobile visits and conversion rate 2.41% from 7 to 13 Sept.',
  ],
  [
    'has the sum over time and both ends, of parts of a time only the most',
    ['day', 'visits'],
    [
      ['2026-09-07 (part)', 3],
      ['2026-09-08', 1200],
      ['2026-09-09', 900],
      ['total', 2103],
    ],
    { metrics: ['visits'], breakdown: ['day'] },
    '2,103 visits from 7 to 13 Sept. Most visits: 8 Sept (1,200); fewest in a whole day: 9 Sept (900).',
  ],
  [
    'calls a part of a time the most of what adds up, and either end of a rate',
    ['quarter', 'visits', 'conversionRate'],
    [
      ['2026-Q2', 338711, 3.67],
      ['2026-Q3', 321452, 3.61],
      ['Q4 2026 (part)', 412626, 3.3],
    ],
    { breakdown: ['quarter'] },
    '1,072,789 visits from 7 to 13 Sept. Most visits: Q4 2026 (412,626 in part of it); fewest: Q3 2026 (321,452). ' +
      'Lowest conversion rate: Q4 2026 (3.3% in part of it).',
  ],
  [
    'has both ends of each metric, with the shares that were asked for',
    ['device', 'visits', 'conversionRate', 'visitsShare'],
    [
      ['desktop', 40000, 4.6, 40],
      ['mobile', 60000, 2.7, 60],
    ],
    { breakdown: ['device'] },
    'Most visits from 7 to 13 Sept: mobile (60,000, 60% of all); fewest: desktop (40,000, 40% of all). ' +
      'Highest conversion rate: desktop (4.6%); lowest: mobile (2.7%).',
  ],
  [
    'leaves out the whole and the rest beside the parts',
    ['device', 'conversionRate'],
    ['all', 'desktop', 'tablet', 'other or unknown device'].map((device, at) => [device, 4 - at]),
    { metrics: ['conversionRate'], breakdown: ['device'] },
    'Highest conversion rate from 7 to 13 Sept: desktop (3%); lowest of the named devices: tablet (2%).',
  ],
  [
    'calls no rate an end that chance explains',
    ['segment', 'conversionRate', 'visits'],
    [
      ['Germany', 3.3128, 69041],
      ['France', 3.3079, 31428],
    ],
    BY_SEGMENT,
    'Conversion rate from 7 to 13 Sept: no significant difference (3.31%).',
  ],
  [
    'passes over rates of few visits',
    ['segment', 'conversionRate', 'visits'],
    [
      ['New', 2.9, 18000],
      ['Returning', 4.4, 13000],
      ['Press', 16.67, 6],
    ],
    BY_SEGMENT,
    'Highest conversion rate from 7 to 13 Sept with enough visits to tell: "Returning" (4.4%); lowest: "New" (2.9%).',
  ],
  [
    'calls the lowest of four rates so, and no highest where the others are alike',
    ['quarter', 'conversionRate', 'visits'],
    [3.59, 3.6, 3.63, 3.32].map((rate, at) => [`2026-Q${at + 1}`, rate, 330000]),
    { metrics: ['conversionRate'], breakdown: ['quarter'] },
    'Lowest conversion rate from 7 to 13 Sept: Q4 2026 (3.32%).',
  ],
  [
    'calls no row the last where a limit kept the first',
    ['month', 'visits'],
    [
      ['2025-11', 154306],
      ['2025-12', 120000],
    ],
    { metrics: ['visits'], limit: 2, order: { metric: 'visits', smallestFirst: false }, breakdown: ['month'] },
    'Most visits from 7 to 13 Sept: Nov 2025 (154,306).',
  ],
  [
    'takes the ends of an average from whole times, of whose parts a few orders would be the most',
    ['week', 'cartAverage'],
    [
      ['2026-08-31 (part)', 97.3],
      ['2026-09-07', 81.6],
      ['2026-09-14', 69.8],
    ],
    { metrics: ['cartAverage'], breakdown: ['week'] },
    'Highest average cart from 7 to 13 Sept in a whole week: the week of 7 Sept (81.6); lowest: the week of 14 Sept (69.8).',
  ],
  ['is empty where nothing has a value', ['visits'], [[null]], {}, ''],
])('the first sentence of a table %s', (_, columns, rows, query, sentence) => {
  // Only one row is of a place.
  const filters = columns[0] === 'visits' ? { filters: { device: 'mobile', goal: 'e-commerce goal' } } : {};
  const asked = { metrics: ['visits', 'conversionRate'], bases: [], breakdown: [], ...query };
  const range = { from: '2026-09-07', to: '2026-09-13' };
  expect(leadOf({ columns, rows, units: UNITS, ...filters }, { query: asked, ...range, grammar: grammarOf('2026-11-20') })).toBe(sentence);
});
