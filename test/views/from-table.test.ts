import { expect, it } from 'vitest';
import type { Finding } from '../../src/findings/finding.ts';
import { chartOfRows } from '../../src/views/from-rows.ts';
import { chartOfTable } from '../../src/views/from-table.ts';
import { panelsOf } from '../../src/views/spec.ts';

const week = { timeZone: 'Europe/Paris', interval: { startMs: Date.parse('2026-11-08T23:00Z'), endMs: Date.parse('2026-11-15T23:00Z') } };

it('draws hours as hours, in order, each group a line', () => {
  const columns = ['hour', 'device_id', 'sessions'];
  const rows = [
    ['2026-11-19 01:00:00', 1, 7],
    ['2026-11-19 00:00:00', 1, 5],
    ['2026-11-19 00:00:00', 2, 3],
    [null, 2, 9],
  ];
  expect(chartOfRows({ columns, types: ['TIMESTAMP', 'BIGINT', 'BIGINT'], rows }, 'UTC')).toEqual({
    kind: 'trend',
    title: 'Sessions by hour and device id',
    subtitle: '19 Nov 2026, rows without a day not drawn, rows of the query over downloaded exports, UTC',
    unit: 'none',
    timeZone: 'UTC',
    times: ['2026-11-19T00:00', '2026-11-19T01:00'],
    series: [
      { name: '1', values: [5, 7] },
      { name: '2', values: [3, null] },
    ],
    events: [],
  });
});

it('draws midnights as days, and amounts that come as text', () => {
  const rows = [
    ['2026-11-19 00:00:00', '12.50'],
    ['2026-11-20 00:00:00', null],
  ];
  const chart = chartOfRows(
    { columns: ['day', 'revenue'], types: ['TIMESTAMP', 'DECIMAL(38,2)'], rows, units: { revenue: 'money' } },
    'UTC',
  );
  expect(chart).toMatchObject({
    times: ['2026-11-19', '2026-11-20'],
    series: [{ values: [12.5, null] }],
    subtitle: 'money, 19 – 20 Nov 2026, rows of the query over downloaded exports, UTC',
  });
});

it('leaves a gap where a time between the others has no row, and takes numbers called hours for no times', () => {
  const rows = ['2026-11-17', '2026-11-19', '2026-11-20'].map((day, at) => [`${day} 00:00:00`, 'EU', at]);
  const columns = ['day', 'region', 'revenue'];
  const drawn = { columns, types: ['TIMESTAMP', 'VARCHAR', 'DOUBLE'], rows, units: { revenue: 'money' }, currency: 'EUR' };
  expect(chartOfRows(drawn, 'UTC')).toMatchObject({
    subtitle: expect.stringContaining('gap: no value on 18 Nov'),
    unit: 'EUR',
    times: ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'],
    series: [{ name: 'EU', values: [0, null, 1, 2] }],
  });
  const hours = [0, 1].map((hour) => [hour, 7]);
  const chart = chartOfRows({ columns: ['hour', 'n'], types: ['BIGINT', 'BIGINT'], rows: hours }, 'UTC');
  expect(chart).toMatchObject({ kind: 'bars', title: 'N by hour', labels: ['0', '1'] });
});

it('draws labels of any kind as bars', () => {
  const rows = [
    [1, 'a', 7],
    [null, 'b', 2],
  ];
  expect(chartOfRows({ columns: ['device_id', 'plan', 'n'], types: ['BIGINT', 'VARCHAR', 'HUGEINT'], rows }, 'UTC')).toMatchObject({
    kind: 'bars',
    title: 'N by device id and plan',
    labels: ['1', '(none)'],
  });
});

it('says of which days the data are, and columns as words', () => {
  const drawnDays = { startMs: Date.parse('2026-11-18T00:00Z'), endMs: Date.parse('2026-11-25T00:00Z') };
  const rows = [
    ['Chrome', 7],
    ['Edge', 2],
  ];
  const columns = ['browser_name', 'page_views'];
  const partial = [{ columns: ['browser_name'], days: [{ ...drawnDays, endMs: Date.parse('2026-11-23T00:00Z') - 1 }] }];
  const chart = chartOfRows(
    { columns, types: ['VARCHAR', 'BIGINT'], rows, units: { page_views: 'views' }, drawnDays: [drawnDays], partial },
    'UTC',
  );
  expect(chart).toMatchObject({
    title: 'Page views by browser name',
    subtitle: `views, 18 – 24 Nov 2026, UTC, browser name known on 18 – 22 Nov 2026 only, rows of the query over downloaded exports`,
  });
});

it('draws counts of weekdays as means of a day: there are more of one than of another', () => {
  const table = {
    columns: ['weekday', 'visits', 'conversionRate', 'days'],
    rows: [
      ['Monday', 24, 3.2, 8],
      ['Tuesday', 35, 3.4, 7],
    ],
    units: { visits: 'sessions', conversionRate: '%', days: 'whole days' },
  };
  const chart = chartOfTable(table, week);
  expect(chart && panelsOf(chart)).toMatchObject([
    { subtitle: 'mean of a day, 9 – 15 Nov 2026, Europe/Paris, sessions', series: [{ values: [3, 5] }] },
    { subtitle: '9 – 15 Nov 2026, Europe/Paris, %', series: [{ values: [3.2, 3.4] }] },
  ]);
});

it('draws nothing where there is no amount behind a label', () => {
  expect(chartOfRows({ columns: ['n'], types: ['BIGINT'], rows: [[1]] }, 'UTC')).toBeUndefined();
  expect(chartOfRows({ columns: ['a', 'session_id'], types: ['VARCHAR', 'BIGINT'], rows: [['x', 1]] }, 'UTC')).toBeUndefined();
});

it('draws each metric of a table by day, with its range, and says which are left out', () => {
  const names = ['visits', 'conversionRate', 'cartAverage', 'bounceRate', 'pageviewAverage', 'revenueSum', 'transactions'];
  const units = Object.fromEntries(names.map((name) => [name, name.endsWith('Rate') ? '%' : 'sessions']));
  const table = (metrics: readonly string[]) => ({
    columns: ['day', ...metrics],
    rows: [
      ['2026-11-09', ...metrics.map(() => 7)],
      ['2026-11-10', ...metrics.map(() => 9)],
    ],
    units: Object.fromEntries(metrics.map((name) => [name, units[name] ?? ''])),
  });
  const three = chartOfTable(table(names.slice(0, 3)), week);
  expect(three).toMatchObject({ kind: 'panels' });
  expect(three && panelsOf(three).map(({ title, subtitle }) => [title, subtitle])).toEqual([
    ['Visits by day', '9 – 15 Nov 2026, Europe/Paris, sessions'],
    ['Conversion rate by day', '9 – 15 Nov 2026, Europe/Paris, %'],
    ['Average cart by day', '9 – 15 Nov 2026, Europe/Paris, sessions'],
  ]);
  // Each picture is told of its own metric.
  const answers = { visits: '16 visits in 2 days. Most on the second.' };
  const said = chartOfTable(table(names.slice(0, 2)), { ...week, answers });
  expect(said && panelsOf(said).map(({ title }) => title)).toEqual(['16 visits in 2 days', 'Conversion rate by day']);
  const most = chartOfTable(table(names), week);
  expect(most && panelsOf(most)).toHaveLength(6);
  expect(most && panelsOf(most)[0]?.subtitle).toContain('not drawn: transactions');
});

it('marks a change of a place without a line, and says how many unusual days have no mark', () => {
  const days = Array.from({ length: 7 }, (_, at) => `2026-11-${String(9 + at).padStart(2, '0')}`);
  // All lie outside their bounds, which may be chance.
  const rows = days.map((day, at) => [day, 150 + at, 100, 80, 120, 'normal']);
  const table = { columns: ['day', 'visits', 'expected', 'low', 'high', 'verdict'], rows, units: { visits: 'sessions' } };
  const answers = { visits: 'Most visits: 15 Nov (156).' };
  const unusual = days.map((day, at) => ({
    ...finding('visits', '', 'higher'),
    place: {},
    when: { shape: 'day', from: day, to: day, ongoing: false } as const,
    change: { percent: 50 + at, low: 20, high: 80 },
  }));
  expect(chartOfTable(table, { ...week, answers })).toMatchObject({ title: 'Most visits: 15 Nov (156)', events: [] });
  expect(chartOfTable(table, { ...week, answers, findings: unusual })).toMatchObject({
    title: 'Most visits: 15 Nov (156)',
    subtitle: expect.stringContaining('3 more unusual days not marked'),
    events: [{ name: '9 Nov +50%', time: '2026-11-09' }, {}, {}, {}],
    series: [{}, { name: 'expected' }],
  });
  const lost = {
    ...finding('visits', 'Blog', 'lower'),
    change: { percent: -50, low: -60, high: -40 },
    when: { shape: 'step', from: '2026-11-11', ongoing: true } as const,
  };
  // These days are no lower than those before.
  expect(chartOfTable(table, { ...week, answers, findings: [lost] })).toMatchObject({
    title: 'Most visits: 15 Nov (156)',
    events: [{ name: 'visits of Blog: lower', time: '2026-11-11' }],
  });
});

it('draws the levels on both sides of a change as its record has them, where its unit is that of the amounts', () => {
  const rows = [
    ['2026-11-09', 94],
    ['2026-11-12', 94],
  ];
  const table = { columns: ['day', 'visits'], rows, units: { visits: 'sessions' } };
  const when = { shape: 'step', from: '2026-11-11', ongoing: true } as const;
  const fallen = { ...finding('visits', '', 'lower'), place: {}, when, now: 94, against: { what: 'before', value: 150.5 } } as const;
  const drawn = (unit: string) => chartOfTable(table, { timeZone: 'UTC', findings: [{ ...fallen, unit }] });
  expect(drawn('sessions a day')).toMatchObject({
    levels: [
      { from: '2026-11-09', to: '2026-11-11', value: 150.5 },
      { from: '2026-11-11', to: '2026-11-12', value: 94 },
    ],
  });
  expect(drawn('sessions')).not.toHaveProperty('levels');
});

it('says how many rows of a query are drawn, where it has more', () => {
  const rows = [
    ['a', 1],
    ['b', 2],
  ];
  const chart = chartOfRows({ columns: ['name', 'n'], types: ['VARCHAR', 'BIGINT'], rows, rowCount: 144 }, 'UTC');
  expect(chart).toMatchObject({ subtitle: 'the first 2 of 144 rows, rows of the query over downloaded exports' });
});

it('leaves out lines that lie on the axis and the whole among its parts, and says so', () => {
  const rows = ['2026-11-09', '2026-11-10'].flatMap((day) => [
    [day, 'all', 5_040],
    [day, 'mobile', 3_000],
    [day, 'desktop', 2_000],
    [day, 'unknown', 40],
  ]);
  const table = { columns: ['day', 'device', 'visits'], rows, units: { visits: 'sessions' } };
  expect(chartOfTable(table, { ...week, answers: { visits: 'Most visits: 9 Nov, mobile (3,000).' } })).toMatchObject({
    title: 'Most visits: 9 Nov, mobile (3,000)',
    series: [{ name: 'mobile' }, { name: 'desktop' }],
    subtitle: expect.stringContaining('not drawn: all devices, unknown'),
  });
});

const finding = (subject: string, segment: string, verdict: 'higher' | 'lower' | 'unchanged'): Finding => ({
  subject,
  unit: '%',
  place: { segment },
  when: { shape: 'range', ongoing: false },
  now: 1,
  verdict,
  causes: [],
  sentence: `${subject} of ${segment}: ${verdict}.`,
});

it('draws first what something was found of, and what differs apart from the rest', () => {
  const metrics = ['bounceRate', 'conversionRate', 'cartAverage', 'visits'];
  const rows = ['all visitors', 'Germany', 'France', 'Italy'].map((name, at) => [name, ...metrics.map((_, index) => 1 + at + index)]);
  const units = Object.fromEntries(metrics.map((name) => [name, name === 'visits' ? 'sessions' : '%']));
  const table = { columns: ['segment', ...metrics], rows, units };
  const findings = [
    finding('conversionRate', 'France', 'unchanged'),
    { ...finding('conversionRate', 'Germany', 'lower'), change: { percent: -21, low: -30, high: -12 } },
    finding('conversionRate', 'Italy', 'higher'),
  ];
  const drawn = chartOfTable(table, { ...week, findings, reference: 'all visitors' });
  const [first, second] = drawn ? panelsOf(drawn) : [];
  expect(first).toMatchObject({
    title: 'conversionRate of Germany: lower',
    labels: ['Italy', 'France', 'Germany', 'all visitors'],
    accent: ['Italy', 'Germany'],
    notes: ['higher', 'no significant difference', '21% lower', 'reference'],
    subtitle: expect.stringContaining('verdicts against all visitors'),
  });
  expect(second?.title).toBe('Bounce rate by segment');
  expect(second?.subtitle).toContain('not drawn: Visits');
  // Neither is a finding of the whole where its parts alone are drawn, nor one of a place that is not.
  const parts = { ...table, columns: ['device', ...metrics], rows: [['all', 9, 9, 9, 9], ...table.rows.slice(1)] };
  const whole = { ...finding('conversionRate', '', 'lower'), place: {}, sentence: 'Conversion rate fell.' };
  const step = { ...whole, when: { shape: 'step', from: '2026-11-10', ongoing: true } } as const;
  const germany = { ...finding('conversionRate', 'Germany', 'lower') };
  const [told] = panelsOf(chartOfTable(parts, { ...week, findings: [step, germany] }) ?? { kind: 'panels', panels: [] });
  expect(told).toMatchObject({ title: 'conversionRate of Germany: lower', accent: ['Germany'] });
  expect(told?.subtitle).toMatch(/not drawn: Visits, all devices; Conversion rate fell$/);
  // A change that cannot be the title, as of another metric, is no reason to stress a bar; one that is the title is not told again.
  const visits = { ...finding('visits', 'Germany', 'lower'), when: step.when };
  const revenue = { ...table, columns: ['segment', 'revenueSum'], units: { revenueSum: 'EUR' } };
  expect(chartOfTable(revenue, { ...week, findings: [visits] })).not.toHaveProperty('accent');
  const answers = { conversionRate: 'Conversion rate: conversion rate fell.' };
  expect(chartOfTable({ ...table, units: { conversionRate: '%' } }, { ...week, answers, findings: [step] })).toMatchObject({
    title: 'Conversion rate: conversion rate fell',
    subtitle: expect.not.stringContaining('fell'),
  });
  const spain = finding('conversionRate', 'Spain', 'lower');
  const other = chartOfTable(table, { ...week, findings: [spain] });
  expect(other && panelsOf(other)[0]?.title).toBe('Conversion rate by segment');
});

it('marks the day and the line of a change, also within a week and where it costs of another metric', () => {
  const rows = ['2026-11-02', '2026-11-09', '2026-11-16'].flatMap((day) => [
    [day, 'desktop', 40, 4],
    [day, 'mobile', 30, 3],
  ]);
  const table = { columns: ['week', 'device', 'visits', 'revenueSum'], rows, units: { visits: 'sessions', revenueSum: 'EUR' } };
  const change = {
    ...finding('visits', '', 'lower'),
    place: { device: 'mobile' },
    when: { shape: 'step', from: '2026-11-10', ongoing: true },
    cost: { of: 'revenueSum', value: -9, low: -12, high: -6, unit: 'EUR', from: '', to: '' },
  } as const;
  const against = { what: 'before', value: 40 } as const;
  const day = { ...change, against, when: { shape: 'day', from: '2026-11-16', to: '2026-11-16', ongoing: false } } as const;
  const chart = chartOfTable(table, { ...week, findings: [change, day] });
  expect(chart && panelsOf(chart)).toMatchObject([
    {
      title: 'visits of : lower',
      series: [{ name: 'desktop' }, { name: 'mobile', isAccent: true }],
      change: { name: 'since 10 Nov', time: '2026-11-10' },
      events: [],
    },
    { title: 'visits of : lower: about 9 EUR less revenue', change: { name: 'since 10 Nov', time: '2026-11-10' } },
  ]);
  // A day is no course of weeks.
  const [alone] = panelsOf(chartOfTable(table, { ...week, findings: [day] }) ?? { kind: 'panels', panels: [] });
  expect(alone).toMatchObject({ title: 'Visits by week and device', events: [] });
  expect(alone).not.toHaveProperty('change');
  // It began before the first day of the picture and runs through it; one that was over is none of it.
  const earlier = (to: object) =>
    chartOfTable(table, { ...week, findings: [{ ...change, when: { ...change.when, from: '2026-11-01', ...to } }] });
  expect(earlier({})).toMatchObject({
    panels: [1, 2].map(() => ({ change: { name: '← since 1 Nov', time: '2026-11-02' } })),
  });
  expect(earlier({ to: '2026-11-01' })).toMatchObject({ panels: [{ title: 'Visits by week and device' }, { events: [] }] });
  expect(JSON.stringify(earlier({ to: '2026-11-01' }))).not.toContain('"change"');
});
