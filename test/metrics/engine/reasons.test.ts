import { describe, expect, it } from 'vitest';
import { findReasons } from '../../../src/metrics/engine/reasons.ts';
import type { DailyPoint } from '../../../src/metrics/engine/series.ts';
import {
  DEVICES,
  drawWorld,
  METRICS,
  type Metric,
  type Planted,
  pointsOf,
  SEGMENTS,
  type World,
} from '../../bench/verdicts/metrics/world.ts';
import { scaled } from '../points.ts';

const DAYS = 98;
const FROM = 94;

function worldOf(planted: Omit<Planted, 'from' | 'to'>): World {
  return drawWorld({ seed: 11, visitsPerDay: 100_000, days: DAYS, history: 84, planted: [{ ...planted, from: FROM, to: DAYS }] });
}

const occasionOf = (world: World, metric: Metric = 'conversionRate') => ({
  kind: METRICS[metric].kind,
  whole: pointsOf(world, metric),
  from: world.labels[FROM] ?? '',
  to: world.labels[DAYS - 1] ?? '',
  periodFrom: world.labels[91] ?? '',
});
const devicesOf = (world: World, metric: Metric = 'conversionRate') =>
  DEVICES.map((device) => ({ name: device, days: pointsOf(world, metric, { device }) }));

describe('a group', () => {
  it('is named where it alone moved, among devices and among segments', () => {
    const mobile = worldOf({ on: 'rate', factor: 0.75, device: 'mobile' });
    const { named, groups } = findReasons(occasionOf(mobile), devicesOf(mobile));
    expect(named).toBe('mobile');
    const own = groups.find(({ name }) => name === 'mobile');
    expect(own).toMatchObject({ verdict: 'more' });
    expect(Math.abs(own?.relativeOfOthers ?? 1)).toBeLessThan(0.1);
    const returning = worldOf({ on: 'rate', factor: 0.75, segment: 'returning' });
    const segments = SEGMENTS.map((segment) => ({ name: segment, days: pointsOf(returning, 'conversionRate', { segment }) }));
    expect(findReasons(occasionOf(returning), segments).named).toBe('returning');
    expect(findReasons(occasionOf(returning), devicesOf(returning))).not.toHaveProperty('named');
  });

  it.each(['conversionRate', 'revenueSum', 'conversionCount'] as const)('is not named where all moved alike (%s)', (metric) => {
    const world = worldOf({ on: 'rate', factor: 0.75 });
    const { groups, ...reasons } = findReasons(occasionOf(world, metric), devicesOf(world, metric));
    expect(reasons).toEqual({});
    expect(groups.map(({ verdict }) => verdict)).toEqual(['alike', 'alike', 'alike']);
  });

  it('is named on special days, whose effect is expected of all others too', () => {
    const drawn = worldOf({ on: 'rate', factor: 0.75, device: 'mobile' });
    const special = { mean: Math.log(1.5), sd: 0.07 };
    const onSpecial = (days: readonly DailyPoint[]) =>
      scaled(days, (at) => (at < FROM ? 1 : 1.5)).map((day, at) => (at < FROM ? day : { ...day, special }));
    const occasion = occasionOf(drawn);
    const devices = devicesOf(drawn).map(({ name, days }) => ({ name, days: onSpecial(days) }));
    const { named, groups } = findReasons({ ...occasion, whole: onSpecial(occasion.whole) }, devices);
    expect(named).toBe('mobile');
    expect(Math.abs(groups.find(({ name }) => name === 'mobile')?.relativeOfOthers ?? 1)).toBeLessThan(0.1);
  });

  it('that ended before the days of a drift has no part in it', () => {
    const world = worldOf({ on: 'rate', factor: 0.75 });
    const occasion = occasionOf(world);
    const days = occasion.whole.filter(({ label }) => label < occasion.periodFrom);
    const { groups } = findReasons({ ...occasion, from: occasion.periodFrom, isDrift: true }, [{ name: 'ended', days }]);
    expect(groups[0]?.relative ?? null).toBeNull();
  });

  it.each([
    ['rose from nothing', DAYS - FROM],
    ['came two days before the period', DAYS - FROM + 2],
  ])('that %s made a change without which the others are as they were', (_, count) => {
    const world = worldOf({ on: 'visits', factor: 1 });
    const ordinary = pointsOf(world, 'visits');
    const campaign = ordinary.map((day, at) => ({ ...day, numerator: at >= DAYS - count ? 60_000 : 0 }));
    const whole = ordinary.map((day, at) => ({ ...day, numerator: day.numerator + (campaign[at]?.numerator ?? 0) }));
    const occasion = { ...occasionOf(world, 'visits'), whole };
    const groups = [{ name: 'campaign', days: campaign }, ...devicesOf(world, 'visits')];
    expect(findReasons(occasion, groups)).toMatchObject({ maker: 'campaign' });
    // Where all others moved as well, it is not the campaign alone.
    for (const other of [scaled(whole, (at) => (at >= FROM ? 3 : 1)), ordinary])
      expect(findReasons({ ...occasion, whole: other }, groups)).not.toHaveProperty('maker');
  });

  it('without days has nothing to tell', () => {
    const world = worldOf({ on: 'rate', factor: 0.75 });
    const { groups, named } = findReasons(occasionOf(world), [{ name: 'tv', days: [] }]);
    expect(named).toBeUndefined();
    expect(groups).toMatchObject([{ name: 'tv', relative: null, relativeOfOthers: null, verdict: 'not enough data' }]);
  });
});
