import type * as z from 'zod';
import type { speedEvent } from '../../api/operations/records.ts';
import { instantOf } from '../../api/params.ts';
import { HOUR_MS } from '../../lib/clock.ts';

type SpeedEvent = z.output<typeof speedEvent>;

/** A cause lies before its effect, but scenarios run only now and then, and people write events down late. */
const NEAR = { beforeMs: 24 * HOUR_MS, afterMs: 2 * HOUR_MS };
/** Room for what was written about an event. */
const LONGEST_TEXT = 120;

/** An event close to a change. */
export interface NearEvent {
  readonly key: string;
  readonly text: string;
  readonly atMs: number;
  /** From the event to the change; negative where the event is the later one. */
  readonly leadMs: number;
}

/** A change between two reports: of the last one before it and of the first one after it. */
export interface Between {
  readonly previousDate: number;
  readonly date: number;
}

/** The earliest event that could be near to a change: where no report lies between, any time since the last one counts. */
export function nearFrom({ previousDate, date }: Between): number {
  return Math.min(previousDate, date - NEAR.beforeMs);
}

/**
 * Events from 24 h before a change (or from the last report before it) to 2 h after it, the likeliest cause first: what came before, and of
 * that the latest.
 */
export function eventsNear(events: readonly SpeedEvent[], change: Between): NearEvent[] {
  return events
    .map(({ key, text, date }) => {
      const atMs = instantOf(date ?? '');
      return { key, text: (text ?? '').slice(0, LONGEST_TEXT), atMs, leadMs: change.date - atMs };
    })
    .filter(({ atMs, leadMs }) => atMs >= nearFrom(change) && leadMs >= -NEAR.afterMs)
    .toSorted((a, b) => Number(a.leadMs < 0) - Number(b.leadMs < 0) || Math.abs(a.leadMs) - Math.abs(b.leadMs));
}
