import { expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { type ChangeSeries, changeSeriesOf } from '../../../src/metrics/changes/change-series.ts';
import { findChanges } from '../../../src/metrics/changes/locate-changes.ts';
import type { Place } from '../../../src/metrics/site-changes.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { someOf } from '../../support/sample-size.ts';
import { times } from '../../support/times.ts';
import { pointsFrom, visitsWith } from '../points.ts';

const [HISTORY, DAYS, SEGMENT] = [84, 112, 1];
const dayOf = (at: number) => dayAfter('2026-06-01', at);

/** Visits that have one rate, and what both are on a day. */
interface Cell {
  readonly device: 'desktop' | 'mobile';
  readonly isInSegment: boolean;
  readonly visitsAt: (at: number) => number;
  readonly rateAt: (at: number) => number;
}

/** Visits of a rate of all visitors, of two devices and of a segment. */
function seriesOf(cells: readonly Cell[], rate: string, seed: number): ChangeSeries[] {
  const random = seeded(seed);
  const drawn = cells.map((cell) => {
    const days = times(DAYS, (at) => {
      const mean = cell.visitsAt(at);
      const visits = mean > 0 ? random.poisson(mean) : 0;
      return { visits, events: visits > 0 ? random.binomial(visits, cell.rateAt(at)) : 0 };
    });
    return { cell, days };
  });
  const places: [Partial<Place>, (cell: Cell) => boolean][] = [
    [{}, () => true],
    [{ device: 'mobile' }, ({ device }) => device === 'mobile'],
    [{ device: 'desktop' }, ({ device }) => device === 'desktop'],
    [{ segmentIds: [SEGMENT] }, ({ isInSegment }) => isInSegment],
  ];
  const readings = places.map(([place, isIn]) => {
    const own = drawn.filter(({ cell }) => isIn(cell));
    const sumOf = (at: number, of: 'visits' | 'events') => own.reduce((sum, { days }) => sum + (days[at]?.[of] ?? 0), 0);
    const pointsOf = (of: (at: number) => [number, number]) => pointsFrom(dayOf(0), DAYS, of);
    const events = pointsOf((at) => [sumOf(at, 'events'), 1]);
    const rates = pointsOf((at) => [sumOf(at, 'events'), sumOf(at, 'visits')]);
    return visitsWith({ visits: pointsOf((at) => [sumOf(at, 'visits'), 1]), conversionCount: events, [rate]: rates }, place);
  });
  return changeSeriesOf(readings, ['visits', rate], base);
}

const base = visitsWith({});
async function find(cells: readonly Cell[], rate: string, seed: number, last = DAYS - 1, metrics = ['visits', rate]) {
  const range = { from: dayOf(HISTORY), to: dayOf(last) };
  const asked = {
    series: seriesOf(cells, rate, seed),
    metrics,
    base,
    nameOf: ({ device, segmentIds }: Place) => (segmentIds.length > 0 ? 'app' : device),
    ...range,
  };
  return (await findChanges(asked, AbortSignal.any([]))).changes;
}

const LAST = 90;
const SEEDS = someOf(
  times(40, (at) => at + 1),
  10,
);

/** Where the rate is told to have changed on the last of seven days, on which each part of it is so much of what it was. */
async function toldOf({ browser, others }: { readonly browser: number; readonly others: number }): Promise<unknown[]> {
  const cell = (device: Cell['device'], visits: number, left: number, isInSegment = false): Cell => ({
    device,
    isInSegment,
    visitsAt: () => visits,
    rateAt: (at) => 0.028 * (at === LAST ? left : 1),
  });
  const cells = [cell('desktop', 15_000, 1), cell('mobile', 7_000, others), cell('mobile', 4_000, browser, true)];
  const told = await Promise.all(SEEDS.map((seed) => find(cells, 'conversionRate', seed, LAST)));
  return told.flat().flatMap(([{ metric, reading }]) => (metric === 'conversionRate' ? [reading.segmentIds[0] ?? reading.device] : []));
}

it('a day on which a device broke is of the device, though one browser of it fell further', { tags: 'nightly' }, async () => {
  const told = await toldOf({ browser: 0.2, others: 0.45 });
  expect(told.length).toBeGreaterThanOrEqual(SEEDS.length);
  expect(told.filter((place) => place === 'mobile').length).toBeGreaterThan(0.9 * told.length);
});

it('a day on which one browser of a device broke is of that browser', async () => {
  const told = await toldOf({ browser: 0.1, others: 1 });
  expect(told.filter((place) => place === SEGMENT).length).toBeGreaterThan(0.9 * told.length);
});

it('the rate of a segment that a campaign of other visitors moved is told with their visits', async () => {
  const cell = (device: Cell['device'], isInSegment: boolean, usual: number, campaign = usual): Cell => ({
    device,
    isInSegment,
    visitsAt: (at) => (at >= LAST && at < LAST + 7 ? campaign : usual),
    rateAt: () => (device === 'mobile' ? 0.62 : 0.5),
  });
  const cells = [
    cell('desktop', false, 1_500),
    cell('desktop', true, 1_500),
    cell('mobile', false, 600),
    cell('mobile', true, 600),
    cell('mobile', true, 0, 7_000),
  ];
  const told = async (...asked: readonly string[]) => {
    const changes = await find(cells, asked.at(-1) ?? '', 1, DAYS - 1, [...asked]);
    return changes.map((parts) => parts.map(({ metric, reading, causes }) => [metric, reading.device, ...causes.map(({ name }) => name)]));
  };
  const rateOf = (rate: string) => [rate, 'all', 'a larger share of mobile', 'a larger share of app'];
  expect(await told('visits', 'bounceRate')).toEqual([[['visits', 'mobile'], rateOf('bounceRate')]]);
  // What makes the campaign is told of its visits, not of those after it, which fall back to the level before.
  const ofVisits = await find(cells, 'bounceRate', 1, DAYS - 1, ['visits']);
  expect(ofVisits.map(([{ change, reading, causes }]) => [change.shape, reading.device, causes])).toEqual([['episode', 'mobile', []]]);
  // Also where visits were not asked for.
  expect(await told('conversionRate')).toEqual([[rateOf('conversionRate')]]);
});
