import { describe, expect, it } from 'vitest';
import {
  rowVerdicts,
  stepEstimate,
  stepSentence,
  trendEstimate,
  trendSentence,
  weekendEstimate,
} from '../../../../src/domain/metrics/expected/row-verdicts.ts';
import type { MetricRow } from '../../../../src/domain/metrics/read/metric-answers.ts';
import { dayAfter } from '../../../../src/lib/calendar.ts';
import { seeded } from '../../../bench/verdicts/random.ts';
import { rowOn } from '../points.ts';

/** Days from a Monday on, weekends `factor` times as high, shocks of 5 %. */
function daysOf(seed: number, count: number, factor: number): MetricRow[] {
  const { normal } = seeded(seed);
  return Array.from({ length: count }, (_, day) =>
    rowOn(dayAfter('2026-01-05', day), { visits: Math.round(5_000 * (day % 7 > 4 ? factor : 1) * Math.exp(0.05 * normal())) }),
  );
}

describe('weekends against Monday to Friday', () => {
  it('differ by so much a day, between bounds, over the whole weeks of the range', () => {
    const found = weekendEstimate('visits', daysOf(1, 59, 0.8));
    expect(found).toMatchObject({ isClear: true, count: 8 });
    expect(found?.relative).toBeCloseTo(-0.2, 1);
    expect(found?.low).toBeLessThan(-0.19);
    expect(found?.high).toBeGreaterThan(-0.21);
  });

  it('need four weeks, and are seldom told apart where they are alike', () => {
    expect(weekendEstimate('visits', daysOf(1, 27, 0.8))).toBeUndefined();
    const clear = Array.from({ length: 300 }, (_, seed) => weekendEstimate('visits', daysOf(seed + 1, 56, 1))?.isClear);
    expect(clear.filter(Boolean).length).toBeLessThanOrEqual(9);
  });
});

describe('a trend over periods', () => {
  const monthsOf = (seed: number, count: number, growth: number, season = 0) => {
    const { normal } = seeded(seed);
    return Array.from({ length: count }, (_, month) => {
      return 1_000 * Math.exp(growth * month + season * Math.sin((2 * Math.PI * month) / 12) + 0.03 * normal());
    });
  };

  it('is a growth a month between bounds', () => {
    const found = trendEstimate(monthsOf(2, 12, -0.02), true);
    expect(found).toMatchObject({ isClear: true, isSeasonal: false, count: 12 });
    expect(found?.relative).toBeCloseTo(-0.02, 1);
  });

  it('is one against the year before from 24 months on, so that a season makes none', () => {
    expect(trendEstimate(monthsOf(3, 30, 0.01, 0.4), true)).toMatchObject({ isClear: true, isSeasonal: true });
    expect(trendEstimate(monthsOf(3, 30, 0.01, 0.4), true)?.relative).toBeCloseTo(Math.expm1(0.12), 1);
    const clear = Array.from({ length: 300 }, (_, seed) => trendEstimate(monthsOf(seed + 1, 24, 0, 0.4), true)?.isClear);
    expect(clear.filter(Boolean).length).toBeLessThanOrEqual(9);
  });

  it('is said with its interval, and only counted where it is not significant', () => {
    const trend = { relative: -0.02, low: -0.03, high: -0.01, isClear: true, count: 12, isSeasonal: false };
    expect(trendSentence('visits', 'week', trend)).toBe(
      'Visits: a fall of 2.0% a week (95%: -3.0% to -1.0%) over these 12 weeks, the season included.',
    );
    expect(trendSentence('visits', 'month', { ...trend, isClear: false })).toBe(
      'Visits: a fall of 2.0% a month (95%: -3.0% to -1.0%) over these 12 months, the season included, likely but not certain.',
    );
    expect(trendSentence('visits', 'month', { ...trend, high: 0.01, isClear: false })).toBe(
      'Visits: no significant trend over these 12 months, the season included (-2.0% a month).',
    );
    expect(trendSentence('visits', 'month', { ...trend, isSeasonal: true, count: 30 })).toBe(
      'Visits: a fall of 2.0% a year, each month against the same of the year before (95%: -3.0% to -1.0%) over these 30 months.',
    );
  });

  it('needs six periods with a value, and is seldom told where there is none', () => {
    expect(trendEstimate(monthsOf(1, 5, 0.1), true)).toBeUndefined();
    expect(trendEstimate([1, 2, 0, 4, 5, 6, 7], false)).toBeUndefined();
    const clear = Array.from({ length: 400 }, (_, seed) => trendEstimate(monthsOf(seed + 1, 9, 0), true)?.isClear);
    expect(clear.filter(Boolean).length).toBeLessThanOrEqual(10);
  });
});

describe('a step among periods', () => {
  it('is told where a level breaks, with its first period and size', () => {
    const step = stepEstimate([3.7, 3.66, 3.76, 3.41, 3.53, 2.55, 2.25]);
    expect(step).toMatchObject({ from: 5, isClear: true, count: 7 });
    expect(step?.relative).toBeCloseTo(-0.336, 2);
    expect(
      stepSentence('conversion rate', 'week', { relative: -0.336, low: -0.4, high: -0.2, isClear: true, count: 7, from: 5 }, '2026-11-09'),
    ).toBe(
      'Conversion rate: 33.6% lower (95%: -40.0% to -20.0%) from the week of 2026-11-09 on than before, with no trend beside that step.',
    );
    const ofLast = { relative: 0.4, low: 0.146, high: 0.711, isClear: false, count: 11, from: 10 };
    expect(stepSentence('visits', 'month', ofLast, '2026-11')).toBe(
      'Visits: 40.0% higher (95%: +14.6% to +71.1%) in the last month than before, likely but not certain, ' +
        'with no trend beside that step.',
    );
  });

  it('is none where the level grows evenly, and seldom one of chance', () => {
    const { normal } = seeded(7);
    const told = (growth: number) =>
      Array.from({ length: 300 }, () => stepEstimate(Array.from({ length: 10 }, (_, at) => Math.exp(growth * at + 0.05 * normal()))));
    expect(told(0.05).filter(Boolean).length).toBeLessThanOrEqual(15);
    expect(told(0).filter(Boolean).length).toBeLessThanOrEqual(15);
    expect(told(0).filter((step) => step?.isClear).length).toBeLessThanOrEqual(6);
  });

  it('needs six periods, and three before it', () => {
    expect(stepEstimate([3.7, 3.66, 3.76, 2.55, 2.25])).toBeUndefined();
    expect(stepEstimate([3.7, 2.2, 2.25, 2.21, 2.26, 2.23, 2.2])?.from).not.toBe(1);
  });
});

it('special days are no weekday of theirs: one Cyber Monday makes Monday not the highest', () => {
  const row = rowOn('2026-01-05', {});
  const days = Array.from({ length: 84 }, (_, day) => {
    const level = (day % 7 === 6 ? 1.15 : 1) * (day === 21 ? 4 : 1);
    const visits = Math.round(4_000 * level * Math.exp(0.02 * Math.sin(day * 7.3)));
    return { ...rowOn(dayAfter('2026-01-05', day), { visits }), selection: row.selection };
  });
  const query = { metrics: ['visits'], bases: [], breakdown: ['weekday'], zoneIds: [] } as never;
  const said = rowVerdicts(query, [], days, { nameOf: () => '', told: [], isSpecial: (day) => day === dayAfter('2026-01-05', 21) });
  expect(said).toMatch(/^Visits without special days: highest on Sunday, 1\d\.\d% above /);
});

it('weeks with special days are no part of a trend', () => {
  const weeks = Array.from({ length: 20 }, (_, week) => {
    const { interval, ...row } = rowOn(dayAfter('2025-11-10', 7 * week), { visits: (week < 7 ? 60_000 : 30_000) + 100 * (week % 3) });
    return { ...row, order: week, interval: { ...interval, endMs: interval.startMs + 7 * 86_400_000 - 1 } };
  });
  const query = { metrics: ['visits'], bases: [], breakdown: ['week'], zoneIds: [] } as never;
  const said = (isSpecial: (day: string) => boolean) => rowVerdicts(query, weeks, [], { nameOf: () => '', told: [], isSpecial });
  expect(said(() => false)).toMatch(/^Visits: \d+\.\d% lower /);
  expect(said((day) => day < '2025-12-28')).toMatch(/^Visits in usual weeks: no significant trend over these 13 weeks/);
});
