import { expect, it } from 'vitest';
import { type DateOptions, describeRange, resolveDate } from '../../src/lib/dates.ts';
import { unmarked } from '../../src/lib/note-mark.ts';

const nowMs = Date.parse('2026-11-20T10:00:00Z');

function range(from: string, to: string, timeZone = 'UTC', provisionalDays?: number, endEdge: DateOptions['edge'] = 'end') {
  const start = resolveDate(from, { edge: 'start', timeZone, nowMs });
  const end = resolveDate(to, { edge: endEdge, timeZone, nowMs });
  const edges = { startIso: start.iso, endIso: end.iso, startMs: start.instantMs, endMs: end.instantMs };
  return describeRange({ ...edges, timeZone, nowMs, ...(provisionalDays === undefined ? {} : { provisionalDays }) });
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
  ['yesterday', 'yesterday', undefined, []],
  ['yesterday', 'yesterday', 0, ['Whether these days are still corrected is not documented.']],
  ['-30d', 'today', 7, ['Today is incomplete (2026-11-20).', 'The last 7 days may still change (since 2026-11-13).']],
  ['2026-11-13', '2026-11-13', 7, ['The last 7 days may still change (since 2026-11-13).']],
  ['2026-11-12', '2026-11-12', 7, ['Final: its days are older than the 7 in which the service corrects.']],
])('%s to %s with %s provisional days', (from, to, provisionalDays, finality) => {
  expect(range(from, to, 'UTC', provisionalDays).finality.map(unmarked)).toEqual(finality);
});

it('takes the midnight that opens today for the end of yesterday', () => {
  expect(range('yesterday', 'yesterday', 'Europe/Paris', undefined, 'exportEnd').finality).toEqual([]);
});
