import { describe, expect, it } from 'vitest';
import { grammarOf } from '../../../src/metrics/findings.ts';
import type { MetricQuery } from '../../../src/metrics/read/metric-query.ts';
import { leadOf } from '../../../src/metrics/read/query-lead.ts';
import type { QueryTable } from '../../../src/metrics/read/query-table.ts';

const UNITS = { visits: 'sessions', conversionRate: '%' };
const lead = (table: Partial<QueryTable>, query: Partial<MetricQuery> = {}) =>
  leadOf(
    { columns: [], rows: [], units: UNITS, ...table },
    {
      query: { metrics: ['visits', 'conversionRate'], bases: [], breakdown: [], ...query },
      from: '2026-09-07',
      to: '2026-09-13',
      grammar: grammarOf('2026-11-20'),
    },
  );

describe('the first sentence of a table', () => {
  it('has the figures of one row and where they are', () => {
    const table = { columns: ['visits', 'conversionRate'], rows: [[25751, 2.41]], filters: { device: 'mobile', goal: 'e-commerce goal' } };
    expect(lead(table)).toBe('25,751 mobile visits and conversion rate 2.41% from 7 to 13 Sept.');
  });

  it('has the sum over time and both ends, of parts of a time only the most', () => {
    const rows = [
      ['2026-09-07 (part)', 3],
      ['2026-09-08', 1200],
      ['2026-09-09', 900],
      ['total', 2103],
    ];
    expect(lead({ columns: ['day', 'visits'], rows }, { metrics: ['visits'], breakdown: ['day'] })).toBe(
      '2,103 visits from 7 to 13 Sept. Most visits: 8 Sept (1,200); fewest in a whole day: 9 Sept (900).',
    );
  });

  it('calls a part of a time the most of what adds up, and either end of a rate', () => {
    const rows = [
      ['2026-Q2', 338711, 3.67],
      ['2026-Q3', 321452, 3.61],
      ['Q4 2026 (part)', 412626, 3.3],
    ];
    expect(lead({ columns: ['quarter', 'visits', 'conversionRate'], rows }, { breakdown: ['quarter' as const] })).toBe(
      '1,072,789 visits from 7 to 13 Sept. Most visits: Q4 2026 (412,626 in part of it); fewest: Q3 2026 (321,452). ' +
        'Lowest conversion rate: Q4 2026 (3.3% in part of it).',
    );
  });

  it('has both ends of each metric, with the shares that were asked for', () => {
    const rows = [
      ['desktop', 40000, 4.6, 40],
      ['mobile', 60000, 2.7, 60],
    ];
    expect(lead({ columns: ['device', 'visits', 'conversionRate', 'visitsShare'], rows }, { breakdown: ['device' as const] })).toBe(
      'Most visits from 7 to 13 Sept: mobile (60,000, 60% of all); fewest: desktop (40,000, 40% of all). ' +
        'Highest conversion rate: desktop (4.6%); lowest: mobile (2.7%).',
    );
  });

  it('leaves out the whole and the rest beside the parts', () => {
    const rows = ['all', 'desktop', 'tablet', 'other or unknown device'].map((device, at) => [device, 4 - at]);
    const asked = { metrics: ['conversionRate'], breakdown: ['device' as const] };
    expect(lead({ columns: ['device', 'conversionRate'], rows }, asked)).toBe(
      'Highest conversion rate from 7 to 13 Sept: desktop (3%); lowest of the named devices: tablet (2%).',
    );
  });

  it('calls no rate an end that chance explains, and passes over those of few visits', () => {
    const asked = { metrics: ['conversionRate'], bases: ['visits'], breakdown: ['segment' as const] };
    const said = (rows: QueryTable['rows']) => lead({ columns: ['segment', 'conversionRate', 'visits'], rows }, asked);
    expect(
      said([
        ['Germany', 3.3128, 69041],
        ['France', 3.3079, 31428],
      ]),
    ).toBe('Conversion rate from 7 to 13 Sept: no significant difference (3.31%).');
    expect(
      said([
        ['New', 2.9, 18000],
        ['Returning', 4.4, 13000],
        ['Press', 16.67, 6],
      ]),
    ).toBe('Highest conversion rate from 7 to 13 Sept with enough visits to tell: "Returning" (4.4%); lowest: "New" (2.9%).');
  });

  it('calls the lowest of four rates so, and no highest where the others are alike', () => {
    const rows = [3.59, 3.6, 3.63, 3.32].map((rate, at) => [`2026-Q${at + 1}`, rate, 330000]);
    expect(
      lead({ columns: ['quarter', 'conversionRate', 'visits'], rows }, { metrics: ['conversionRate'], breakdown: ['quarter' as const] }),
    ).toBe('Lowest conversion rate from 7 to 13 Sept: Q4 2026 (3.32%).');
  });

  it('calls no row the last where a limit kept the first', () => {
    const asked = { metrics: ['visits'], limit: 2, order: { metric: 'visits', smallestFirst: false }, breakdown: ['month' as const] };
    const rows = [
      ['2025-11', 154306],
      ['2025-12', 120000],
    ];
    expect(lead({ columns: ['month', 'visits'], rows }, asked)).toBe('Most visits from 7 to 13 Sept: Nov 2025 (154,306).');
  });

  it('is empty where nothing has a value', () => {
    expect(lead({ columns: ['visits'], rows: [[null]] })).toBe('');
  });
});
