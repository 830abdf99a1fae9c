import { type Interval, slotsOf } from '../../lib/calendar.ts';
import { DAY_MS } from '../../lib/clock.ts';
import { nth } from '../../lib/nth.ts';
import { localTimes } from './engine/local-time.ts';
import type { ScenarioRuns } from './scenario-views.ts';

/** By what levels may be broken down. */
export const BREAKDOWNS = ['day', 'week', 'month', 'hour', 'weekday', 'weekend'] as const;
/** A cycle by which speed can be grouped. */
export type Breakdown = (typeof BREAKDOWNS)[number];

const WEEKDAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];
const HOURS = Array.from({ length: 24 }, (_, hour) => `${String(hour).padStart(2, '0')}:00`);
const WEEKEND = ['Monday to Friday', 'weekend'];

/** Groups of a breakdown in order, and the group of each instant (-1: none). */
export interface Grouping {
  readonly names: readonly string[];
  readonly groupsOf: (dates: readonly number[]) => readonly number[];
  /** Of what comes again, such as the hour; undefined for time as it passes. */
  readonly cycle: Cycle | undefined;
}

/** Groups that follow each other, the last one followed by the first. */
export interface Stretch {
  readonly from: number;
  readonly length: number;
}

/** A cycle of time: its groups, and how they are compared. */
export interface Cycle {
  readonly names: readonly string[];
  readonly groupOf: (hour: number, weekday: number) => number;
  /** Some groups that follow each other, as a sentence says when: `from 02:00 to 03:00`. */
  readonly wordsOf: (stretch: Stretch) => string;
  /** Blocks of time in which groups are compared: hours within their day, days within their week. */
  readonly blockDays: number;
}

const dayAt = (day: number) => WEEKDAYS[day % 7] ?? '';

const CYCLES: Readonly<Record<'hour' | 'weekday' | 'weekend', Cycle>> = {
  hour: {
    names: HOURS,
    groupOf: (hour) => hour,
    wordsOf: ({ from, length }) => `from ${HOURS[from] ?? ''} to ${HOURS[(from + length) % 24] ?? ''}`,
    blockDays: 1,
  },
  weekday: {
    names: WEEKDAYS,
    groupOf: (_, weekday) => weekday,
    wordsOf: ({ from, length }) => (length === 1 ? `on ${dayAt(from)}s` : `from ${dayAt(from)} to ${dayAt(from + length - 1)}`),
    blockDays: 7,
  },
  weekend: {
    names: WEEKEND,
    groupOf: (_, weekday) => Number(weekday >= 5),
    wordsOf: ({ from }) => (from === 1 ? 'at weekends' : 'from Monday to Friday'),
    blockDays: 7,
  },
};

/** The groups of a breakdown over a range. */
export function groupingOf(breakdown: Breakdown, range: Interval, timeZone: string): Grouping {
  if (!isCycle(breakdown)) {
    const slots = slotsOf(breakdown, range, timeZone);
    return {
      names: slots.map(({ label, isPart }) => (isPart ? `${label} (part)` : label)),
      groupsOf: (dates) => dates.map((date) => slots.findIndex(({ startMs, endMs }) => date >= startMs && date <= endMs)),
      cycle: undefined,
    };
  }
  const cycle = CYCLES[breakdown];
  return {
    names: cycle.names,
    groupsOf(dates) {
      const { hour, weekday } = localTimes(dates, timeZone);
      return dates.map((_, index) => cycle.groupOf(nth(hour, index), nth(weekday, index)));
    },
    cycle,
  };
}

/** Whether a breakdown is by what comes again, such as the hour, and not by time as it passes. */
export function isCycle(breakdown: Breakdown): breakdown is keyof typeof CYCLES {
  return breakdown in CYCLES;
}

/** The range from its first run on, so that a week in which the runs begin is a part. */
export function fromFirstRun(scenarios: readonly ScenarioRuns[], { startMs, endMs }: Interval): Interval {
  const firstMs = Math.min(...scenarios.flatMap(({ all }) => all[0]?.date ?? []));
  return { startMs: Number.isFinite(firstMs) && firstMs - startMs > DAY_MS ? firstMs : startMs, endMs };
}
