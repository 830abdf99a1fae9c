import { describe, expect, it } from 'vitest';
import { dayAfter } from '../../../src/lib/calendar.ts';
import { type ChangeSeries, type Place, seriesId } from '../../../src/metrics/changes/change-series.ts';
import { findChanges } from '../../../src/metrics/changes/locate-changes.ts';
import {
  DEVICES,
  drawWorld,
  METRIC_NAMES,
  METRICS,
  type Planted,
  pointsOf,
  SEGMENTS,
  type World,
} from '../../bench/verdicts/metrics/world.ts';
import { seeded } from '../../bench/verdicts/random.ts';
import { someOf } from '../../support/sample-size.ts';
import { pointsFrom } from '../points.ts';

const HISTORY = 84;
const DAYS = 112;
const base: Place = { device: 'all' };
const draw = (planted: readonly Planted[], seed = 5) => drawWorld({ seed, visitsPerDay: 100_000, days: DAYS, history: HISTORY, planted });

/** All metrics of all visitors, of each device and of each segment. */
function seriesOf(world: World): ChangeSeries[] {
  const places = [
    { place: base, selection: {} },
    ...DEVICES.map((device) => ({ place: { device }, selection: { device } })),
    ...SEGMENTS.map((segment, at) => ({ place: { device: 'all' as const, segmentId: at + 1 }, selection: { segment } })),
  ];
  return METRIC_NAMES.flatMap((metric) =>
    places.map(({ place, selection }) => ({
      id: seriesId(metric, place),
      kind: METRICS[metric].kind,
      metric,
      place,
      days: pointsOf(world, metric, selection),
    })),
  );
}

const find = (world: World, metrics: readonly string[] = METRIC_NAMES, first = HISTORY) =>
  findChanges(
    { series: seriesOf(world), metrics, base, from: world.labels[first] ?? '', to: world.labels[DAYS - 1] ?? '' },
    AbortSignal.any([]),
  );
const label = (world: World, day: number) => world.labels[HISTORY + day];

// Worlds in which one device shows a growth of all so clearly that it was told as a step of its own.
it.each([14, 25])('one change that all devices grow by is no step of one of them (world %i)', { tags: 'nightly' }, async (seed) => {
  const growth = { on: 'visits', from: HISTORY - 14, to: DAYS, factor: 1.25, isGradual: true } as const;
  const world = drawWorld({ seed, visitsPerDay: 3_000, days: DAYS, history: HISTORY, planted: [growth] });
  expect((await find(world, ['visits'])).changes.filter(({ place }) => place.device !== 'all')).toEqual([]);
});

it('one change that is slow for months is a drift, where it drifts', async () => {
  const world = draw([{ on: 'rate', device: 'desktop', from: 0, to: DAYS, factor: 0.6, isGradual: true }]);
  const { changes } = await find(world);
  expect(changes).toHaveLength(1);
  expect(changes[0]).toMatchObject({ shape: 'drift', place: { device: 'desktop' } });
  // The 28 days of the scan, of 112 days of it.
  expect(changes[0]?.parts[0]?.relative).toBeGreaterThan(0.6 ** (28 / 112) - 1 - 0.04);
  expect(changes[0]?.parts[0]?.relative).toBeLessThan(0.6 ** (28 / 112) - 1 + 0.04);
});

it('several changes are several lines, none for their sum, the most expensive first', { tags: 'nightly' }, async () => {
  const world = draw(
    [
      { on: 'visits', device: 'mobile', from: HISTORY + 6, to: DAYS, factor: 0.75 },
      { on: 'rate', device: 'desktop', from: HISTORY + 16, to: HISTORY + 21, factor: 0.7 },
      { on: 'basket', from: HISTORY + 24, to: HISTORY + 25, factor: 0.5 },
    ],
    6,
  );
  const { changes } = await find(world);
  const lines = changes.map(({ parts: [first], from, place }) => `${first?.metric} ${from} ${place.device}`);
  expect(new Set(lines)).toEqual(
    new Set([`cartAverage ${label(world, 24)} all`, `conversionRate ${label(world, 16)} desktop`, `visits ${label(world, 6)} mobile`]),
  );
  expect(lines).toHaveLength(3);
  expect(changes.every(({ cost }) => cost?.metric === 'revenueSum')).toBe(true);
  const costs = changes.map(({ cost }) => Math.abs(cost?.value ?? 0));
  expect(costs).toEqual(costs.toSorted((a, b) => b - a));
});

it('a change that began before the days looked at is none where it has ended before them, and is of all visitors where all changed', {
  tags: 'nightly',
}, async () => {
  const ended = draw([{ on: 'rate', from: HISTORY - 12, to: HISTORY - 4, factor: 0.5 }]);
  expect((await find(ended)).changes.filter(({ shape }) => shape !== 'drift')).toEqual([]);
  const world = draw([{ on: 'visits', from: HISTORY - 9, to: DAYS, factor: 0.6 }]);
  const ofVisits = (await find(world)).changes.filter(({ parts: [part] }) => part?.metric === 'visits');
  expect(ofVisits).toMatchObject([{ place: { device: 'all' }, from: label(world, -9) }]);
});

it('visits that rose before the days that are looked at and fell back on them stand beside a rate that falls then', {
  tags: 'nightly',
}, async () => {
  const world = draw([
    { on: 'visits', from: HISTORY - 2, to: HISTORY + 5, factor: 3 },
    { on: 'rate', device: 'tablet', from: HISTORY + 6, to: DAYS, factor: 0.5 },
  ]);
  const told = (await find(world)).changes.map(({ from, place, parts: [part] }) => `${part?.metric} ${place.device} ${from}`);
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
    const { changes } = await find(world);
    expect(changes.filter(({ from }) => from < (label(world, 0) ?? ''))).toEqual([]);
    expect(changes.filter(({ shape, parts: [part] }) => shape === 'step' && (part?.relative ?? 0) < 0)).toEqual([]);
    expect(changes.filter(({ shape }) => shape === 'drift')).toEqual([]);
  });
});

const FIRST = '2026-05-01';
/** Looks through series of their own. */
const findIn = (series: readonly ChangeSeries[]) =>
  findChanges(
    { series, metrics: series.map(({ metric }) => metric), base, from: dayAfter(FIRST, HISTORY), to: dayAfter(FIRST, DAYS - 1) },
    AbortSignal.any([]),
  );
const seriesIn = (place: Place, kind: ChangeSeries['kind'], metric: string, countOf: Parameters<typeof pointsFrom>[2]): ChangeSeries => ({
  id: seriesId(metric, place),
  kind,
  metric,
  place,
  days: pointsFrom(FIRST, DAYS, countOf),
});

it('some days of revenue of a zone, which a single order may have made, are no change; another level that goes on is', async () => {
  const { uniform } = seeded(3);
  const toldOf = async (factorAt: (at: number) => number, metric = 'revenuePerTap') => {
    const series = seriesIn({ device: 'all', zoneId: 7 }, 'amount', metric, (at) => (800 + 400 * uniform()) * factorAt(at));
    return (await findIn([series])).changes.map(({ shape }) => shape);
  };
  const onOneDay = (at: number) => (at === HISTORY + 10 ? 5 : 1);
  expect([await toldOf(onOneDay), await toldOf(onOneDay, 'tapRecurrence')]).toEqual([[], ['outlier']]);
  expect(await toldOf((at) => (at >= HISTORY + 10 ? 2 : 1))).toEqual(['step']);
});

it('rates of hardly any visits are no series to look at, sums of them are', async () => {
  const place: Place = { device: 'tablet' };
  const lookedAt = (denominator: number) =>
    findIn([seriesIn(place, 'share', 'bounceRate', (at) => [at % 2, denominator]), seriesIn(place, 'count', 'visits', (at) => at % 2)]);
  expect([await lookedAt(2), await lookedAt(20)].map(({ looked, tooFew }) => [looked, tooFew])).toEqual([
    [1, 1],
    [2, 0],
  ]);
});
