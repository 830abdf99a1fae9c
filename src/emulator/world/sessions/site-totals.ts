import { LRUCache } from 'lru-cache';
import { DAY_MS } from '../../../lib/clock.ts';
import { nthUnsigned } from '../../../lib/nth.ts';
import { deviceIds } from './profiles.ts';
import { dayNumberOf, MAX_SESSION_MS, type SessionDay } from './session-day.ts';
import type { SessionWorld } from './session-world.ts';

/** Which sessions of a project a metric is about: those that began from `startMs` to `endMs`, both included. */
export interface Selection {
  readonly projectId: number;
  readonly startMs: number;
  readonly endMs: number;
  readonly device: keyof typeof deviceIds;
  /** Segments as bits; a session must lie in all of them. */
  readonly segmentBits: number;
  /** One value for each 24 hours from `startMs` instead of one for the range. */
  readonly isDaily: boolean;
  /** The present: nothing later is read. */
  readonly nowMs: number;
}

/** A period that one value covers, both ends included. */
export interface Bucket {
  readonly startMs: number;
  readonly endMs: number;
}

/** The periods of a selection in order; the last ends with the range and may be shorter than a day. */
export function bucketsOf({ startMs, endMs, isDaily }: Selection): Bucket[] {
  if (!isDaily) return [{ startMs, endMs }];
  const count = Math.max(1, Math.ceil((endMs - startMs) / DAY_MS));
  return Array.from({ length: count }, (_, index) => ({
    startMs: startMs + index * DAY_MS,
    endMs: index === count - 1 ? endMs : startMs + (index + 1) * DAY_MS - 1,
  }));
}

/** Index of the first session of the day that begins at an instant or later. */
function firstFrom(day: SessionDay, instantMs: number): number {
  const second = (instantMs - day.dayNumber * DAY_MS) / 1_000;
  let low = 0;
  let high = day.count;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (nthUnsigned(day.startSecond, middle) < second) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A day of a period, not later than the present. */
interface DayOfBucket extends Bucket {
  readonly bucket: number;
  readonly dayNumber: number;
}

function* daysOf(selection: Selection): Generator<DayOfBucket> {
  for (const [bucket, { startMs, endMs }] of bucketsOf(selection).entries()) {
    const lastDay = dayNumberOf(Math.min(endMs, selection.nowMs));
    for (let dayNumber = dayNumberOf(startMs); dayNumber <= lastDay; dayNumber += 1) yield { bucket, dayNumber, startMs, endMs };
  }
}

/** The sessions that began on a day, and which of them its period covers: from one index to before another. */
function sessionsOf(world: SessionWorld, { projectId, nowMs }: Selection, { dayNumber, startMs, endMs }: DayOfBucket) {
  const day = world.day(projectId, dayNumber, nowMs);
  return { day, from: firstFrom(day, startMs), to: firstFrom(day, endMs + 1) };
}

/** Whether a session is of the selection's device and lies in all its segments. */
function filterOf({ device, segmentBits }: Selection): (day: SessionDay, index: number) => boolean {
  const deviceBits = deviceIds[device].reduce<number>((bits, deviceId) => bits | (1 << deviceId), 0);
  return (day, index) =>
    ((deviceBits >> nthUnsigned(day.deviceId, index)) & 1) === 1 && (nthUnsigned(day.segments, index) & segmentBits) === segmentBits;
}

/** Calls `visit` for each session of the selection with the number of its period. */
export function scan(world: SessionWorld, selection: Selection, visit: (day: SessionDay, index: number, bucket: number) => void): void {
  const isSelected = filterOf(selection);
  for (const each of daysOf(selection)) {
    const { day, from, to } = sessionsOf(world, selection, each);
    for (let index = from; index < to; index += 1) {
      if (isSelected(day, index)) visit(day, index, each.bucket);
    }
  }
}

/** Counts of one period: every site metric is one of them or the ratio of two. */
const NOTHING = {
  visits: 0,
  /** Sessions with one page view. */
  bounces: 0,
  pageViews: 0,
  durationMs: 0,
  transactions: 0,
  revenueCents: 0,
  /** Sessions in which the goal was reached. */
  conversions: 0,
};

type SessionSums = typeof NOTHING;
const names = Object.keys(NOTHING) as (keyof SessionSums)[]; // Object.keys forgets the type

/** Sums of one period. */
export type SiteTotals = Bucket & SessionSums;

/** Sums of the selected sessions from one index to before another. */
function sumsBetween(
  day: SessionDay,
  from: number,
  to: number,
  goalBit: number,
  isSelected: (day: SessionDay, index: number) => boolean,
): SessionSums {
  // Sums live in local variables, because this loop reads hundreds of thousands of sessions.
  let [visits, bounces, pageViews, durationMs, transactions, revenueCents, conversions] = [0, 0, 0, 0, 0, 0, 0];
  for (let index = from; index < to; index += 1) {
    if (!isSelected(day, index)) continue;
    const views = nthUnsigned(day.pageViews, index);
    visits += 1;
    if (views === 1) bounces += 1;
    pageViews += views;
    durationMs += nthUnsigned(day.durationMs, index);
    transactions += nthUnsigned(day.transactions, index);
    revenueCents += nthUnsigned(day.revenueCents, index);
    if ((nthUnsigned(day.goals, index) & goalBit) !== 0) conversions += 1;
  }
  return { visits, bounces, pageViews, durationMs, transactions, revenueCents, conversions };
}

/**
 * Sums of whole days by what was selected, of all emulators in the process. Answers about many ranges ask for the same days again and
 * again, and a day takes up to ten thousand times the memory of its sums.
 */
const sumsOfDays = new LRUCache<string, SessionSums>({ maxSize: 100_000, sizeCalculation: () => 1 });

/** Whether a period covers the whole day, and the day no longer changes. */
function isWhole({ dayNumber, startMs, endMs }: DayOfBucket, nowMs: number): boolean {
  const nextDayMs = (dayNumber + 1) * DAY_MS;
  return startMs <= dayNumber * DAY_MS && endMs + 1 >= nextDayMs && nextDayMs + MAX_SESSION_MS <= nowMs;
}

/** Adds up the sessions of a selection, period by period; `goalBit` 0 counts no conversions. */
export function siteTotals(world: SessionWorld, selection: Selection, goalBit: number): SiteTotals[] {
  const totals = bucketsOf(selection).map((bucket): SiteTotals => ({ ...bucket, ...NOTHING }));
  const isSelected = filterOf(selection);
  const { origin } = world;
  const { projectId, device, segmentBits, nowMs } = selection;
  const selected = [origin.seed, origin.startMs, projectId, device, segmentBits, goalBit].join('/');
  for (const each of daysOf(selection)) {
    const key = isWhole(each, nowMs) ? `${selected}/${each.dayNumber}` : undefined;
    let sums = key === undefined ? undefined : sumsOfDays.get(key);
    if (!sums) {
      const { day, from, to } = sessionsOf(world, selection, each);
      sums = sumsBetween(day, from, to, goalBit, isSelected);
      if (key !== undefined) sumsOfDays.set(key, sums);
    }
    const total = totals[each.bucket];
    for (const name of names) if (total) total[name] += sums[name];
  }
  return totals;
}
