import { expect, test } from 'vitest';
import { app, content, projects, shop } from '../../src/emulator/credentials.ts';
import {
  createSessions,
  dayNumberOf,
  goalsOf,
  MAX_SESSION_MS,
  RETENTION_DAYS,
  type SessionDay,
  segmentsOf,
} from '../../src/emulator/world/sessions/index.ts';
import { DAY_MS } from '../../src/lib/clock.ts';

const START_MS = Date.parse('2026-11-20T10:00:00.000Z');
const TODAY = dayNumberOf(START_MS);
const world = createSessions({ seed: 1, startMs: START_MS });

/** The whole day, seen long after it. */
function wholeDay(projectId: number, dayNumber: number): SessionDay {
  return world.day(projectId, dayNumber, (dayNumber + 2) * DAY_MS);
}

function userKey(day: SessionDay, index: number): bigint {
  return (BigInt(day.userHigh[index] ?? 0) << 32n) | BigInt(day.userLow[index] ?? 0);
}

test('a day depends on seed and date alone, not on the order of asking or on the clock at start', () => {
  const later = createSessions({ seed: 1, startMs: START_MS + 3 * DAY_MS });
  const date = TODAY - 100;
  const first = wholeDay(shop.id, date);
  later.day(content.id, TODAY, START_MS);
  expect(later.day(shop.id, date, START_MS)).toEqual(first);
  expect(createSessions({ seed: 2, startMs: START_MS }).day(shop.id, date, START_MS).seed).not.toEqual(first.seed);
  expect(wholeDay(shop.id, date - 7).seed).not.toEqual(first.seed);
});

test('a day is ordered by start, and every session keeps to the rules of its columns', () => {
  for (const { id } of projects) {
    const day = wholeDay(id, TODAY - 5);
    const [purchaseBit] = goalsOf(id).flatMap(({ type }, bit) => (type === 'ECOMMERCE' ? [1 << bit] : []));
    const broken = [...day.seed.keys()].filter((index) => {
      const buys = (day.transactions[index] ?? 0) > 0;
      const goals = day.goals[index] ?? 0;
      const isInOrder = index === 0 || (day.startSecond[index] ?? 0) >= (day.startSecond[index - 1] ?? 0);
      const isWithin = (day.startSecond[index] ?? 0) < 86_400 && (day.durationMs[index] ?? 0) <= MAX_SESSION_MS;
      const isCounted = (day.pageViews[index] ?? 0) > 0 && (day.sessionNumber[index] ?? 0) > 0;
      const isPaid = (day.revenueCents[index] ?? 0) > 0 === buys && ((goals & (purchaseBit ?? 0)) !== 0) === buys;
      return !(isInOrder && isWithin && isCounted && isPaid && (day.pageViews[index] !== 1 || goals === 0));
    });
    expect(broken).toEqual([]);
    expect(day.count).toBeGreaterThan(500);
  }
});

test('a day holds 64-bit users beyond 2^53 who recur with the next number and the same device', () => {
  const lastVisit = new Map<bigint, { sessionNumber: number; deviceId: number; dayNumber: number }>();
  let recurring = 0;
  let broken = 0;
  for (let dayNumber = TODAY - 30; dayNumber < TODAY; dayNumber += 1) {
    const day = wholeDay(app.id, dayNumber);
    for (const index of day.seed.keys()) {
      const user = userKey(day, index);
      const visit = { sessionNumber: day.sessionNumber[index] ?? 0, deviceId: day.deviceId[index] ?? 0, dayNumber };
      const before = lastVisit.get(user);
      lastVisit.set(user, visit);
      if (before) recurring += 1;
      const isLater = !before || (visit.sessionNumber > before.sessionNumber && dayNumber > before.dayNumber);
      if (!isLater || (before && visit.deviceId !== before.deviceId) || user < 2n ** 62n || user >= 2n ** 63n) broken += 1;
    }
  }
  expect(broken).toBe(0);
  expect(recurring).toBeGreaterThan(10_000);
});

test('traffic has overlapping segments none of which is empty over the year', () => {
  for (const { id } of projects) {
    const sizes = segmentsOf(id).map(() => 0);
    let overlaps = 0;
    for (let back = 1; back <= 364; back += 9) {
      for (const bits of wholeDay(id, TODAY - back).segments) {
        if ((bits & (bits - 1)) !== 0) overlaps += 1;
        for (const [bit, size] of sizes.entries()) sizes[bit] = size + ((bits >> bit) & 1);
      }
    }
    expect(Math.min(...sizes)).toBeGreaterThan(0);
    expect(overlaps).toBeGreaterThan(1_000);
  }
});

test('the clock knows only sessions that have begun, and ends the running ones at the present', () => {
  const elapsedMs = START_MS - TODAY * DAY_MS;
  const day = world.day(shop.id, TODAY, START_MS);
  const whole = wholeDay(shop.id, TODAY);
  expect(day.count).toBe(whole.startSecond.filter((second) => second * 1_000 <= elapsedMs).length);
  expect(day.count).toBeGreaterThan(0);
  expect(day.seed).toEqual(whole.seed.slice(0, day.count));
  let running = 0;
  for (let index = 0; index < day.count; index += 1) {
    const endMs = (day.startSecond[index] ?? 0) * 1_000 + (day.durationMs[index] ?? 0);
    expect(endMs).toBeLessThanOrEqual(elapsedMs);
    if (day.durationMs[index] !== whole.durationMs[index]) running += 1;
  }
  expect(running).toBeGreaterThan(0);
});

test('the clock delivers nothing of the future nor from before retention', () => {
  expect(world.day(shop.id, TODAY + 1, START_MS).count).toBe(0);
  expect(world.day(shop.id, TODAY - RETENTION_DAYS, START_MS).count).toBeGreaterThan(0);
  expect(world.day(shop.id, TODAY - RETENTION_DAYS - 1, START_MS).count).toBe(0);
});
