import { expect, test } from 'vitest';
import { app, content, type Project, shop } from '../../src/emulator/credentials.ts';
import { metricsHandlers } from '../../src/emulator/handlers/metrics.ts';
import { dayNumberOf, type SessionDay, segmentsOf } from '../../src/emulator/world/sessions/index.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import { placeOf, START_MS } from './place.ts';

const { world } = placeOf();
const inShop = { ...placeOf(), world };
const inApp = { ...placeOf(app), world };
const inContent = { ...placeOf(content), world };
const week = { startDate: '2026-09-07T00:00:00.000Z', endDate: '2026-09-13T23:59:59.999Z' };
const ADD_TO_CART = 8120571;

/** Values by name; the handlers under test answer at once. */
async function valuesOf(
  answer: ReturnType<(typeof metricsHandlers)['getSiteMetrics' | 'getZoneMetrics']>,
): Promise<Record<string, number | null>> {
  const { values } = await answer;
  return Object.fromEntries(values.map(({ name, value }) => [name, value ?? null]));
}

async function visitsOf(segments: readonly string[], device: 'all' | 'mobile' = 'all'): Promise<number | null | undefined> {
  const segmentIds = segmentsOf(shop.id).flatMap(({ id, name }) => (segments.includes(name) ? [id] : []));
  return (await valuesOf(metricsHandlers.getSiteVisits({ ...week, segmentIds, device }, inShop)))['visits'];
}

/** The sessions of a range that pass, counted naively from the columns. */
function naive(project: Project, from: string, to: string, holds: (day: SessionDay, index: number) => boolean = () => true) {
  const sum = { visits: 0, cents: 0 };
  const [fromMs, toMs] = [Date.parse(from), Date.parse(to)];
  for (let dayNumber = dayNumberOf(fromMs); dayNumber <= dayNumberOf(toMs); dayNumber += 1) {
    const day = world.sessions.day(project.id, dayNumber, START_MS);
    for (const [index, second] of day.startSecond.entries()) {
      const beganMs = dayNumber * DAY_MS + second * 1_000;
      if (beganMs < fromMs || beganMs > toMs || !holds(day, index)) continue;
      sum.visits += 1;
      sum.cents += day.revenueCents[index] ?? 0;
    }
  }
  return sum;
}

test('site metrics of a goal change the conversions alone', async () => {
  const usual = await valuesOf(metricsHandlers.getSiteMetrics(week, inShop));
  const ofGoal = await valuesOf(metricsHandlers.getSiteMetrics({ ...week, goalId: 75118 }, inShop));
  const { conversionCount, conversionRate } = ofGoal;
  expect(ofGoal).toEqual({ ...usual, conversionCount, conversionRate });
  expect(Number(conversionCount)).toBeGreaterThan(Number(usual['conversionCount']));
});

test('site metrics of several segments are those of their intersection', async () => {
  const isBoth = (day: SessionDay, index: number) =>
    (day.sessionNumber[index] ?? 0) > 1 && day.country[index] === 0 && day.deviceId[index] === 2;
  const { visits } = naive(shop, week.startDate, week.endDate, isBoth);
  expect(await visitsOf(['Returning visitors', 'Germany'], 'mobile')).toBe(visits);
  expect(visits).toBeGreaterThan(500);
  expect(await visitsOf(['New visitors', 'Returning visitors'])).toBe(0);
});

test('site metrics without a session to divide by are null, counts are zero', async () => {
  const segmentIds = [418203, 418204];
  expect(await valuesOf(metricsHandlers.getSiteMetrics({ ...week, segmentIds }, inShop))).toMatchObject({
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

test('site metrics of a content site know conversions only of a goal, and revenue never', async () => {
  const place = inContent;
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

test('ranges take every form of date and answer in UTC with milliseconds', async () => {
  const { values } = await metricsHandlers.getSiteVisits({ startDate: '2026-11-10T01:00:00+01:00', endDate: '2026-11-11T12:30' }, inShop);
  const visits = naive(shop, '2026-11-10T00:00:00Z', '2026-11-11T12:30:00Z').visits;
  expect(values).toEqual([
    { startDate: '2026-11-10T00:00:00.000Z', endDate: '2026-11-11T12:30:00.000Z', value: visits, name: 'visits', currency: 'EUR' },
  ]);
});

test('ranges by day count 24 hours from the start, meet without a gap and add up', async () => {
  const range = { startDate: '2026-11-10T06:00:00.000Z', endDate: '2026-11-12T18:00:00.000Z' };
  const { values } = await metricsHandlers.getSiteVisits({ ...range, period: 'daily' }, inShop);
  expect(values.map(({ startDate, endDate }) => [startDate, endDate])).toEqual([
    ['2026-11-10T06:00:00.000Z', '2026-11-11T05:59:59.999Z'],
    ['2026-11-11T06:00:00.000Z', '2026-11-12T05:59:59.999Z'],
    ['2026-11-12T06:00:00.000Z', '2026-11-12T18:00:00.000Z'],
  ]);
  for (const { startDate, endDate, value } of values) {
    expect(value).toBe(naive(shop, String(startDate), String(endDate)).visits);
  }
  const whole = await valuesOf(metricsHandlers.getSiteVisits(range, inShop));
  expect(values.reduce((sum, { value }) => sum + (value ?? Number.NaN), 0)).toBe(whole['visits']);
  const midnight = { startDate: '2026-11-10', endDate: '2026-11-12', period: 'daily' } as const;
  expect((await metricsHandlers.getSiteVisits(midnight, inShop)).values).toHaveLength(2);
});

test('ranges have no value for a day that has not begun', async () => {
  const { values } = await metricsHandlers.getSiteVisits({ startDate: '2026-11-19', endDate: '2026-11-22', period: 'daily' }, inShop);
  expect(values.map(({ value }) => value)).toEqual([expect.any(Number), expect.any(Number), null]);
});

test('ranges out of bounds, unknown segments, goals and zones are refused in words', () => {
  const place = inShop;
  const visits = (startDate: string, endDate: string) => () => metricsHandlers.getSiteVisits({ startDate, endDate }, place);
  expect(visits('2025-10-20', '2025-10-25')).toThrow('range is out of bounds');
  expect(visits('2025-10-21', '2025-10-25')).not.toThrow();
  expect(visits('2026-01-01', '2026-11-01')).toThrow('range is out of bounds');
  expect(visits('2026-11-20T10:00:00.001Z', '2026-11-21')).toThrow('range is out of bounds');
  expect(() => metricsHandlers.getSiteVisits({ ...week, segmentIds: [602114] }, place)).toThrow('project 1201 has no segment 602114');
  expect(() => metricsHandlers.getSiteMetrics({ ...week, goalId: 95211 }, place)).toThrow('project 1201 has no goal 95211');
  expect(() => metricsHandlers.getZoneTapRate({ ...week, zoneId: 7310571 }, place)).toThrow('project 1201 has no zone 7310571 of an app');
  expect(() => metricsHandlers.getZoneTapRate({ ...week, zoneId: 12 }, inApp)).toThrow('project 1202 has no zone 12 of an app');
});

test('zone metrics agree with each other and carry the device', async () => {
  const query = { ...week, zoneId: ADD_TO_CART, device: 'mobile' } as const;
  const { values } = await metricsHandlers.getZoneMetrics(query, inApp);
  for (const value of values) expect(value).toMatchObject({ device: 'mobile', currency: 'EUR', ...week });
  const by = Object.fromEntries(values.map(({ name, value }) => [name, Number(value)]));
  const revenue = by['totalRevenueWithTap'] ?? Number.NaN;
  const all = naive(app, week.startDate, week.endDate, ({ deviceId }, index) => deviceId[index] === 4);
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

test('zone metrics without a tap are null where they divide', async () => {
  const query = { ...week, zoneId: ADD_TO_CART, device: 'desktop' } as const;
  expect(await valuesOf(metricsHandlers.getZoneMetrics(query, inApp))).toMatchObject({
    tapRate: null,
    revenuePerTap: null,
    totalRevenueWithTap: 0,
  });
});
