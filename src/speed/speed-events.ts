import type * as z from 'zod';
import type { speedEvent } from '../api/operations/records.ts';
import { instantOf } from '../api/params.ts';
import { HOUR_MS, isoTime } from '../lib/clock.ts';
import { byLeast } from '../lib/order.ts';

type SpeedEvent = z.output<typeof speedEvent>;

/** A cause lies before its effect, but scenarios run only now and then, and people write events down late. */
const NEAR = { beforeMs: 24 * HOUR_MS, afterMs: 2 * HOUR_MS };
/** Room for what was written about an event. */
const LONGEST_TEXT = 120;

/** An event close to a change. */
export type NearEvent = ReturnType<typeof eventsNear>[number];

/** A change between two reports: of the last one before it and of the first one after it. */
export interface Between {
  readonly previousMs: number;
  readonly fromMs: number;
}

/** The earliest event that could be near to a change: where no report lies between, any time since the last one counts. */
export function nearFrom({ previousMs, fromMs }: Between): number {
  return Math.min(previousMs, fromMs - NEAR.beforeMs);
}

/**
 * Events from 24 h before a change (or from the last report before it) to 2 h after it, the likeliest cause first: what came before, and of
 * that the latest.
 */
export function eventsNear(events: readonly SpeedEvent[], change: Between) {
  return events
    .map(({ key, text, date }) => {
      const atMs = instantOf(date ?? '');
      // The lead is negative where the event is the later one.
      return { key, text: (text ?? '').slice(0, LONGEST_TEXT), atMs, leadMs: change.fromMs - atMs };
    })
    .filter(({ atMs, leadMs }) => atMs >= nearFrom(change) && leadMs >= -NEAR.afterMs)
    .toSorted(
      byLeast(
        (each) => each.leadMs < 0,
        (each) => Math.abs(each.leadMs),
      ),
    );
}

/** An event with its date in one spelling, and the scenarios it is on where they were looked up. */
export interface PlacedEvent {
  readonly key: string;
  readonly text: string;
  /** ISO date-time in UTC; as it came where it cannot be read. */
  readonly date: string;
  /** Names of scenarios; left out where that is not known. */
  readonly scenarios?: readonly string[];
}

/** Deployments mix the spellings of dates; this is the one of all answers. */
export function inOneSpelling({ key, text, date }: SpeedEvent): PlacedEvent {
  const ms = instantOf(date ?? '');
  return { key, text: text ?? '', date: Number.isNaN(ms) ? (date ?? '') : isoTime(ms) };
}

/** Whether two events mark the same thing: the same text at the same instant, whatever their keys. */
export function isEqualEvent(one: Pick<PlacedEvent, 'text' | 'date'>, other: Pick<PlacedEvent, 'text' | 'date'>): boolean {
  return one.text.trim().toLowerCase() === other.text.trim().toLowerCase() && instantOf(one.date) === instantOf(other.date);
}

/** `"Release 2.8" of 2026-11-14T12:54:00.000Z, on Checkout`. */
export function eventWords({ text, date, scenarios }: PlacedEvent): string {
  const places = scenarios?.length === 0 ? 'no scenario' : scenarios?.join(', ');
  return `"${text}" of ${date}, ${places === undefined ? 'scenarios not known' : `on ${places}`}`;
}
