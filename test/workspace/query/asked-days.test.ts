import { expect, it } from 'vitest';
import { askedDays } from '../../../src/workspace/query/asked-days.ts';
import { uncovered } from '../../../src/workspace/query/intervals.ts';

const NOW = Date.parse('2026-12-03T09:20:00Z');
const asked = (sql: string) =>
  askedDays(sql, NOW).map(
    ({ startMs, endMs }) => `${new Date(startMs).toISOString().slice(0, 16)}/${new Date(endMs).toISOString().slice(0, 16)}`,
  );

it.each([
  ["WHERE session_date BETWEEN '2026-11-23' AND '2026-11-29'", ['2026-11-23T00:00/2026-11-30T00:00']],
  ["WHERE d >= DATE '2026-12-01' AND d < DATE '2026-12-02'", ['2026-12-01T00:00/2026-12-02T00:00']],
  ["WHERE d >= CAST('2026-11-01' AS DATE) AND d <= CAST('2026-11-30' AS DATE)", ['2026-11-01T00:00/2026-12-01T00:00']],
  ["WHERE session_time >= '2026-12-01 10:00:00' AND session_time < '2026-12-01 12:00:00'", ['2026-12-01T10:00/2026-12-01T12:00']],
  ["WHERE d = '2026-11-27'", ['2026-11-27T00:00/2026-11-28T00:00']],
  ["WHERE d > '2026-11-30'", ['2026-12-01T00:00/2026-12-03T09:20']],
  ["WHERE d >= '2026-12-01' AND d <= '2026-12-31'", ['2026-12-01T00:00/2026-12-03T09:20']],
  ["WHERE d < '2026-12-01'", []],
  ["WHERE CAST(d AS DATE) <> DATE '2026-11-20'", []],
  ["WHERE d != '2026-11-20'", []],
  ["WHERE d NOT BETWEEN '2026-11-20' AND '2026-11-22'", []],
  ["WHERE d < '2026-11-18' OR d >= '2026-11-24'", []],
  ["WHERE d < '2026-11-24' AND d >= '2026-11-18'", ['2026-11-18T00:00/2026-11-24T00:00']],
  ["WHERE country_code = 'DE' AND path LIKE '/2026-11-01/%'", []],
  [
    "SELECT sum(x) FILTER (d BETWEEN '2026-11-02' AND '2026-11-08'), sum(x) FILTER (d BETWEEN '2026-11-09' AND '2026-11-15') FROM s",
    ['2026-11-02T00:00/2026-11-09T00:00', '2026-11-09T00:00/2026-11-16T00:00'],
  ],
])('%s', (sql, expected) => {
  expect(asked(sql)).toEqual(expected);
});

const days = (from: string, to: string) => ({ startMs: Date.parse(from), endMs: Date.parse(to) });

it('what is not covered is what lies before, between and after', () => {
  const covered = [days('2026-11-03', '2026-11-05'), days('2026-11-06', '2026-11-08')];
  expect(uncovered([days('2026-11-01', '2026-11-10')], covered)).toEqual([
    days('2026-11-01', '2026-11-03'),
    days('2026-11-05', '2026-11-06'),
    days('2026-11-08', '2026-11-10'),
  ]);
  expect(uncovered([days('2026-11-03', '2026-11-05')], [days('2026-11-01', '2026-11-09')])).toEqual([]);
  // A range that ends on its last millisecond covers the whole day.
  expect(
    uncovered([days('2026-11-03', '2026-11-04')], [{ startMs: Date.parse('2026-11-03'), endMs: Date.parse('2026-11-04') - 1 }]),
  ).toEqual([]);
});
