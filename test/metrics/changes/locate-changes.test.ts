import { describe, expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { type ChangeSeries, changeSeriesOf, seriesId } from '../../../src/metrics/changes/change-series.ts';
import { findChanges } from '../../../src/metrics/changes/locate-changes.ts';
import type { Place } from '../../../src/metrics/site-changes.ts';
import { DEVICES, drawWorld, METRIC_NAMES, type Planted, pointsOf, SEGMENTS, type World } from '../../bench/verdicts/metrics/world.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { someOf } from '../../support/sample-size.ts';
import { pointsFrom, visitsWith } from '../points.ts';

const HISTORY = 84;
const DAYS = 112;
const draw = (planted: readonly Planted[], seed = 5) => drawWorld({ seed, visitsPerDay: 100_000, days: DAYS, history: HISTORY, planted });
const base = visitsWith({});
const scanOf = (series: readonly ChangeSeries[], metrics: readonly string[], from: string, to: string) =>
  findChanges({ series, metrics, base, from, to, nameOf: ({ device }) => device }, AbortSignal.any([]));

/** All metrics of all visitors, of each device and of each segment. */
function find(world: World, metrics: readonly string[] = METRIC_NAMES, first = HISTORY) {
  const places = [
    { place: {}, selection: {} },
    ...DEVICES.map((device) => ({ place: { device }, selection: { device } })),
    ...SEGMENTS.map((segment, at) => ({ place: { segmentIds: [at + 1] }, selection: { segment } })),
  ];
  const readings = places.map(({ place, selection }) =>
    visitsWith(Object.fromEntries(METRIC_NAMES.map((metric) => [metric, pointsOf(world, metric, selection)])), place),
  );
  return scanOf(changeSeriesOf(readings, METRIC_NAMES, base), metrics, world.labels[first] ?? '', world.labels[DAYS - 1] ?? '');
}
const label = (world: World, day: number) => world.labels[HISTORY + day];

// Worlds in which one device shows a growth of all so clearly that it was told as a step of its own.
it.each([14, 25])('one change that all devices grow by is no step of one of them (world %i)', { tags: 'nightly' }, async (seed) => {
  const growth = { on: 'visits', from: HISTORY - 14, to: DAYS, factor: 1.25, isGradual: true } as const;
  const world = drawWorld({ seed, visitsPerDay: 3_000, days: DAYS, history: HISTORY, planted: [growth] });
  expect((await find(world, ['visits'])).changes.filter(([{ reading }]) => reading.device !== 'all')).toEqual([]);
});

it('one change that is slow for months is a drift, where it drifts', async () => {
  const world = draw([{ on: 'rate', device: 'desktop', from: 0, to: DAYS, factor: 0.6, isGradual: true }]);
  const { changes } = await find(world);
  expect(changes).toHaveLength(1);
  expect(changes[0]).toMatchObject([{ reading: { device: 'desktop' }, change: { shape: 'drift' } }]);
  // The 28 days of the scan, of 112 days of it.
  expect(changes[0]?.[0].change.relative).toBeGreaterThan(0.6 ** (28 / 112) - 1 - 0.04);
  expect(changes[0]?.[0].change.relative).toBeLessThan(0.6 ** (28 / 112) - 1 + 0.04);
});

it('several changes are several lines, none for their sum', { tags: 'nightly' }, async () => {
  const world = draw(
    [
      { on: 'visits', device: 'mobile', from: HISTORY + 6, to: DAYS, factor: 0.75 },
      { on: 'rate', device: 'desktop', from: HISTORY + 16, to: HISTORY + 21, factor: 0.7 },
      { on: 'basket', from: HISTORY + 24, to: HISTORY + 25, factor: 0.5 },
    ],
    6,
  );
  const { changes } = await find(world);
  const lines = changes.map(([{ metric, change, reading }]) => `${metric} ${change.from} ${reading.device}`);
  expect(new Set(lines)).toEqual(
    new Set([`cartAverage ${label(world, 24)} all`, `conversionRate ${label(world, 16)} desktop`, `visits ${label(world, 6)} mobile`]),
  );
  expect(lines).toHaveLength(3);
});

it('a change that began before the days looked at is none where it has ended before them, and is of all visitors where all changed', {
  tags: 'nightly',
}, async () => {
  const ended = draw([{ on: 'rate', from: HISTORY - 12, to: HISTORY - 4, factor: 0.5 }]);
  expect((await find(ended)).changes.filter(([{ change }]) => change.shape !== 'drift')).toEqual([]);
  const world = draw([{ on: 'visits', from: HISTORY - 9, to: DAYS, factor: 0.6 }]);
  const ofVisits = (await find(world)).changes.filter(([{ metric }]) => metric === 'visits');
  expect(ofVisits).toMatchObject([[{ reading: { device: 'all' }, change: { from: label(world, -9) } }]]);
});

it('visits that rose before the days that are looked at and fell back on them stand beside a rate that falls then', {
  tags: 'nightly',
}, async () => {
  const world = draw([
    { on: 'visits', from: HISTORY - 2, to: HISTORY + 5, factor: 3 },
    { on: 'rate', device: 'tablet', from: HISTORY + 6, to: DAYS, factor: 0.5 },
  ]);
  const told = (await find(world)).changes.map(([{ metric, change, reading }]) => `${metric} ${reading.device} ${change.from}`);
  expect(told).toContain(`visits all ${label(world, -2)}`);
  expect(told.some((change) => change.startsWith('conversionRate tablet'))).toBe(true);
});

describe('a sale that was over before the days that are looked at', () => {
  const sale = (factor: number) => ({ from: HISTORY - 14, to: HISTORY, factor }) satisfies Pick<Planted, 'from' | 'to' | 'factor'>;
  const seeds = someOf([2, 5, 3, 7, 8, 11], 3);
  it.each(seeds)('is no news, whichever day its end seems to fall on in a part of it (world %i)', { tags: 'nightly' }, async (seed) => {
    const world = draw(
      [
        { on: 'visits', ...sale(1.6) },
        { on: 'rate', ...sale(1.2) },
      ],
      seed,
    );
    const changes = (await find(world)).changes.map(([{ change }]) => change);
    expect(changes.filter(({ from }) => from < (label(world, 0) ?? ''))).toEqual([]);
    expect(changes.filter(({ shape, relative }) => shape === 'drift' || (shape === 'step' && relative < 0))).toEqual([]);
  });
});

const FIRST = '2026-05-01';
/** Looks through series of their own. */
const findIn = (series: readonly ChangeSeries[]) =>
  scanOf(
    series,
    series.map(({ metric }) => metric),
    dayAfter(FIRST, HISTORY),
    dayAfter(FIRST, DAYS - 1),
  );
const seriesIn = (place: Partial<Place>, kind: ChangeSeries['kind'], metric: string, countOf: Parameters<typeof pointsFrom>[2]) => {
  const reading = visitsWith({}, place);
  return { id: seriesId(metric, reading), kind, metric, reading, days: pointsFrom(FIRST, DAYS, countOf) };
};

it('some days of revenue of a zone, which a single order may have made, are no change; another level that goes on is', async () => {
  const { uniform } = seeded(3);
  const toldOf = async (factorAt: (at: number) => number, metric = 'revenuePerTap') => {
    const series = seriesIn({ zoneId: 7 }, 'amount', metric, (at) => (800 + 400 * uniform()) * factorAt(at));
    return (await findIn([series])).changes.map(([{ change }]) => change.shape);
  };
  const onOneDay = (at: number) => (at === HISTORY + 10 ? 5 : 1);
  expect([await toldOf(onOneDay), await toldOf(onOneDay, 'tapRecurrence')]).toEqual([[], ['outlier']]);
  expect(await toldOf((at) => (at >= HISTORY + 10 ? 2 : 1))).toEqual(['step']);
});

it('rates of hardly any visits are no series to look at, sums of them are', async () => {
  const place = { device: 'tablet' } as const;
  const lookedAt = (denominator: number) =>
    findIn([seriesIn(place, 'share', 'bounceRate', (at) => [at % 2, denominator]), seriesIn(place, 'count', 'visits', (at) => at % 2)]);
  expect([await lookedAt(2), await lookedAt(20)].map(({ looked, tooFew }) => [looked, tooFew])).toEqual([
    [1, 1],
    [2, 0],
  ]);
});
