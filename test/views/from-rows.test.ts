import { expect, it } from 'vitest';
import { chartOfRows } from '../../src/views/from-query.ts';

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
    title: 'sessions by hour',
    subtitle: 'UTC',
    unit: 'none',
    timeZone: 'UTC',
    times: ['2026-11-19T00:00:00', '2026-11-19T01:00:00'],
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
  expect(chart).toMatchObject({ times: ['2026-11-19', '2026-11-20'], series: [{ values: [12.5, null] }], subtitle: 'money, UTC' });
});

it('draws labels of any kind as bars', () => {
  const rows = [
    [1, 'a', 7],
    [null, 'b', 2],
  ];
  expect(chartOfRows({ columns: ['device_id', 'plan', 'n'], types: ['BIGINT', 'VARCHAR', 'HUGEINT'], rows }, 'UTC')).toMatchObject({
    kind: 'bars',
    title: 'n by device_id and plan',
    labels: ['1', '(none)'],
  });
});

it('draws nothing where there is no amount behind a label', () => {
  expect(chartOfRows({ columns: ['n'], types: ['BIGINT'], rows: [[1]] }, 'UTC')).toBeUndefined();
  expect(chartOfRows({ columns: ['a', 'session_id'], types: ['VARCHAR', 'BIGINT'], rows: [['x', 1]] }, 'UTC')).toBeUndefined();
});
