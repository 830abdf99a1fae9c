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

const DAYS = 98;
const FROM = 94;

function worldOf(planted: Omit<Planted, 'from' | 'to'>): World {
  return drawWorld({ seed: 11, visitsPerDay: 100_000, days: DAYS, history: 84, planted: [{ ...planted, from: FROM, to: DAYS }] });
}

const occasionOf = (world: World, metric: Metric) => ({
  kind: METRICS[metric].kind,
  whole: pointsOf(world, metric),
  from: world.labels[FROM] ?? '',
  to: world.labels[DAYS - 1] ?? '',
  periodFrom: world.labels[91] ?? '',
});
const devicesOf = (world: World, metric: Metric) => DEVICES.map((device) => ({ name: device, days: pointsOf(world, metric, { device }) }));
const segmentsOf = (world: World, metric: Metric) =>
  SEGMENTS.map((segment) => ({ name: segment, days: pointsOf(world, metric, { segment }) }));

describe('a group', () => {
  it('is named where it alone moved, among devices and among segments', () => {
    const mobile = worldOf({ on: 'rate', factor: 0.75, device: 'mobile' });
    const { named, groups } = findReasons(occasionOf(mobile, 'conversionRate'), devicesOf(mobile, 'conversionRate'));
    expect(named).toBe('mobile');
    const own = groups.find(({ name }) => name === 'mobile');
    expect(own).toMatchObject({ verdict: 'more' });
    expect(Math.abs(own?.relativeOfOthers ?? 1)).toBeLessThan(0.1);
    const returning = worldOf({ on: 'rate', factor: 0.75, segment: 'returning' });
    expect(findReasons(occasionOf(returning, 'conversionRate'), segmentsOf(returning, 'conversionRate')).named).toBe('returning');
    expect(findReasons(occasionOf(returning, 'conversionRate'), devicesOf(returning, 'conversionRate'))).not.toHaveProperty('named');
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
      days.map((day, at) => (at < FROM ? day : { ...day, numerator: Math.round(1.5 * day.numerator), special }));
    const occasion = occasionOf(drawn, 'conversionRate');
    const devices = devicesOf(drawn, 'conversionRate').map(({ name, days }) => ({ name, days: onSpecial(days) }));
    const { named, groups } = findReasons({ ...occasion, whole: onSpecial(occasion.whole) }, devices);
    expect(named).toBe('mobile');
    expect(Math.abs(groups.find(({ name }) => name === 'mobile')?.relativeOfOthers ?? 1)).toBeLessThan(0.1);
  });

  it('that ended before the days of a drift has no part in it', () => {
    const world = worldOf({ on: 'rate', factor: 0.75 });
    const occasion = occasionOf(world, 'conversionRate');
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
    const isIn = (at: number) => at >= DAYS - count;
    const campaign = ordinary.map((day, at) => ({ ...day, numerator: isIn(at) ? 60_000 : 0 }));
    const whole = ordinary.map((day, at) => ({ ...day, numerator: day.numerator + (campaign[at]?.numerator ?? 0) }));
    const occasion = { ...occasionOf(world, 'visits'), whole };
    const groups = [{ name: 'campaign', days: campaign }, ...devicesOf(world, 'visits')];
    expect(findReasons(occasion, groups)).toMatchObject({ maker: 'campaign' });
    // Where all others moved as well, it is not the campaign alone.
    const risen = whole.map((day, at) => ({ ...day, numerator: day.numerator * (at >= FROM ? 3 : 1) }));
    expect(findReasons({ ...occasion, whole: risen }, groups)).not.toHaveProperty('maker');
    expect(findReasons({ ...occasionOf(world, 'visits'), whole: ordinary }, groups)).not.toHaveProperty('maker');
  });

  it('without days has nothing to tell', () => {
    const world = worldOf({ on: 'rate', factor: 0.75 });
    const { groups, named } = findReasons(occasionOf(world, 'conversionRate'), [{ name: 'tv', days: [] }]);
    expect(named).toBeUndefined();
    expect(groups).toMatchObject([{ name: 'tv', relative: null, relativeOfOthers: null, verdict: 'not enough data' }]);
  });
});
