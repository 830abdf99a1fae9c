import * as fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/api/params.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { type DateOptions, resolveDate } from '../../src/lib/dates.ts';
import { sampleSize } from '../support/sample-size.ts';

const zones = Intl.supportedValuesOf('timeZone');
const nowMs = Date.parse('2040-01-01T00:00:00Z');
const firstDay = Temporal.PlainDate.from('2020-01-01');

const day = fc.integer({ min: 0, max: 4017 }).map((days) => firstDay.add({ days }));
const month = fc.integer({ min: 0, max: 131 }).map((months) => firstDay.add({ months }).toPlainYearMonth());
const edge = fc.constantFrom<DateOptions['edge']>('start', 'end', 'exportEnd');

function instant(text: { toString(): string }, at: DateOptions['edge'], timeZone: string): number {
  return resolveDate(text.toString(), { edge: at, timeZone, nowMs }).instantMs;
}

/** The calendar day of an instant as Intl tells it, which the product does not ask. */
function dayReader(timeZone: string): (instantMs: number) => string {
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, year: 'numeric', month: '2-digit', day: '2-digit' });
  return (instantMs) => format.format(instantMs);
}

describe(`in each of ${zones.length} zones, 2020 to 2030`, () => {
  it('a day begins with its first instant, ends with its last, and the next one follows without a gap', () => {
    for (const zone of zones) {
      const dayAt = dayReader(zone);
      fc.assert(
        fc.property(day, (date) => {
          const [start, end, exportEnd] = [instant(date, 'start', zone), instant(date, 'end', zone), instant(date, 'exportEnd', zone)];
          expect([dayAt(start - 1) < dayAt(start), dayAt(start), dayAt(end)]).toEqual([true, date.toString(), date.toString()]);
          expect([end + 1, exportEnd]).toEqual([exportEnd, instant(date.add({ days: 1 }), 'start', zone)]);
        }),
        { numRuns: 4 },
      );
    }
  });

  it('months meet as well', () => {
    for (const zone of zones) {
      fc.assert(
        fc.property(month, (date) => {
          const next = instant(date.add({ months: 1 }), 'start', zone);
          expect([instant(date, 'end', zone) + 1, instant(date, 'exportEnd', zone)]).toEqual([next, next]);
        }),
        { numRuns: 2 },
      );
    }
  });

  it('the last week, month, quarter and year end where this one begins, whatever the moment', () => {
    const moment = fc.integer({ min: Date.parse('2020-01-08T00:00:00Z'), max: Date.parse('2030-12-31T00:00:00Z') });
    fc.assert(
      fc.property(fc.constantFrom(...zones), moment, fc.constantFrom('week', 'month', 'quarter', 'year'), (timeZone, now, unit) => {
        const of = (text: string, at: DateOptions['edge']) => resolveDate(text, { edge: at, timeZone, nowMs: now });
        const [start, end, next] = [of(`last_${unit}`, 'start'), of(`last_${unit}`, 'end'), of(`this_${unit}`, 'start')];
        expect([end.instantMs + 1, of(`last_${unit}`, 'exportEnd').instantMs]).toEqual([next.instantMs, next.instantMs]);
        expect(of(`this_${unit}`, 'end')).toMatchObject({ instantMs: now, cutToNow: true });
        const [from, to] = [start, next].map(({ instantMs }) => Temporal.PlainDate.from(dayReader(timeZone)(instantMs)));
        expect(from!.add({ week: { days: 7 }, month: { months: 1 }, quarter: { months: 3 }, year: { years: 1 } }[unit]).toString()).toBe(
          to!.toString(),
        );
        expect(unit === 'week' ? from!.dayOfWeek : from!.day).toBe(1);
      }),
      { numRuns: sampleSize({ full: 1000, short: 200 }) },
    );
  });

  it('a number of days ago is that calendar day, whatever the moment', () => {
    const moment = fc.integer({ min: Date.parse('2022-01-01T00:00:00Z'), max: Date.parse('2030-12-31T00:00:00Z') });
    fc.assert(
      fc.property(fc.constantFrom(...zones), moment, fc.integer({ min: 1, max: 700 }), (timeZone, now, days) => {
        const today = Temporal.PlainDate.from(dayReader(timeZone)(now));
        const [start, end] = (['start', 'end'] as const).map(
          (at) => resolveDate(`-${days}d`, { edge: at, timeZone, nowMs: now }).instantMs,
        );
        const wanted = today.subtract({ days }).toString();
        expect([start, end]).toEqual([instant(wanted, 'start', timeZone), instant(wanted, 'end', timeZone)]);
        expect(dayReader(timeZone)(start!)).toBe(wanted);
      }),
      { numRuns: sampleSize({ full: 600, short: 120 }) },
    );
  });

  it('later days are later instants, and the text names the instant', () => {
    fc.assert(
      fc.property(fc.constantFrom(...zones), day, day, edge, (timeZone, one, other, at) => {
        const [a, b] = [one, other].map((date) => resolveDate(date.toString(), { edge: at, timeZone, nowMs }));
        expect(Math.sign(a!.instantMs - b!.instantMs)).toBe(Temporal.PlainDate.compare(one, other));
        expect([instantOf(a!.iso), instant(a!.iso, at, timeZone)]).toEqual([a!.instantMs, a!.instantMs]);
      }),
      { numRuns: sampleSize({ full: 1000, short: 200 }) },
    );
  });
});

it.each([
  ['Europe/Paris', '2026-03-29', 23],
  ['Europe/Paris', '2026-10-25', 25],
  ['America/New_York', '2026-03-08', 23],
  ['America/New_York', '2026-11-01', 25],
  ['Africa/Cairo', '2026-04-24', 23],
  ['America/Santiago', '2026-09-06', 23],
  ['Australia/Lord_Howe', '2026-10-04', 23.5],
  ['Asia/Kolkata', '2026-03-29', 24],
])('in %s %s has %d hours', (zone, date, hours) => {
  expect((instant(date, 'exportEnd', zone) - instant(date, 'start', zone)) / HOUR_MS).toBe(hours);
});
