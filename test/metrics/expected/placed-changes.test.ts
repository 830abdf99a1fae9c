import { expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { costOnDays, totalsOf } from '../../../src/metrics/change-cost.ts';
import { atTheirPlaces, changesFrom, inSelections } from '../../../src/metrics/expected/expected-changes.ts';
import { type Device, PARTS } from '../../../src/metrics/read/metric-grid.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { times } from '../../support/times.ts';
import { NOTHING_KNOWN, rowOn } from '../points.ts';

const [FIRST, DAYS, BREAK] = ['2026-07-01', 140, 120];
const known = NOTHING_KNOWN;

/** Days of all devices and of each, whose rates fall by these factors on one day. */
function rowsOf(factors: Readonly<Record<'desktop' | 'mobile' | 'tablet', number>>) {
  const random = seeded(5);
  return times(DAYS, (at) => {
    const label = dayAfter(FIRST, at);
    const rowOf = (device: Device, visits: number, orders: number) =>
      rowOn(label, { visits, conversionCount: orders, conversionRate: (100 * orders) / visits, revenueSum: 80 * orders }, { device });
    const parts = PARTS.map((device) => {
      const visits = random.poisson(2_000);
      return { device, visits, orders: random.binomial(visits, 0.04 * (at >= BREAK ? factors[device] : 1)) };
    });
    const sum = (of: 'visits' | 'orders') => parts.reduce((total, part) => total + part[of], 0);
    return [rowOf('all', sum('visits'), sum('orders')), ...parts.map(({ device, visits, orders }) => rowOf(device, visits, orders))];
  }).flat();
}

/** What is found in these days. */
const foundIn = (days: ReturnType<typeof rowsOf>) =>
  changesFrom(
    { query: { metrics: ['conversionRate'], bases: [] }, lines: [], days, known, timeZone: 'UTC' } as never,
    dayAfter(FIRST, 110),
  );
const ofAllIn = (rows: ReturnType<typeof rowsOf>) => rows.filter(({ selection }) => selection.device === 'all');

function placedOf(factors: Parameters<typeof rowsOf>[0]) {
  const rows = rowsOf(factors);
  return atTheirPlaces(foundIn(ofAllIn(rows)), rows, known);
}

it('a change of all devices that one device made is told of it, with its size and cost there', () => {
  const [own, ...others] = placedOf({ desktop: 0.4, mobile: 1, tablet: 1 });
  expect(others).toEqual([]);
  expect(own).toMatchObject({ metric: 'conversionRate', reading: { device: 'desktop' }, change: { from: dayAfter(FIRST, BREAK) } });
  expect(own?.change.relative).toBeCloseTo(-0.6, 1);
  const lost = 0.6 * 0.04 * 2_000 * 80 * (DAYS - BREAK);
  const cost = own && costOnDays(own.metric, totalsOf(own.reading.known), own.change, dayAfter(FIRST, DAYS - 1));
  expect(cost?.value).toBeGreaterThan(-1.1 * lost);
  expect(cost?.value).toBeLessThan(-0.9 * lost);
});

it('a change of all devices alike is told of all', () => {
  const [own, ...others] = placedOf({ desktop: 0.7, mobile: 0.7, tablet: 0.7 });
  expect(others).toEqual([]);
  expect(own?.reading.device).toBe('all');
});

it('days of all devices in which one lost orders are told of it as it was found there, since its own day', () => {
  const rows = rowsOf({ desktop: 0.4, mobile: 1, tablet: 1 });
  const [first, last] = [dayAfter(FIRST, BREAK + 3), dayAfter(FIRST, BREAK + 5)];
  const found = foundIn(rows);
  const onDesktop = found.find(({ reading }) => reading.device === 'desktop');
  const ofAll = found.find(({ reading }) => reading.device === 'all');
  if (!onDesktop || !ofAll) throw new Error('The fall was not found.');
  const some = { ...ofAll, change: { ...ofAll.change, from: first, to: last } };
  expect(atTheirPlaces([some, onDesktop], rows, known)).toEqual([onDesktop]);
  // In the visits of all devices it has the size that it has there.
  const days = ofAllIn(rows);
  const [there, ...others] = inSelections([onDesktop], { days, known });
  expect(others).toEqual([]);
  expect(there).toMatchObject({ reading: { device: 'all' }, change: { from: onDesktop.change.from, relative: expect.closeTo(-0.2, 1) } });
  // Its own visits have it as it was found by the days behind theirs.
  expect(inSelections([some], { days: days.slice(0, BREAK + 6), known })).toEqual([some]);
});
