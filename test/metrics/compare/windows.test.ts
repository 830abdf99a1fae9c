import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { daysBetween, shiftDays } from '../../../src/lib/calendar.ts';
import { isoAt, todayIn } from '../../../src/lib/dates.ts';
import { windowsOf } from '../../../src/metrics/compare/comparison-windows.ts';

const NOW = Date.parse('2026-11-20T10:00:00.000Z');
const at = (text: string) => Date.parse(text);
const plain = { kind: 'previous', timeZone: 'UTC', nowMs: NOW } as const;
const daysIn = (first: string, last: string) => ({ startMs: at(`${first}T00:00:00.000Z`), endMs: at(`${last}T23:59:59.999Z`) });

const week = daysIn('2026-11-09', '2026-11-15');

function said({ startMs, endMs }: { startMs: number; endMs: number }, timeZone = 'UTC'): string {
  return `${isoAt(startMs, timeZone)} ${isoAt(endMs, timeZone)}`;
}

describe('the baseline', () => {
  it('is the days before, as many as the period has', () => {
    const { baseline, history, isAdjacent, factors, notes } = windowsOf({ ...plain, period: week });
    expect(said(baseline)).toBe('2026-11-02T00:00:00.000Z 2026-11-08T23:59:59.999Z');
    expect(said(history)).toBe('2026-05-20T00:00:00.000Z 2026-11-01T23:59:59.999Z');
    expect([isAdjacent, factors, notes]).toEqual([true, { before: 1, after: 1 }, []]);
  });

  it.each<[string, Partial<Parameters<typeof windowsOf>[0]>, string]>([
    ['the year before on the same weekdays', { period: week, kind: 'previous_year' }, '2025-11-10 2025-11-16'],
    ['the same dates of the year before', { period: week, kind: 'same_dates_last_year' }, '2025-11-09 2025-11-15'],
    ['the whole month before a month', { period: daysIn('2026-10-01', '2026-10-31') }, '2026-09-01 2026-09-30'],
    ['the quarter before a quarter', { period: daysIn('2026-07-01', '2026-09-30') }, '2026-04-01 2026-06-30'],
    ['the year before a year', { period: daysIn('2025-01-01', '2025-12-31') }, '2024-01-01 2024-12-31'],
    [
      'as long as the period from a first day that is named',
      { period: daysIn('2026-10-01', '2026-10-31'), baselineStartMs: at('2026-09-01T00:00:00.000Z') },
      '2026-09-01 2026-09-30',
    ],
    ['as long up to a last day', { period: week, baselineEndMs: at('2026-10-25T23:59:59.999Z') }, '2026-10-19 2026-10-25'],
  ])('is %s', (_, more, expected) => {
    const { baseline, history, factors, notes } = windowsOf({ ...plain, period: week, ...more });
    const [first, last] = expected.split(' ');
    expect(said(baseline)).toBe(`${first}T00:00:00.000Z ${last}T23:59:59.999Z`);
    const lengths = [baseline, more.period ?? week].map(({ startMs, endMs }) => Math.round((endMs - startMs) / 86_400_000));
    // Counts of ranges that differ in length by more than a leap day does of a year are compared by day.
    const isPerDay = Math.abs((lengths[0] ?? 0) - (lengths[1] ?? 0)) > 0.005 * (lengths[1] ?? 0);
    expect([factors.before, factors.after]).toEqual(lengths.map((length) => expect.closeTo(isPerDay ? 1 / length : 1, 10)));
    expect(notes.some((note) => note.includes('figures for a day'))).toBe(isPerDay);
    // No day may teach twice, and none of another season.
    const taught = first?.startsWith('2025-11') ? (more.period ?? week) : baseline;
    expect(history.endMs + 1).toBe(taught.startMs);
  });

  it('is cut where now cuts the period', () => {
    const { baseline, factors, notes } = windowsOf({ ...plain, period: { startMs: at('2026-11-14T00:00:00.000Z'), endMs: NOW } });
    expect(said(baseline)).toBe('2026-11-07T00:00:00.000Z 2026-11-13T10:00:00.000Z');
    expect(factors).toEqual({ before: 1, after: 1 });
    expect(notes).toEqual([expect.stringContaining('cut at the same time of day (10:00)')]);
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
    const soFar = { ...plain, kind: undefined, period: daysIn('2026-11-16', '2026-11-18') };
    const { baseline, between, isAdjacent, notes } = windowsOf(soFar);
    expect(said(baseline)).toBe('2026-11-09T00:00:00.000Z 2026-11-11T23:59:59.999Z');
    expect(between && said(between)).toBe('2026-11-12T00:00:00.000Z 2026-11-15T23:59:59.999Z');
    expect([isAdjacent, notes]).toEqual([true, [expect.stringContaining('same weekdays of the week before')]]);
    expect(said(windowsOf({ ...soFar, kind: 'previous' }).baseline)).toBe('2026-11-13T00:00:00.000Z 2026-11-15T23:59:59.999Z');
    // Three days of an earlier week are held against the three before.
    const earlier = daysIn('2026-11-09', '2026-11-11');
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
