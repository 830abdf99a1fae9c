import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { windowsOf } from '../../../../src/domain/metrics/compare/comparison-windows.ts';
import { daysBetween, shiftDays } from '../../../../src/lib/calendar.ts';
import { isoAt, todayIn } from '../../../../src/lib/dates.ts';

const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const at = (text: string) => Date.parse(text);
const plain = { kind: 'previous', timeZone: 'UTC', nowMs: NOW } as const;
const week = { startMs: at('2026-11-09T00:00:00.000Z'), endMs: at('2026-11-15T23:59:59.999Z') };

function said({ startMs, endMs }: { startMs: number; endMs: number }, timeZone = 'UTC'): string {
  return `${isoAt(startMs, timeZone)} ${isoAt(endMs, timeZone)}`;
}

describe('the baseline', () => {
  it('is the days before, as many as the period has', () => {
    const { baseline, history, isAdjacent, factors, notes } = windowsOf({ ...plain, period: week });
    expect(said(baseline)).toBe('2026-11-02T00:00:00.000Z 2026-11-08T23:59:59.999Z');
    expect(said(history)).toBe('2026-05-16T00:00:00.000Z 2026-11-01T23:59:59.999Z');
    expect([isAdjacent, factors, notes]).toEqual([true, { before: 1, after: 1 }, []]);
  });

  it('is the year before on the same weekdays', () => {
    const { baseline, history, isAdjacent, isFar } = windowsOf({ ...plain, period: week, kind: 'previous_year' });
    expect(said(baseline)).toBe('2025-11-10T00:00:00.000Z 2025-11-16T23:59:59.999Z');
    expect([isAdjacent, isFar]).toEqual([false, true]);
    expect(history.endMs + 1).toBe(week.startMs);
  });

  it('is the same dates of the year before, where dates matter more than weekdays', () => {
    const { baseline } = windowsOf({ ...plain, period: week, kind: 'same_dates_last_year' });
    expect(said(baseline)).toBe('2025-11-09T00:00:00.000Z 2025-11-15T23:59:59.999Z');
  });

  it('of a calendar month is the whole month before', () => {
    const october = { startMs: at('2026-10-01T00:00:00.000Z'), endMs: at('2026-10-31T23:59:59.999Z') };
    const { baseline, isAdjacent } = windowsOf({ ...plain, period: october });
    expect(said(baseline)).toBe('2026-09-01T00:00:00.000Z 2026-09-30T23:59:59.999Z');
    expect(isAdjacent).toBe(true);
  });

  it('of a quarter is the quarter before, of a year the year before', () => {
    const quarter = windowsOf({ ...plain, period: { startMs: at('2026-07-01T00:00:00.000Z'), endMs: at('2026-09-30T23:59:59.999Z') } });
    expect(said(quarter.baseline)).toBe('2026-04-01T00:00:00.000Z 2026-06-30T23:59:59.999Z');
    expect(quarter.factors).toEqual({ before: expect.closeTo(1 / 91, 10), after: expect.closeTo(1 / 92, 10) });
    const year = windowsOf({ ...plain, period: { startMs: at('2025-01-01T00:00:00.000Z'), endMs: at('2025-12-31T23:59:59.999Z') } });
    expect(said(year.baseline)).toBe('2024-01-01T00:00:00.000Z 2024-12-31T23:59:59.999Z');
  });

  it('is cut where now cuts the period', () => {
    const { baseline, factors, notes } = windowsOf({ ...plain, period: { startMs: at('2026-11-14T00:00:00.000Z'), endMs: NOW } });
    expect(said(baseline)).toBe('2026-11-07T00:00:00.000Z 2026-11-13T09:59:59.999Z'.replace('09:59:59.999', '10:00:00.000'));
    expect(factors).toEqual({ before: 1, after: 1 });
    expect(notes).toEqual([expect.stringContaining('cut at the same time of day (10:00)')]);
  });

  it('may be named, by one bound or both; counts of ranges that differ in length are compared by day', () => {
    const october = { startMs: at('2026-10-01T00:00:00.000Z'), endMs: at('2026-10-31T23:59:59.999Z') };
    const byStart = windowsOf({ ...plain, period: october, baselineStartMs: at('2026-09-01T00:00:00.000Z') });
    expect(said(byStart.baseline)).toBe('2026-09-01T00:00:00.000Z 2026-09-30T23:59:59.999Z');
    expect(byStart.factors).toEqual({ before: expect.closeTo(1 / 30, 10), after: expect.closeTo(1 / 31, 10) });
    expect(byStart.notes).toContainEqual(expect.stringContaining('for a day'));
    const byEnd = windowsOf({ ...plain, period: week, baselineEndMs: at('2026-10-25T23:59:59.999Z') });
    expect(said(byEnd.baseline)).toBe('2026-10-19T00:00:00.000Z 2026-10-25T23:59:59.999Z');
    // No day may teach twice.
    expect(byEnd.history.endMs + 1).toBe(byEnd.baseline.startMs);
    expect([byEnd.isAdjacent, byEnd.isFar]).toEqual([false, false]);
  });

  it('never overlaps the period', () => {
    const overlap = {
      ...plain,
      period: week,
      baselineStartMs: at('2026-11-08T00:00:00.000Z'),
      baselineEndMs: at('2026-11-10T00:00:00.000Z'),
    };
    expect(() => windowsOf(overlap)).toThrow('overlaps the period');
    expect(() => windowsOf({ ...plain, period: { startMs: NOW, endMs: NOW - 1 } })).toThrow('endDate lies before startDate');
  });

  it('says which start has the same weekdays where it has others', () => {
    const { notes } = windowsOf({ ...plain, period: { ...week, endMs: at('2026-11-12T23:59:59.999Z') } });
    expect(notes).toEqual([expect.stringContaining('baselineStartDate 2026-11-02 compares the same weekdays.')]);
  });

  it('of the running week so far is the same weekdays of the week before, with the days between read too', () => {
    const soFar = { ...plain, kind: undefined, period: { startMs: at('2026-11-16T00:00:00.000Z'), endMs: at('2026-11-18T23:59:59.999Z') } };
    const { baseline, between, isAdjacent, notes } = windowsOf(soFar);
    expect(said(baseline)).toBe('2026-11-09T00:00:00.000Z 2026-11-11T23:59:59.999Z');
    expect(between && said(between)).toBe('2026-11-12T00:00:00.000Z 2026-11-15T23:59:59.999Z');
    expect([isAdjacent, notes]).toEqual([true, [expect.stringContaining('same weekdays of the week before')]]);
    expect(said(windowsOf({ ...soFar, kind: 'previous' }).baseline)).toBe('2026-11-13T00:00:00.000Z 2026-11-15T23:59:59.999Z');
    // Three days of an earlier week are held against the three before.
    const earlier = { startMs: at('2026-11-09T00:00:00.000Z'), endMs: at('2026-11-11T23:59:59.999Z') };
    expect(said(windowsOf({ ...soFar, period: earlier }).baseline)).toBe('2026-11-06T00:00:00.000Z 2026-11-08T23:59:59.999Z');
  });

  it('of the running week is cut at the same time of day, and only whole days lie between', () => {
    const { baseline, between } = windowsOf({ ...plain, kind: undefined, period: { startMs: at('2026-11-16T00:00:00.000Z'), endMs: NOW } });
    expect(said(baseline)).toBe('2026-11-09T00:00:00.000Z 2026-11-13T10:00:00.000Z');
    expect(between && said(between)).toBe('2026-11-14T00:00:00.000Z 2026-11-15T23:59:59.999Z');
  });

  it('keeps calendar days whole in every zone, across changes of the clock', () => {
    const zones = fc.constantFrom('Europe/Paris', 'America/New_York', 'Australia/Lord_Howe', 'Asia/Kathmandu', 'America/Santiago', 'UTC');
    fc.assert(
      fc.property(zones, fc.integer({ min: 1, max: 700 }), fc.integer({ min: 1, max: 60 }), (timeZone, ago, length) => {
        const midnight = (days: number) =>
          Date.parse(isoAt(shiftDays(NOW, -days, timeZone), timeZone).replace(/T[^+Z-]+/, 'T00:00:00.000'));
        const period = { startMs: shiftDays(midnight(0), -ago - length, timeZone), endMs: shiftDays(midnight(0), -ago, timeZone) - 1 };
        const { baseline } = windowsOf({ ...plain, period, timeZone });
        expect(baseline.endMs + 1).toBe(period.startMs);
        // Of one calendar month or two the baseline is as many before, whose last day is the one before the period.
        const [first, next] = [period.startMs, period.endMs + 1].map((instantMs) => todayIn(timeZone, instantMs));
        const isMonths = first?.endsWith('-01') && next?.endsWith('-01');
        const monthBefore = (day: string) => new Date(Date.parse(day) - 86_400_000).toISOString().slice(0, 8) + '01';
        const start = length > 31 ? monthBefore(monthBefore(first ?? '')) : monthBefore(first ?? '');
        const expected = isMonths ? Math.round((Date.parse(first ?? '') - Date.parse(start)) / 86_400_000) : length;
        expect(daysBetween(baseline.startMs, baseline.endMs + 1, timeZone)).toBeCloseTo(expected, 6);
        const year = windowsOf({ ...plain, period, timeZone, kind: 'previous_year' }).baseline;
        const weekday = (instantMs: number) => new Date(todayIn(timeZone, instantMs)).getUTCDay();
        expect(weekday(year.startMs)).toBe(weekday(period.startMs));
      }),
      // Days without midnight: the first of the baseline, and the one after the period.
      {
        examples: [
          ['America/Santiago', 693, 55],
          ['America/Santiago', 75, 3],
        ],
      },
    );
  });
});
