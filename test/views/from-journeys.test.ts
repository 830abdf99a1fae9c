import { describe, expect, it } from 'vitest';
import { dayFrom } from '../../src/journeys/covered-days.ts';
import type { ImpactAnswer } from '../../src/journeys/impact/impact-answer.ts';
import { chartOfImpact, cohortChart, flowChart, funnelChart } from '../../src/views/from-journeys.ts';

const row = {
  condition: 'rage clicks on /cart',
  verdict: 'lowers',
  intervalPercent: 99.9,
  lostConversions: 12,
  lostConversionsLow: 4,
  lostConversionsHigh: 20,
  lostRevenue: 900,
  lostRevenueLow: 300,
  lostRevenueHigh: 1_500,
};
const visits = {
  covered: [13, 14, 15, 16, 17, 18, 19].map((day) => dayFrom(`2026-11-${day}`)),
  filters: ['devices mobile'],
  answer: 'What the answer says first; and more. The next sentence.',
};
const title = 'What the answer says first; and more';
const drawn = (outcome: string, rows: readonly object[], currency?: string) =>
  chartOfImpact({ impact: { conditions: rows, days: 7, outcome, currency } as unknown as ImpactAnswer, ...visits });

describe('the picture of what conditions cost', () => {
  it('begins as the answer does, and draws each with its interval, the verdict where it is no claim', () => {
    const within = { ...row, condition: 'slow load on /', verdict: 'within noise', lostConversionsLow: -3 };
    const chart = drawn('purchase', [
      row,
      within,
      { ...row, lostConversions: undefined, lostConversionsLow: undefined, lostConversionsHigh: undefined },
    ]);
    expect(chart).toMatchObject({
      title,
      subtitle: expect.stringMatching(
        /2026, UTC, devices mobile: bar: estimate; line: its interval, the wider the more conditions were tried$/,
      ),
    });
    expect(chart?.labels).toEqual(['rage clicks on /cart', 'slow load on /']);
    expect(chart?.notes).toEqual(['4 to 20', '-3 to 20 · within noise']);
  });

  it('is one of money where revenue is asked about', () => {
    const chart = drawn('revenue', [row], 'EUR');
    expect(chart?.notes).toEqual(['300 to 1,500']);
    expect(chart?.subtitle).toMatch(/^revenue lost, EUR in 7 days/);
  });

  it('draws more visits that end as the loss', () => {
    const ending = { ...row, verdict: 'raises', lostConversions: -12.5, lostConversionsLow: -20, lostConversionsHigh: -4 };
    const chart = drawn('bounce', [ending]);
    expect(chart?.series[0]?.values).toEqual([13]);
    expect(chart?.notes).toEqual(['4 to 20']);
  });

  it('is none where nothing could be measured', () => {
    expect(drawn('purchase', [{ condition: 'error', verdict: 'too few' }])).toBeUndefined();
  });
});

describe('the picture of a funnel', () => {
  const steps = [
    { step: '/p/*', sessions: 1_000 },
    { step: '/cart', sessions: 150, ofFirstPercent: 15, ofPreviousPercent: 15 },
    { step: 'purchase', sessions: 50, ofFirstPercent: 5, ofPreviousPercent: 33.3 },
  ];
  const group = (name: string, own: number[], verdict = '') => ({
    group: name,
    steps: own,
    verdict,
    ...(verdict && { differs: 'fewer' as const }),
  });

  it('shows of a split how many of each group go on, and the group that differs', () => {
    const groups = [group('mobile', [400, 40, 4], 'fewer'), group('desktop', [600, 110, 46]), group('unknown', [2, 2, 2])];
    expect(funnelChart({ steps, groups, unit: 'sessions', ...visits })).toMatchObject({
      title,
      labels: ['mobile · 400', 'desktop · 600'],
      accent: ['mobile · 400'],
      unit: 'percent',
      series: [
        { name: 'reach /cart', values: [10, 18.3] },
        // Of 40 sessions a share says nothing.
        { name: 'reach purchase', values: [null, 41.8] },
      ],
    });
  });

  it('shows the steps without a split, each beside the one before it', () => {
    const alike = [group('mobile', [400, 60, 20]), group('desktop', [600, 90, 30])];
    const funnel = { steps, unit: 'sessions', ...visits };
    expect(funnelChart({ ...funnel, groups: alike })).not.toHaveProperty('accent');
    const notes = ['', '15% of the step before · 15% of all', '33.3% of the step before · 5% of all'];
    expect(funnelChart(funnel)).toMatchObject({ title, labels: ['/p/*', '/cart', 'purchase'], notes });
  });

  it('shows the baseline where one was asked for, and what changed', () => {
    const changes = [
      { step: '/cart', beforePercent: 20, afterPercent: 15, verdict: 'lower' },
      { step: 'purchase', beforePercent: 33, afterPercent: 33.3, verdict: 'within noise' },
      { step: 'purchase', group: 'mobile', verdict: 'lower' },
    ] as const;
    expect(funnelChart({ steps, unit: 'sessions', changes, baseline: [dayFrom('2026-10-01')], ...visits })).toMatchObject({
      subtitle: expect.stringContaining(' against 1 Oct 2026, UTC'),
      labels: ['/cart', 'purchase'],
      accent: ['/cart'],
      series: [{ values: [20, 33] }, { values: [15, 33.3] }],
    });
    const groups = [group('mobile', [400, 60, 20], 'fewer'), group('desktop', [600, 110, 46])];
    expect(funnelChart({ steps, unit: 'sessions', changes, groups, compared: 'Fewer mobile.', baseline: [], ...visits })).toMatchObject({
      panels: [{ title }, { title: 'Fewer mobile', accent: ['mobile · 400'] }],
    });
  });
});

it('the picture of paths names its columns by their distance, and marks the page of the title', () => {
  const paths = [
    { pages: ['/cart', '/p/*'], sessions: 5 },
    { pages: ['/cart', '/', '/p/*'], sessions: 2 },
    { pages: ['/cart'], sessions: 9 },
  ];
  expect(flowChart({ paths, direction: 'before', depth: 2, sessions: 16, ...visits })).toMatchObject({
    columns: ['2 pages before', '1 page before', 'end'],
    nodes: { 0: { id: '0 /cart', side: 2, count: 16 } },
    accent: '1 /p/*',
  });
});

it('the picture of who comes back ends with the last period that is known of some cohort, and is none where none is', () => {
  const rest = { returned: [], incomplete: 0 };
  const cohorts = [
    { cohort: '2026-11-01', visitors: 10, percent: [100, 20, null], ...rest },
    { cohort: '2026-11-02', visitors: 5, percent: [100, null, null], ...rest },
  ];
  const curves = [{ group: 'all', visitors: 15, percent: [100, 20, null] }];
  const retention = { cohorts, curves, by: 'day' as const, ...visits };
  expect(cohortChart(retention)).toMatchObject({ title, columns: ['day 1'], rows: [{ name: 'all' }, { name: '1 Nov · 10' }] });
  expect(cohortChart({ ...retention, cohorts: cohorts.slice(1), curves: [] })).toBeUndefined();
  const small = { group: 'unknown', visitors: 1, percent: [100, 100, null] };
  const groups = [
    { group: 'desktop', visitors: 21, percent: [100, 20, null] },
    { group: 'tablet', visitors: 2, percent: [100, 9, null] },
  ];
  const all = { group: 'all', visitors: 99, percent: [100, 18, null] };
  const grid = cohortChart({ ...retention, curves: [all, ...groups, small] });
  // As small beside the largest group, not beside all.
  expect(grid?.rows.map(({ name }) => name)).toEqual(['all', 'desktop', 'tablet']);
  expect(grid?.subtitle).toContain('left out');
});
