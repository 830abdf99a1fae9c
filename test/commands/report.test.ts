import { expect, it } from 'vitest';
import { periodOf } from '../../src/commands/report/report.ts';

const now = { nowMs: Date.parse('2026-12-03T09:20:00Z'), timeZone: 'UTC' };

it.each([
  ['week', '2026-11-23', '2026-11-29'],
  ['month', '2026-11-01', '2026-11-30'],
  ['quarter', '2026-07-01', '2026-09-30'],
  ['14', '2026-11-19', '2026-12-02'],
  ['14d', '2026-11-19', '2026-12-02'],
])('the period of a report %s', (last, startDate, endDate) => {
  expect(periodOf(last, now)).toEqual({ startDate, endDate });
});

it.each(['year', '1', '93', ''])('the period of a report "%s" is refused with what is expected', (last) => {
  expect(() => periodOf(last, now)).toThrow(/expected week, month, quarter, or 2 to 92 days/);
});
