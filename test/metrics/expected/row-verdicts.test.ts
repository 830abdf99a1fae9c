import { describe, expect, it } from 'vitest';
import { dayAfter, slotsOf } from '../../../src/lib/calendar.ts';
import type { FoundChange } from '../../../src/metrics/expected/expected-lines.ts';
import { rowVerdicts, trendEstimate, trendSentence, weekendEstimate } from '../../../src/metrics/expected/row-verdicts.ts';
import type { MetricRow } from '../../../src/metrics/read/metric-answers.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { rowOn, shareOf } from '../points.ts';

/** Days from a Monday on, weekends `factor` times as high, shocks of 5 %. */
function daysOf(seed: number, count: number, factor: number): MetricRow[] {
  const { normal } = seeded(seed);
  return times(count, (day) =>
    rowOn(dayAfter('2026-01-05', day), { visits: Math.round(5_000 * (day % 7 > 4 ? factor : 1) * Math.exp(0.05 * normal())) }),
  );
}
/** What is said of rows of some unit; of special days and changes none is known. */
const saidBy = (
  unit: string,
  lines: Lines,
  days: Parameters<typeof rowVerdicts>[2],
  more: Partial<Parameters<typeof rowVerdicts>[3]>,
  shares = false,
) =>
  rowVerdicts({ metrics: ['visits'], bases: [], breakdown: [unit], zoneIds: [], shares } as never, lines, days, {
    nameOf: () => '',
    found: [],
    isSpecial: () => false,
    ...more,
  });
type Lines = Parameters<typeof rowVerdicts>[1];
const READING = { device: 'all', segmentIds: [], goalId: undefined, known: [] } as never;
/** Days from a Monday on, Sundays higher than the others. */
const withSundays = (factorOf: (day: number) => number) =>
  times(84, (day) => {
    const level = (day % 7 === 6 ? 1.15 : 1) * factorOf(day);
    return rowOn(dayAfter('2026-01-05', day), { visits: Math.round(4_000 * level * Math.exp(0.02 * Math.sin(day * 7.3))) });
  });

it('weekends against Monday to Friday differ by so much a day, between bounds, over the whole weeks of the range', () => {
  const found = weekendEstimate('visits', daysOf(1, 59, 0.8));
  expect(found).toMatchObject({ isClear: true, count: 8 });
  expect(found?.relative).toBeCloseTo(-0.2, 1);
  expect(found?.low).toBeLessThan(-0.19);
  expect(found?.high).toBeGreaterThan(-0.21);
});

it('weekends against Monday to Friday need four weeks, and are seldom told apart where they are alike', () => {
  expect(weekendEstimate('visits', daysOf(1, 27, 0.8))).toBeUndefined();
  expect(shareOf(300, (seed) => weekendEstimate('visits', daysOf(seed, 56, 1))?.isClear === true)).toBeLessThanOrEqual(0.03);
});

it.each([5, 11, 26])('weekends against Monday to Friday hold what is so in about 95 of a hundred ranges of %i weeks', (weeks) => {
  const held = shareOf(400, (seed) => {
    const { low = 0, high = 0 } = weekendEstimate('visits', daysOf(seed, 7 * weeks, 0.9)) ?? {};
    return low < -0.1 && high > -0.1;
  });
  expect(held).toBeGreaterThan(0.92);
  expect(held).toBeLessThan(0.98);
});

describe('a trend over periods', () => {
  const monthsOf = (seed: number, count: number, growth: number) => {
    const { normal } = seeded(seed);
    return times(count, (month) => 1_000 * Math.exp(growth * month + 0.03 * normal()));
  };

  it('is a growth a month between bounds', () => {
    const found = trendEstimate(monthsOf(2, 12, -0.02));
    expect(found).toMatchObject({ isClear: true, count: 12 });
    expect(found?.relative).toBeCloseTo(-0.02, 1);
  });

  it('is said with its interval, and its doubt where it is not clear', () => {
    const trend = { relative: -0.02, low: -0.03, high: -0.01, isClear: true, count: 12 };
    expect(trendSentence('visits', 'week', trend)).toBe(
      'Visits: a fall of 2.0% a week (95%: -3.0% to -1.0%) over these 12 weeks, the season included.',
    );
    expect(trendSentence('visits', 'month', { ...trend, isClear: false })).toBe(
      'Visits: a fall of 2.0% a month (95%: -3.0% to -1.0%) over these 12 months, the season included, likely but not certain.',
    );
  });

  it('needs six periods with a value, and is seldom told where there is none', () => {
    expect(trendEstimate(monthsOf(1, 5, 0.1))).toBeUndefined();
    expect(trendEstimate([1, 2, 0, 4, 5, 6, 7])).toBeUndefined();
    expect(shareOf(400, (seed) => trendEstimate(monthsOf(seed, 9, 0))?.isClear === true)).toBeLessThanOrEqual(0.025);
  });
});

it('special days are no weekday of theirs: one Cyber Monday makes Monday not the highest', () => {
  const days = withSundays((day) => (day === 21 ? 4 : 1));
  const said = saidBy('weekday', [], days, { isSpecial: (day) => day === dayAfter('2026-01-05', 21) });
  expect(said).toMatch(/^Visits without special days and changes: highest on Sunday, 1\d\.\d% above the other days \(11 whole weeks\)/);
});

it('weeks with special days are no part of a trend', () => {
  const weeks = times(20, (week) => {
    const { interval, ...row } = rowOn(dayAfter('2025-11-10', 7 * week), { visits: (week < 7 ? 60_000 : 30_000) + 100 * (week % 3) });
    return { ...row, order: week, interval: { ...interval, endMs: interval.startMs + 7 * 86_400_000 - 1 } };
  });
  const said = (isSpecial: (day: string) => boolean) => saidBy('week', weeks, [], { isSpecial });
  expect(said(() => false)).toMatch(/^Visits: a fall of /);
  expect(said((day) => day < '2025-12-28')).toMatch(
    /^Visits in usual weeks: no significant trend over these 13 weeks, the season included \([+-]?[\d.]+% a week\)\.$/,
  );
});

it('months with an episode are no part of a trend of shares; single special days are, and totals have the season', () => {
  const interval = { startMs: Date.parse('2024-01-01'), endMs: Date.parse('2026-02-28T23:59:59.999Z') };
  const months = slotsOf('month', interval, 'UTC').map((slot, month) => {
    const visits = 60 * 0.98 ** month * (month === 23 ? 2 : 1) * (1 + 0.003 * (month % 3));
    return { ...rowOn('2024-01-01', { visits }), shares: { visits }, order: month, interval: slot };
  });
  const change = { from: '2025-12-04', to: '2025-12-10' } as never;
  const found = [{ metric: 'visits', reading: READING, change }];
  const said = (shares: boolean) => saidBy('month', months.slice(14), [], { found, isSpecial: (day) => day.endsWith('-01') }, shares);
  expect(said(true)).toMatch(
    /^The share of visits in usual months: a fall of 2.0% a month .* over these 11 months, the season included\.$/,
  );
  expect(said(false)).toBe('');
});

it('weekends are told over too few weeks too, with what the table shows', () => {
  const said = (count: number) => saidBy('weekend', [], daysOf(1, count, 0.8), { isSpecial: (day) => day === '2026-01-07' });
  expect(said(28)).toMatch(
    /^Visits without special days and changes at weekends: \d\d\.\d% lower than from Monday to Friday; that .* weeks \(3 whole weeks\)\.$/,
  );
  expect(said(6)).toBe('');
});

it('days of changes are left out as special days are, of a lasting one those before or since it, which are fewer', () => {
  const days = withSundays((day) => (day > 31 && day < 39 ? 4 : 1) * (day > 60 ? 0.5 : 1));
  const changeOn = (from: number, to?: number): FoundChange => ({
    metric: 'visits',
    reading: READING,
    change: { from: dayAfter('2026-01-05', from), ...(to !== undefined && { to: dayAfter('2026-01-05', to) }) } as never,
  });
  expect(saidBy('weekday', [], days, { found: [changeOn(32, 38), changeOn(61)] })).toMatch(
    /^Visits without special days and changes: highest on Sunday, 1\d\.\d% above the other days \(6 whole weeks\)/,
  );
});
