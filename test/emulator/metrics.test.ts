import { describe, expect, test } from 'vitest';
import { app, content, type Project, shop } from '../../src/emulator/credentials.ts';
import { REFERENCE } from '../../src/emulator/deployment.ts';
import type { Place } from '../../src/emulator/handler.ts';
import { metricsHandlers } from '../../src/emulator/handlers/metrics.ts';
import { createWorld } from '../../src/emulator/world/index.ts';
import { dayNumberOf, goalsOf, type SessionDay, segmentsOf } from '../../src/emulator/world/sessions/index.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { metricEndpoints } from '../samples/metric-endpoints.ts';

const START_MS = Date.parse('2026-11-20T10:00:00.000Z');
const world = createWorld({ seed: 1, startMs: START_MS });
const week = { startDate: '2026-09-07T00:00:00.000Z', endDate: '2026-09-13T23:59:59.999Z' };
const ADD_TO_CART = 8120571;

function placeOf(project: Project): Place {
  return { world, project, storeUrl: 'http://store.test', nowMs: START_MS, deployment: REFERENCE };
}

function idOf(name: string): number {
  return segmentsOf(shop.id).find((segment) => segment.name === name)?.id ?? 0;
}

/** Values by name; the handlers under test answer at once. */
async function valuesOf(
  answer: ReturnType<(typeof metricsHandlers)['getSiteMetrics' | 'getZoneMetrics']>,
): Promise<Record<string, number | null>> {
  const { values } = await answer;
  return Object.fromEntries(values.map(({ name, value }) => [name, value ?? null]));
}

async function visitsOf(
  project: Project,
  more: { device?: 'all' | 'desktop' | 'mobile' | 'tablet'; segmentIds?: number[] } = {},
): Promise<number> {
  return (await valuesOf(metricsHandlers.getSiteVisits({ ...week, ...more }, placeOf(project))))['visits'] ?? Number.NaN;
}

/** Sums over the sessions of a range, counted naively from the columns. */
function naive(project: Project, from: string, to: string, holds: (day: SessionDay, index: number) => boolean, goalBit = 1) {
  const sum = { visits: 0, bounces: 0, views: 0, durationMs: 0, transactions: 0, cents: 0, conversions: 0 };
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  for (let dayNumber = dayNumberOf(fromMs); dayNumber <= dayNumberOf(toMs); dayNumber += 1) {
    const day = world.sessions.day(project.id, dayNumber, START_MS);
    for (const [index, second] of day.startSecond.entries()) {
      const beganMs = dayNumber * DAY_MS + second * 1_000;
      if (beganMs < fromMs || beganMs > toMs || !holds(day, index)) continue;
      sum.visits += 1;
      sum.bounces += day.pageViews[index] === 1 ? 1 : 0;
      sum.views += day.pageViews[index] ?? 0;
      sum.durationMs += day.durationMs[index] ?? 0;
      sum.transactions += day.transactions[index] ?? 0;
      sum.cents += day.revenueCents[index] ?? 0;
      sum.conversions += ((day.goals[index] ?? 0) & goalBit) === 0 ? 0 : 1;
    }
  }
  return sum;
}

describe('site metrics', () => {
  test('are what their definitions say of the sessions', async () => {
    const sum = naive(shop, week.startDate, week.endDate, () => true);
    const values = await valuesOf(metricsHandlers.getSiteMetrics(week, placeOf(shop)));
    expect(values).toMatchObject({
      bounceRate: expect.closeTo((100 * sum.bounces) / sum.visits, 3),
      cartAverage: expect.closeTo(sum.cents / 100 / sum.transactions, 3),
      conversionCount: sum.conversions,
      conversionRate: expect.closeTo((100 * sum.conversions) / sum.visits, 3),
      pageviewAverage: expect.closeTo(sum.views / sum.visits, 3),
      revenueSum: sum.cents / 100,
      sessionTimeAverage: expect.closeTo(sum.durationMs / 1_000 / sum.visits, 3),
      visits: sum.visits,
    });
    expect(sum.visits).toBeGreaterThan(20_000);
    expect(sum.transactions).toBeGreaterThan(sum.conversions);
  });

  test('of a goal change the conversions alone', async () => {
    const bit = goalsOf(shop.id).findIndex(({ name }) => name === 'Add to cart');
    const goalId = goalsOf(shop.id)[bit]?.id ?? 0;
    const sum = naive(shop, week.startDate, week.endDate, () => true, 1 << bit);
    const usual = await valuesOf(metricsHandlers.getSiteMetrics(week, placeOf(shop)));
    const values = await valuesOf(metricsHandlers.getSiteMetrics({ ...week, goalId }, placeOf(shop)));
    expect(values).toEqual({
      ...usual,
      conversionCount: sum.conversions,
      conversionRate: expect.closeTo((100 * sum.conversions) / sum.visits, 3),
    });
    expect(await valuesOf(metricsHandlers.getSiteConversions({ ...week, goalId }, placeOf(shop)))).toEqual({
      conversionCount: sum.conversions,
    });
  });

  test('of one name are those of the whole answer', async () => {
    const place = placeOf(shop);
    const all = await valuesOf(metricsHandlers.getSiteMetrics(week, place));
    const names = metricEndpoints.flatMap(({ of, operation }) => (of === 'site' ? [operation] : []));
    const single = await Promise.all(names.map((name) => valuesOf(metricsHandlers[name]({ ...week, zoneId: 0 }, place))));
    expect(Object.assign({}, ...single)).toEqual(all);
  });

  test('by device leave only the unknown devices out', async () => {
    const parts = await Promise.all((['desktop', 'mobile', 'tablet'] as const).map((device) => visitsOf(shop, { device })));
    const unknown = naive(shop, week.startDate, week.endDate, (day, index) => day.deviceId[index] === 0).visits;
    expect(unknown).toBeGreaterThan(0);
    expect(await visitsOf(shop)).toBe(parts.reduce((sum, visits) => sum + visits, unknown));
    expect(await visitsOf(app, { device: 'desktop' })).toBe(0);
    expect(await visitsOf(app, { device: 'tablet' })).toBe(
      naive(app, week.startDate, week.endDate, (day, index) => day.deviceId[index] === 5).visits,
    );
  });

  test('of several segments are those of their intersection', async () => {
    const both = naive(
      shop,
      week.startDate,
      week.endDate,
      (day, index) => (day.sessionNumber[index] ?? 0) > 1 && day.country[index] === 0 && day.deviceId[index] === 2,
    );
    const segmentIds = [idOf('Returning visitors'), idOf('Germany')];
    expect(await visitsOf(shop, { segmentIds, device: 'mobile' })).toBe(both.visits);
    expect(both.visits).toBeGreaterThan(500);
    expect(await visitsOf(shop, { segmentIds: [idOf('New visitors'), idOf('Returning visitors')] })).toBe(0);
  });

  test('without a session to divide by are null, counts are zero', async () => {
    const segmentIds = [418203, 418204];
    expect(await valuesOf(metricsHandlers.getSiteMetrics({ ...week, segmentIds }, placeOf(shop)))).toMatchObject({
      bounceRate: null,
      cartAverage: null,
      conversionCount: 0,
      conversionRate: null,
      pageviewAverage: null,
      revenueSum: 0,
      sessionTimeAverage: null,
      visits: 0,
    });
  });

  test('of a content site know conversions only of a goal, and revenue never', async () => {
    const place = placeOf(content);
    const values = await valuesOf(metricsHandlers.getSiteMetrics(week, place));
    expect(values).toMatchObject({ conversionCount: null, conversionRate: null, revenueSum: null, cartAverage: null });
    expect(values['visits']).toBeGreaterThan(4_000);
    const ofGoal = await valuesOf(metricsHandlers.getSiteMetrics({ ...week, goalId: 95211 }, place));
    expect(ofGoal).toMatchObject({
      conversionCount: expect.any(Number),
      conversionRate: expect.any(Number),
      revenueSum: null,
      cartAverage: null,
    });
    expect(() => metricsHandlers.getSiteConversions(week, place)).toThrow('goalId is required');
    expect(() => metricsHandlers.getSiteConversionRate(week, place)).toThrow('goalId is required');
    expect(() => metricsHandlers.getSiteRevenue(week, place)).toThrow('only for e-commerce projects');
    expect(() => metricsHandlers.getSiteCartAverage(week, place)).toThrow('only for e-commerce projects');
  });
});

describe('ranges', () => {
  test('take every form of date and answer in UTC with milliseconds', async () => {
    const { values } = await metricsHandlers.getSiteVisits(
      { startDate: '2026-11-10T01:00:00+01:00', endDate: '2026-11-11T12:30' },
      placeOf(shop),
    );
    const visits = naive(shop, '2026-11-10T00:00:00Z', '2026-11-11T12:30:00Z', () => true).visits;
    expect(values).toEqual([
      { startDate: '2026-11-10T00:00:00.000Z', endDate: '2026-11-11T12:30:00.000Z', value: visits, name: 'visits', currency: 'EUR' },
    ]);
  });

  test('by day count 24 hours from the start, meet without a gap and add up', async () => {
    const range = { startDate: '2026-11-10T06:00:00.000Z', endDate: '2026-11-12T18:00:00.000Z' };
    const { values } = await metricsHandlers.getSiteVisits({ ...range, period: 'daily' }, placeOf(shop));
    expect(values.map(({ startDate, endDate }) => [startDate, endDate])).toEqual([
      ['2026-11-10T06:00:00.000Z', '2026-11-11T05:59:59.999Z'],
      ['2026-11-11T06:00:00.000Z', '2026-11-12T05:59:59.999Z'],
      ['2026-11-12T06:00:00.000Z', '2026-11-12T18:00:00.000Z'],
    ]);
    for (const { startDate, endDate, value } of values) {
      expect(value).toBe(naive(shop, String(startDate), String(endDate), () => true).visits);
    }
    const whole = await valuesOf(metricsHandlers.getSiteVisits(range, placeOf(shop)));
    expect(values.reduce((sum, { value }) => sum + (value ?? Number.NaN), 0)).toBe(whole['visits']);
    const midnight = { startDate: '2026-11-10', endDate: '2026-11-12', period: 'daily' } as const;
    expect((await metricsHandlers.getSiteVisits(midnight, placeOf(shop))).values).toHaveLength(2);
  });

  test('have no value for a day that has not begun', async () => {
    const { values } = await metricsHandlers.getSiteVisits(
      { startDate: '2026-11-19', endDate: '2026-11-22', period: 'daily' },
      placeOf(shop),
    );
    expect(values.map(({ value }) => value)).toEqual([expect.any(Number), expect.any(Number), null]);
  });

  test('out of bounds, unknown segments, goals and zones are refused in words', () => {
    const place = placeOf(shop);
    const visits = (startDate: string, endDate: string) => () => metricsHandlers.getSiteVisits({ startDate, endDate }, place);
    expect(visits('2025-10-20', '2025-10-25')).toThrow('range is out of bounds');
    expect(visits('2025-10-21', '2025-10-25')).not.toThrow();
    expect(visits('2026-01-01', '2026-11-01')).toThrow('range is out of bounds');
    expect(visits('2026-11-20T10:00:00.001Z', '2026-11-21')).toThrow('range is out of bounds');
    expect(() => metricsHandlers.getSiteVisits({ ...week, segmentIds: [602114] }, place)).toThrow('project 1201 has no segment 602114');
    expect(() => metricsHandlers.getSiteMetrics({ ...week, goalId: 95211 }, place)).toThrow('project 1201 has no goal 95211');
    expect(() => metricsHandlers.getZoneTapRate({ ...week, zoneId: 7310571 }, place)).toThrow('project 1201 has no zone 7310571 of an app');
    expect(() => metricsHandlers.getZoneTapRate({ ...week, zoneId: 12 }, placeOf(app))).toThrow('project 1202 has no zone 12 of an app');
  });
});

describe('zone metrics', () => {
  test('agree with each other and carry the device', async () => {
    const query = { ...week, zoneId: ADD_TO_CART, device: 'mobile' } as const;
    const { values } = await metricsHandlers.getZoneMetrics(query, placeOf(app));
    for (const value of values) expect(value).toMatchObject({ device: 'mobile', currency: 'EUR', ...week });
    const by = Object.fromEntries(values.map(({ name, value }) => [name, Number(value)]));
    const revenue = by['totalRevenueWithTap'] ?? Number.NaN;
    const all = naive(app, week.startDate, week.endDate, (day, index) => day.deviceId[index] === 4);
    expect(revenue).toBeGreaterThan(0);
    expect(revenue).toBeLessThan(all.cents / 100);
    const taps = revenue / (by['revenuePerTap'] ?? Number.NaN);
    expect(taps).toBeGreaterThan(500);
    expect(Math.abs(taps - Math.round(taps))).toBeLessThan(taps / 10_000);
    expect(by['tapRate']).toBeGreaterThan(15);
    expect(by['tapRate']).toBeLessThan(35);
    expect(by['tapRecurrence']).toBeGreaterThan(1);
    expect(by['timeBeforeFirstTap']).toBeCloseTo(9.3, 0);
    expect(by['avgTransactionAfterTap']).toBeGreaterThan(0.03);
  });

  test('of one name are those of the whole answer, conversion after a tap apart', async () => {
    const query = { ...week, zoneId: ADD_TO_CART };
    const place = placeOf(app);
    const all = await valuesOf(metricsHandlers.getZoneMetrics(query, place));
    const { avgTransactionAfterTap: _, ...others } = all;
    const names = ['Revenue', 'RevenuePerTap', 'SwipeRate', 'SwipeRecurrence', 'TapRate', 'TapRecurrence', 'TimeBeforeFirstTap'] as const;
    const single = await Promise.all(names.map((name) => valuesOf(metricsHandlers[`getZone${name}`](query, place))));
    expect(Object.assign({}, ...single)).toEqual(others);
    const purchase = await valuesOf(metricsHandlers.getZoneConversionRatePerTap(query, place));
    const started = await valuesOf(metricsHandlers.getZoneConversionRatePerTap({ ...query, goalId: 88130 }, place));
    expect(purchase['avgConversionAfterTap']).toBeGreaterThan(3);
    expect(started['avgConversionAfterTap']).toBeGreaterThan(purchase['avgConversionAfterTap'] ?? Number.NaN);
  });

  test('without a tap are null where they divide', async () => {
    const query = { ...week, zoneId: ADD_TO_CART, device: 'desktop' } as const;
    expect(await valuesOf(metricsHandlers.getZoneMetrics(query, placeOf(app)))).toMatchObject({
      tapRate: null,
      revenuePerTap: null,
      totalRevenueWithTap: 0,
    });
  });
});
