import { slotsOf } from '../../lib/calendar.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { nth } from '../../lib/nth.ts';
import { localTimes } from './engine/local-time.ts';
import type { Series, Window } from './runs.ts';
import type { ScenarioRuns } from './site-runs.ts';

/** By what levels may be broken down. */
export const BREAKDOWNS = ['day', 'week', 'month', 'hour', 'weekday', 'weekend'] as const;
/** A cycle by which speed can be grouped. */
export type Breakdown = (typeof BREAKDOWNS)[number];

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = ['night (0–6)', 'morning (6–12)', 'afternoon (12–18)', 'evening (18–24)'];
const WEEKEND = ['Monday to Friday', 'weekend'];

/** Groups of a breakdown in order, and the group of each instant (-1: none). */
export interface Grouping {
  readonly names: readonly string[];
  readonly groupsOf: (dates: readonly number[]) => readonly number[];
}

/** The groups of a breakdown over a range. */
export function groupingOf(breakdown: Breakdown, range: Window, timeZone: string): Grouping {
  if (breakdown === 'day' || breakdown === 'week' || breakdown === 'month') {
    const slots = slotsOf(breakdown, range, timeZone);
    return {
      names: slots.map(({ label, isPart }) => (isPart ? `${label} (part)` : label)),
      groupsOf: (dates) => dates.map((date) => slots.findIndex(({ startMs, endMs }) => date >= startMs && date <= endMs)),
    };
  }
  const cycles = { hour: HOURS, weekday: WEEKDAYS, weekend: WEEKEND } as const;
  return {
    names: cycles[breakdown],
    groupsOf(dates) {
      const { hour, weekday } = localTimes(dates, timeZone);
      return dates.map((_, index) => {
        if (breakdown === 'hour') return Math.floor(nth(hour, index) / 6);
        return breakdown === 'weekday' ? nth(weekday, index) : Number(nth(weekday, index) >= 5);
      });
    },
  };
}

/** The values of a series by group. */
export function rowsOfStep({ dates, values }: Series, { names, groupsOf }: Grouping): number[][] {
  const groups = groupsOf(dates);
  return names.map((_, place) => values.filter((__, index) => groups[index] === place));
}

/** Blocks of time in which groups are compared: hours within their day, days within their week. */
export const BLOCK_DAYS = { hour: 1, weekday: 7, weekend: 7 } as const;

/** Whether a breakdown is by what comes again, such as the hour, and not by time as it passes. */
export function isCycle(breakdown: Breakdown): breakdown is keyof typeof BLOCK_DAYS {
  return breakdown in BLOCK_DAYS;
}

/** The range from its first run on, so that a week in which the runs begin is a part. */
export function fromFirstRun(scenarios: readonly ScenarioRuns[], { startMs, endMs }: Window): Window {
  const firstMs = Math.min(...scenarios.flatMap(({ all }) => all[0]?.date ?? []));
  return { startMs: Number.isFinite(firstMs) && firstMs - startMs > DAY_MS ? firstMs : startMs, endMs };
}
