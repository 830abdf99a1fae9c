import { describe, expect, it } from 'vitest';
import { grammarOf } from '../../../../src/domain/metrics/findings.ts';
import type { MetricQuery } from '../../../../src/domain/metrics/read/metric-query.ts';
import { leadOf } from '../../../../src/domain/metrics/read/query-lead.ts';
import type { QueryTable } from '../../../../src/domain/metrics/read/query-table.ts';

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

  it('has the sum over time and both ends, whole days alone', () => {
    const rows = [
      ['2026-09-07 (part)', 3],
      ['2026-09-08', 1200],
      ['2026-09-09', 900],
      ['total', 2103],
    ];
    expect(lead({ columns: ['day', 'visits'], rows }, { metrics: ['visits'], breakdown: ['day'] })).toBe(
      '2,103 visits from 7 to 13 Sept. Most visits: 8 Sept (1,200); fewest: 9 Sept (900).',
    );
  });

  it('leaves out the whole and the rest beside the parts', () => {
    const rows = ['all', 'desktop', 'tablet', 'other or unknown device'].map((device, at) => [device, 4 - at]);
    const asked = { metrics: ['conversionRate'], breakdown: ['device' as const] };
    expect(lead({ columns: ['device', 'conversionRate'], rows }, asked)).toBe(
      'Highest conversion rate from 7 to 13 Sept: desktop (3%); lowest: tablet (2%).',
    );
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
