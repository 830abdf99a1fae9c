import * as fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { instantOf } from '../../src/api/params.ts';
import { HOUR_MS, isoTime } from '../../src/lib/clock.ts';
import { DateError } from '../../src/lib/date-texts.ts';
import { type DateOptions, describeRange, FutureError, isoAt, rangeName, resolveDate, todayIn } from '../../src/lib/dates.ts';
import { unmarked } from '../../src/lib/note-mark.ts';
import { sampleSize } from '../support/sample-size.ts';

const nowMs = Date.parse('2026-11-20T10:00:00Z'); // a Friday

function iso(text: string, edge: DateOptions['edge'], timeZone = 'UTC', at = nowMs): string {
  return resolveDate(text, { edge, timeZone, nowMs: at }).iso;
}

describe('days and periods', () => {
  it.each([
    ['2026-11-09', '2026-11-09T00:00:00.000Z', '2026-11-09T23:59:59.999Z', '2026-11-10T00:00:00.000Z'],
    ['2026-02', '2026-02-01T00:00:00.000Z', '2026-02-28T23:59:59.999Z', '2026-03-01T00:00:00.000Z'],
    ['2026-Q3', '2026-07-01T00:00:00.000Z', '2026-09-30T23:59:59.999Z', '2026-10-01T00:00:00.000Z'],
    ['2024-q1', '2024-01-01T00:00:00.000Z', '2024-03-31T23:59:59.999Z', '2024-04-01T00:00:00.000Z'],
    ['2025', '2025-01-01T00:00:00.000Z', '2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z'],
    ['yesterday', '2026-11-19T00:00:00.000Z', '2026-11-19T23:59:59.999Z', '2026-11-20T00:00:00.000Z'],
    ['-7d', '2026-11-13T00:00:00.000Z', '2026-11-13T23:59:59.999Z', '2026-11-14T00:00:00.000Z'],
    ['7 days ago', '2026-11-13T00:00:00.000Z', '2026-11-13T23:59:59.999Z', '2026-11-14T00:00:00.000Z'],
    ['-4W', '2026-10-23T00:00:00.000Z', '2026-10-23T23:59:59.999Z', '2026-10-24T00:00:00.000Z'],
    ['-3mo', '2026-08-20T00:00:00.000Z', '2026-08-20T23:59:59.999Z', '2026-08-21T00:00:00.000Z'],
    ['-3m', '2026-08-20T00:00:00.000Z', '2026-08-20T23:59:59.999Z', '2026-08-21T00:00:00.000Z'],
    ['-6 months', '2026-05-20T00:00:00.000Z', '2026-05-20T23:59:59.999Z', '2026-05-21T00:00:00.000Z'],
    ['-1y', '2025-11-20T00:00:00.000Z', '2025-11-20T23:59:59.999Z', '2025-11-21T00:00:00.000Z'],
    ['last_28_days', '2026-10-23T00:00:00.000Z', '2026-11-19T23:59:59.999Z', '2026-11-20T00:00:00.000Z'],
    ['past 12 months', '2025-11-20T00:00:00.000Z', '2026-11-19T23:59:59.999Z', '2026-11-20T00:00:00.000Z'],
    ['Monday', '2026-11-16T00:00:00.000Z', '2026-11-16T23:59:59.999Z', '2026-11-17T00:00:00.000Z'],
    ['saturday', '2026-11-14T00:00:00.000Z', '2026-11-14T23:59:59.999Z', '2026-11-15T00:00:00.000Z'],
    ['Q3', '2026-07-01T00:00:00.000Z', '2026-09-30T23:59:59.999Z', '2026-10-01T00:00:00.000Z'],
    ['q3 2025', '2025-07-01T00:00:00.000Z', '2025-09-30T23:59:59.999Z', '2025-10-01T00:00:00.000Z'],
    ['2025 Q4', '2025-10-01T00:00:00.000Z', '2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z'],
    ['last weekend', '2026-11-14T00:00:00.000Z', '2026-11-15T23:59:59.999Z', '2026-11-16T00:00:00.000Z'],
    ['Black Friday', '2025-11-28T00:00:00.000Z', '2025-11-28T23:59:59.999Z', '2025-11-29T00:00:00.000Z'],
    ['black_friday_2024', '2024-11-29T00:00:00.000Z', '2024-11-29T23:59:59.999Z', '2024-11-30T00:00:00.000Z'],
    ['Cyber Monday 2025', '2025-12-01T00:00:00.000Z', '2025-12-01T23:59:59.999Z', '2025-12-02T00:00:00.000Z'],
    ['last week', '2026-11-09T00:00:00.000Z', '2026-11-15T23:59:59.999Z', '2026-11-16T00:00:00.000Z'],
    ['last_week', '2026-11-09T00:00:00.000Z', '2026-11-15T23:59:59.999Z', '2026-11-16T00:00:00.000Z'],
    ['Last_Month', '2026-10-01T00:00:00.000Z', '2026-10-31T23:59:59.999Z', '2026-11-01T00:00:00.000Z'],
    ['last_quarter', '2026-07-01T00:00:00.000Z', '2026-09-30T23:59:59.999Z', '2026-10-01T00:00:00.000Z'],
    ['LAST_YEAR', '2025-01-01T00:00:00.000Z', '2025-12-31T23:59:59.999Z', '2026-01-01T00:00:00.000Z'],
  ])('%s', (text, start, end, exportEnd) => {
    expect([iso(text, 'start'), iso(text, 'end'), iso(` ${text} `, 'exportEnd')]).toEqual([start, end, exportEnd]);
    expect(resolveDate(text, { edge: 'end', timeZone: 'UTC', nowMs })).toMatchObject({ cutToNow: false });
  });

  it.each([
    ['yesterday 18:00', '2026-11-19T18:00:00.000Z', '2026-11-19T17:00:00.000Z'],
    ['2026-11-19 18:00', '2026-11-19T18:00:00.000Z', '2026-11-19T17:00:00.000Z'],
    ['2026-11-19 18:00:30', '2026-11-19T18:00:30.000Z', '2026-11-19T17:00:30.000Z'],
    ['Monday at 9:30', '2026-11-16T09:30:00.000Z', '2026-11-16T08:30:00.000Z'],
    ['since Monday 9:30', '2026-11-16T09:30:00.000Z', '2026-11-16T08:30:00.000Z'],
    ['-7d, 00:15', '2026-11-13T00:15:00.000Z', '2026-11-12T23:15:00.000Z'],
    ['yesterday 18:00 UTC', '2026-11-19T18:00:00.000Z', '2026-11-19T18:00:00.000Z'],
    ['2026-11-19 18:00+05:00', '2026-11-19T13:00:00.000Z', '2026-11-19T13:00:00.000Z'],
  ])('a day with a time is an instant of the zone: %s', (text, utc, berlin) => {
    const instant = (zone: string) => isoTime(instantOf(iso(text, 'start', zone)));
    expect([instant('UTC'), instant('Europe/Berlin')]).toEqual([utc, berlin]);
  });

  it.each(['last_week 18:00', '2026-11 18:00', 'now 18:00', '18:00', 'yesterday 18:00 18:00', 'yesterday 25:00'])(
    'no single day, or no time of one: %s',
    (text) => {
      expect(() => iso(text, 'start')).toThrow(DateError);
    },
  );

  it.each([
    ['today', '2026-11-20T00:00:00.000Z'],
    ['friday', '2026-11-20T00:00:00.000Z'],
    ['-0d', '2026-11-20T00:00:00.000Z'],
    ['this_week', '2026-11-16T00:00:00.000Z'],
    ['since Monday', '2026-11-16T00:00:00.000Z'],
    ['since 2026-11-02', '2026-11-02T00:00:00.000Z'],
    ['Q4', '2026-10-01T00:00:00.000Z'],
    ['this_month', '2026-11-01T00:00:00.000Z'],
    ['this_quarter', '2026-10-01T00:00:00.000Z'],
    ['this_year', '2026-01-01T00:00:00.000Z'],
    ['2026', '2026-01-01T00:00:00.000Z'],
    ['2026-Q4', '2026-10-01T00:00:00.000Z'],
  ])('%s is not over: both ends are cut to now', (text, start) => {
    expect(iso(text, 'start')).toBe(start);
    for (const edge of ['end', 'exportEnd'] as const) {
      expect(resolveDate(text, { edge, timeZone: 'UTC', nowMs })).toEqual({
        iso: '2026-11-20T10:00:00.000Z',
        instantMs: nowMs,
        cutToNow: true,
      });
    }
  });

  it('lets the export of yesterday end exactly at midnight, which is not the future', () => {
    const midnight = Date.parse('2026-11-20T00:00:00Z');
    expect(resolveDate('yesterday', { edge: 'exportEnd', timeZone: 'UTC', nowMs: midnight })).toMatchObject({
      instantMs: midnight,
      cutToNow: false,
    });
  });

  it.each([
    ['-1mo', '2026-03-31', '2026-02-28'],
    ['-12mo', '2024-02-29', '2023-02-28'],
    ['-1mo', '2026-01-15', '2025-12-15'],
    ['this_week', '2026-11-16', '2026-11-16'],
    ['this_week', '2026-11-22', '2026-11-16'],
    ['last_week', '2026-01-01', '2025-12-22'],
    ['last_month', '2026-01-31', '2025-12-01'],
    ['last_quarter', '2026-02-10', '2025-10-01'],
    ['this_quarter', '2026-12-31', '2026-10-01'],
  ])('%s on %s begins on %s', (text, today, expected) => {
    expect(iso(text, 'start', 'UTC', Date.parse(`${today}T12:00:00Z`))).toBe(`${expected}T00:00:00.000Z`);
  });
});

it('time zones begins days at the midnight of the zone, with its offset at that instant', () => {
  expect(iso('2026-11-01', 'start', 'Europe/Paris')).toBe('2026-11-01T00:00:00.000+01:00');
  expect([iso('2026-10', 'start', 'Europe/Paris'), iso('2026-10', 'end', 'Europe/Paris')]).toEqual([
    '2026-10-01T00:00:00.000+02:00',
    '2026-10-31T23:59:59.999+01:00',
  ]);
  expect(iso('2026-11-01', 'start', 'Etc/UTC')).toBe('2026-11-01T00:00:00.000Z');
});

it('time zones takes today from the zone, not from UTC', () => {
  const lateUtc = Date.parse('2026-11-20T23:30:00Z');
  expect(iso('today', 'start', 'Europe/Paris', lateUtc)).toBe('2026-11-21T00:00:00.000+01:00');
  expect(todayIn('Europe/Paris', lateUtc)).toBe('2026-11-21');
  expect(todayIn('America/New_York', lateUtc)).toBe('2026-11-20');
});

it('time zones begins a day without a midnight at its first instant', () => {
  expect(iso('2026-04-24', 'start', 'Africa/Cairo')).toBe('2026-04-24T01:00:00.000+03:00');
  expect(iso('2026-04-23', 'end', 'Africa/Cairo')).toBe('2026-04-23T23:59:59.999+02:00');
  expect(iso('2026-04-23', 'exportEnd', 'Africa/Cairo')).toBe('2026-04-24T01:00:00.000+03:00');
});

it('time zones writes historic offsets with seconds in UTC, which the interface can read', () => {
  const { iso: text, instantMs } = resolveDate('1890', { edge: 'start', timeZone: 'Europe/Paris', nowMs });
  expect(text).toMatch(/Z$/);
  expect(instantOf(text)).toBe(instantMs);
});

it.each([
  ['2026-11-20T09:00Z', '2026-11-20T09:00:00Z'],
  ['2026-11-20T09:00:00+02:00', '2026-11-20T07:00:00Z'],
  ['2026-11-20T09:00:00.25+0200', '2026-11-20T07:00:00.25Z'],
  ['2026-11-19T23:00:00.123456789-08:00', '2026-11-20T07:00:00.123Z'],
])('date-times keeps %s as it is, for every edge', (text, instant) => {
  for (const edge of ['start', 'end', 'exportEnd'] as const) {
    const resolved = resolveDate(text, { edge, timeZone: 'Asia/Tokyo', nowMs });
    expect(resolved).toEqual({ iso: text, instantMs: Date.parse(instant), cutToNow: false });
    expect(instantOf(resolved.iso)).toBe(resolved.instantMs);
  }
});

it.each([
  ['2026-11-20T09:00', '2026-11-20T09:00:00.000+01:00'],
  ['2026-07-01T09:00:30.5', '2026-07-01T09:00:30.500+02:00'],
  ['2026-03-29T02:30', '2026-03-29T03:30:00.000+02:00'],
  ['2026-10-25T02:30', '2026-10-25T02:30:00.000+02:00'],
])('date-times reads %s in the configured zone', (text, expected) => {
  expect(iso(text, 'start', 'Europe/Paris')).toBe(expected);
});

it('date-times takes now as an instant', () => {
  for (const edge of ['start', 'end', 'exportEnd'] as const) {
    expect(resolveDate('NOW', { edge, timeZone: 'Europe/Paris', nowMs })).toEqual({
      iso: '2026-11-20T11:00:00.000+01:00',
      instantMs: nowMs,
      cutToNow: false,
    });
  }
});

it('date-times cuts an end in the future and writes it in the zone', () => {
  expect(resolveDate('2026-11-20T12:00+01:00', { edge: 'end', timeZone: 'Europe/Paris', nowMs })).toEqual({
    iso: '2026-11-20T11:00:00.000+01:00',
    instantMs: nowMs,
    cutToNow: true,
  });
});

it.each([
  ['tomorrow', '2026-11-21T00:00:00.000Z'],
  ['+7d', '2026-11-27T00:00:00.000Z'],
  ['next_week', '2026-11-23T00:00:00.000Z'],
  ['next_month', '2026-12-01T00:00:00.000Z'],
])('what lies ahead %s begins at %s', (text, expected) => {
  expect(resolveDate(text, { edge: 'start', timeZone: 'UTC', nowMs, allowFuture: true }).iso).toBe(expected);
  expect(() => resolveDate(text, { edge: 'start', timeZone: 'UTC', nowMs })).toThrow(/lies in the future/);
});

it('refusals says that a start lies in the future, and what now is', () => {
  expect(() => iso('2027-01-01', 'start', 'Europe/Paris')).toThrow(
    new FutureError('"2027-01-01" lies in the future; now is 2026-11-20T11:00:00.000+01:00.'),
  );
  expect(() => iso('2026-11-20T10:00:00.001Z', 'start')).toThrow('lies in the future');
});

it('refusals leaves planned dates alone', () => {
  for (const edge of ['start', 'end'] as const) {
    const planned = resolveDate('2027-01-01T08:00Z', { edge, timeZone: 'UTC', nowMs, allowFuture: true });
    expect(planned).toMatchObject({ iso: '2027-01-01T08:00Z', cutToNow: false });
  }
});

it.each([
  '2026-02-30',
  '2025-02-29',
  '2026-13',
  '2026-00',
  '2026-Q0',
  '2026-Q5',
  '2026-11-20T24:00Z',
  '2026-02-30T10:00Z',
  '2026-11-20T10:60',
  '2026-11-20T10:00+25:00',
])('refusals %s does not exist', (text) => {
  expect(() => iso(text, 'end')).toThrow(DateError);
  expect(() => iso(text, 'end')).toThrow(`"${text}" does not exist`);
});

it.each([
  '',
  'soon',
  'last fortnight',
  'last_day',
  'last_0_days',
  '-30min',
  'this_constructor',
  '7d',
  '-7',
  '-7h',
  '-10000d',
  '20261120',
  '2026-1-5',
  '2026-11-20 10.00',
  '2026-11-20T10Z',
  '2026-11-20T10:00:60Z',
  '2026-11-20T10:00[Europe/Paris]',
  '1795168800000',
])('refusals "%s" is answered with the accepted forms', (text) => {
  expect(() => iso(text, 'end')).toThrow(DateError);
  expect(() => iso(text, 'end')).toThrow(/accepted are .*2026-11-20T10:00:00Z.*2026-Q3.*-7d.*last_week/);
});

it('refusals shortens what it repeats', () => {
  expect(() => iso('x'.repeat(5000), 'end')).toThrow(`"${'x'.repeat(60)}…" is not a recognised date`);
});

it('writes instants with milliseconds', () => {
  expect(isoAt(nowMs + 5, 'UTC')).toBe('2026-11-20T10:00:00.005Z');
  expect(isoAt(nowMs, 'Europe/London')).toBe('2026-11-20T10:00:00.000+00:00');
});

describe('ranges', () => {
  function range(from: string, to: string, timeZone = 'UTC', provisionalDays = 0, endEdge: DateOptions['edge'] = 'end') {
    const start = resolveDate(from, { edge: 'start', timeZone, nowMs });
    const end = resolveDate(to, { edge: endEdge, timeZone, nowMs });
    const edges = { startIso: start.iso, endIso: end.iso, startMs: start.instantMs, endMs: end.instantMs };
    return describeRange({ ...edges, timeZone, nowMs, provisionalDays });
  }

  it('describes whole days', () => {
    expect(range('last_week', 'last_week', 'Europe/Paris')).toEqual({
      start: '2026-11-09T00:00:00.000+01:00',
      end: '2026-11-15T23:59:59.999+01:00',
      timeZone: 'Europe/Paris',
      days: 7,
      finality: [],
      text: '2026-11-09 … 2026-11-15 (7 days, Europe/Paris)',
    });
  });

  it.each([
    ['2026-11-12', '2026-11-12', 'UTC', 1, '2026-11-12 (1 day, UTC)'],
    ['2026-03-29', '2026-03-29', 'Europe/Paris', 1, '2026-03-29 (1 day, Europe/Paris)'],
    ['2026-10-25', '2026-10-25', 'Europe/Paris', 1, '2026-10-25 (1 day, Europe/Paris)'],
    ['2026-04-23', '2026-04-24', 'Africa/Cairo', 2, '2026-04-23 … 2026-04-24 (2 days, Africa/Cairo)'],
    ['2026-Q3', '2026-Q3', 'Europe/Paris', 92, '2026-07-01 … 2026-09-30 (92 days, Europe/Paris)'],
    ['2026-11-09T00:00Z', '2026-11-16T00:00Z', 'UTC', 7, '2026-11-09 … 2026-11-15 (7 days, UTC)'],
    ['-6d', 'today', 'UTC', 6.42, '2026-11-14T00:00Z … 2026-11-20T10:00Z (6.42 days, UTC)'],
    ['today', 'now', 'Europe/Paris', 0.46, '2026-11-20T00:00+01:00 … 2026-11-20T11:00+01:00 (11 h, Europe/Paris)'],
    ['2026-11-19T22:00Z', '2026-11-20T00:30Z', 'UTC', 0.1, '2026-11-19T22:00Z … 2026-11-20T00:30Z (2 h 30 min, UTC)'],
    ['2026-11-18T09:00Z', '2026-11-18T09:05Z', 'UTC', 0.0035, '2026-11-18T09:00Z … 2026-11-18T09:05Z (5 min, UTC)'],
  ])('%s to %s in %s', (from, to, timeZone, days, text) => {
    expect(range(from, to, timeZone)).toMatchObject({ days, text });
  });

  it('counts an export range, which ends with the next midnight, like any other', () => {
    expect(range('last_week', 'last_week', 'Europe/Paris', undefined, 'exportEnd')).toMatchObject({
      end: '2026-11-16T00:00:00.000+01:00',
      days: 7,
      text: '2026-11-09 … 2026-11-15 (7 days, Europe/Paris)',
    });
  });

  it.each([
    ['today', 'today', undefined, ['Today is incomplete (2026-11-20).']],
    ['-6d', 'now', 0, ['Today is incomplete (2026-11-20).']],
    ['yesterday', 'yesterday', 0, []],
    ['-30d', 'today', 7, ['Today is incomplete (2026-11-20).', 'The last 7 days may still change (since 2026-11-13).']],
    ['2026-11-13', '2026-11-13', 7, ['The last 7 days may still change (since 2026-11-13).']],
    ['2026-11-12', '2026-11-12', 7, ['These days are final: only the last 7 may still change.']],
  ])('%s to %s with %s provisional days', (from, to, provisionalDays, finality) => {
    expect(range(from, to, 'UTC', provisionalDays).finality.map(unmarked)).toEqual(finality);
  });

  it('takes the midnight that opens today for the end of yesterday', () => {
    expect(range('yesterday', 'yesterday', 'Europe/Paris', undefined, 'exportEnd').finality).toEqual([]);
  });
});

describe('any date', () => {
  const zones = Intl.supportedValuesOf('timeZone');
  const laterMs = Date.parse('2040-01-01T00:00:00Z');
  const firstDay = Temporal.PlainDate.from('2020-01-01');

  const day = fc.integer({ min: 0, max: 4017 }).map((days) => firstDay.add({ days }));
  const edge = fc.constantFrom<DateOptions['edge']>('start', 'end', 'exportEnd');

  function instant(text: { toString(): string }, at: DateOptions['edge'], timeZone: string): number {
    return resolveDate(text.toString(), { edge: at, timeZone, nowMs: laterMs }).instantMs;
  }

  describe(`in each of ${zones.length} zones, 2020 to 2030`, () => {
    it('later days are later instants, and the text names the instant', () => {
      fc.assert(
        fc.property(fc.constantFrom(...zones), day, day, edge, (timeZone, one, other, at) => {
          const [a, b] = [one, other].map((date) => resolveDate(date.toString(), { edge: at, timeZone, nowMs: laterMs }));
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
});

it.each([
  ['2026-11-01T00:00:00Z', '2026-11-02T00:00:00Z', 'UTC', '2026-11-01'],
  ['2026-11-01T00:00:00Z', '2026-11-08T00:00:00Z', 'UTC', '2026-11-01 to 2026-11-07'],
  ['2026-10-24T22:00:00Z', '2026-10-25T23:00:00Z', 'Europe/Paris', '2026-10-25'],
  ['2026-11-01T09:00:00Z', '2026-11-01T11:00:00Z', 'UTC', '2026-11-01T09:00Z to 2026-11-01T11:00Z'],
  ['2026-11-01T00:00:00Z', '2026-11-02T05:30:00Z', 'UTC', '2026-11-01T00:00Z to 2026-11-02T05:30Z'],
])('%s … %s in %s is called %s', (from, to, timeZone, name) => {
  expect(rangeName({ startMs: Date.parse(from), endMs: Date.parse(to) }, timeZone)).toBe(name);
});
