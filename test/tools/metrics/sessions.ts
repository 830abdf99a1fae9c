import { dayNumberOf, goalsOf, type SessionDay } from '../../../src/emulator/world/sessions/index.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import type { Platform } from '../../support/emulator.ts';
import { WIRE_WEEK } from '../support.ts';

/** Desktop, mobile and tablet as the columns of sessions say them; apps count too. */
const DEVICES = { desktop: [1], mobile: [2, 4], tablet: [3, 5] };

/** Sums over the sessions of the test week, one by one: what a metric is made of by its definition. */
export function sumOfWeek(
  { world, clock }: Platform,
  { projectId = 1201, device, goal }: { projectId?: number; device?: keyof typeof DEVICES; goal?: string } = {},
) {
  const sum = { visits: 0, bounces: 0, views: 0, seconds: 0, transactions: 0, revenue: 0, conversions: 0 };
  const goalBit = 1 << (goal === undefined ? 0 : goalsOf(projectId).findIndex(({ name }) => name === goal));
  const holds = (day: SessionDay, index: number) => device === undefined || DEVICES[device].includes(day.deviceId[index] ?? 0);
  for (let number = dayNumberOf(Date.parse(WIRE_WEEK.startDate)); number * DAY_MS < Date.parse(WIRE_WEEK.endDate); number += 1) {
    const day = world.sessions.day(projectId, number, clock.now());
    for (let index = 0; index < day.count; index += 1) {
      if (!holds(day, index)) continue;
      sum.visits += 1;
      sum.bounces += day.pageViews[index] === 1 ? 1 : 0;
      sum.views += day.pageViews[index] ?? 0;
      sum.seconds += (day.durationMs[index] ?? 0) / 1_000;
      sum.transactions += day.transactions[index] ?? 0;
      sum.revenue += (day.revenueCents[index] ?? 0) / 100;
      sum.conversions += ((day.goals[index] ?? 0) & goalBit) === 0 ? 0 : 1;
    }
  }
  return sum;
}
