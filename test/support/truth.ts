import { dayNumberOf, goalsOf, type SessionDay, segmentsOf } from '../../src/emulator/world/sessions/index.ts';
import { DAY_MS } from '../../src/lib/clock.ts';
import type { Platform } from './emulator.ts';

/** Devices as the columns of sessions say them; apps count too. */
const DEVICES = { desktop: [1], mobile: [2, 4], tablet: [3, 5] };

/** Which sessions a fact is about; dates are ISO date-times, both included. */
export interface Wanted {
  readonly from: string;
  readonly to: string;
  /** Default the shop. */
  readonly projectId?: number;
  readonly device?: keyof typeof DEVICES | 'all';
  readonly segment?: string;
  /** Default the first goal of the project. */
  readonly goal?: string;
}

function bitOf(objects: readonly { readonly name: string }[], name: string): number {
  const index = objects.findIndex((object) => object.name === name);
  if (index === -1) throw new Error(`there is no ${name}`);
  return 1 << index;
}

/** Whole days from one to another, as `Wanted` has them. */
export const wholeDays = (first: string, last = first) => ({ from: `${first}T00:00:00.000Z`, to: `${last}T23:59:59.999Z` });

/** Sums over the sessions of the world, one by one: what the metrics of a range must be by their definition. */
export function truthOf({ world, clock }: Platform, { from, to, projectId = 1201, device = 'all', segment, goal }: Wanted) {
  const sum = { visits: 0, bounces: 0, views: 0, seconds: 0, transactions: 0, revenue: 0, conversions: 0 };
  const goalBit = goal === undefined ? 1 : bitOf(goalsOf(projectId), goal);
  const segmentBit = segment === undefined ? 0 : bitOf(segmentsOf(projectId), segment);
  const [startMs, endMs] = [Date.parse(from), Date.parse(to)];
  const isWanted = (day: SessionDay, index: number) => {
    const atMs = day.dayNumber * DAY_MS + (day.startSecond[index] ?? 0) * 1_000;
    const isDevice = device === 'all' || DEVICES[device].includes(day.deviceId[index] ?? 0);
    return atMs >= startMs && atMs <= endMs && isDevice && ((day.segments[index] ?? 0) & segmentBit) === segmentBit;
  };
  for (let number = dayNumberOf(startMs); number <= dayNumberOf(endMs); number += 1) {
    const day = world.sessions.day(projectId, number, clock.now());
    for (let index = 0; index < day.count; index += 1) {
      if (!isWanted(day, index)) continue;
      sum.visits += 1;
      sum.bounces += day.pageViews[index] === 1 ? 1 : 0;
      sum.views += day.pageViews[index] ?? 0;
      sum.seconds += (day.durationMs[index] ?? 0) / 1_000;
      sum.transactions += day.transactions[index] ?? 0;
      sum.revenue += (day.revenueCents[index] ?? 0) / 100;
      sum.conversions += ((day.goals[index] ?? 0) & goalBit) === 0 ? 0 : 1;
    }
  }
  const rate = (part: number) => (100 * part) / sum.visits;
  return { ...sum, conversionRate: rate(sum.conversions), bounceRate: rate(sum.bounces) };
}
