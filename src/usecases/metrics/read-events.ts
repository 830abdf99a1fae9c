import { ApiError } from '../../api/errors.ts';
import { listSpeedEvents } from '../../api/operations/speed-analysis.ts';
import { instantOf } from '../../api/params.ts';
import { shiftDays } from '../../lib/calendar.ts';
import { resolveDate, todayIn } from '../../lib/dates.ts';
import type { Context } from '../context.ts';

/** Days before a change in which events are looked for. */
const DAYS = 2;
const LONGEST_TEXT = 120;
const MOST_EVENTS = 6;

/** Speed events near a day, in order, and a note on what was looked for. */
export interface NearEvents {
  readonly events: readonly { readonly day: string; readonly event: string }[];
  readonly notes: readonly string[];
}

/** A change: its first day, and the last day that this may be instead. */
export interface Begun {
  readonly from: string;
  readonly latest: string;
}

/**
 * Speed events of the two days before changes up to the last day on which each may have begun: a later one is no cause. None where the
 * credential may not read them, or where there is no change.
 */
export async function readEventsBefore(
  changes: readonly Begun[],
  { ask, timeZone, nowMs }: Pick<Context, 'ask' | 'timeZone' | 'nowMs'>,
): Promise<NearEvents> {
  if (changes.length === 0) return { events: [], notes: [] };
  const startOf = (day: string) => resolveDate(day, { edge: 'start', timeZone, nowMs }).instantMs;
  const windows = changes.map(({ from, latest }) => ({
    fromMs: shiftDays(startOf(from), -DAYS, timeZone),
    toMs: shiftDays(startOf(latest > from ? latest : from), 1, timeZone),
  }));
  try {
    // `dateFrom` excludes its own instant.
    const { events } = await ask(listSpeedEvents, {
      dateFrom: new Date(Math.min(...windows.map(({ fromMs }) => fromMs)) - 1).toISOString(),
    });
    const near = events
      .map(({ key, text, date }) => ({ key, text: (text ?? '').slice(0, LONGEST_TEXT), atMs: instantOf(date ?? '') }))
      .filter(({ atMs }) => windows.some(({ fromMs, toMs }) => atMs >= fromMs && atMs < toMs))
      .toSorted((a, b) => a.atMs - b.atMs)
      .slice(0, MOST_EVENTS);
    const found = 'Events: nearness is no proof.';
    return {
      events: near.map(({ key, text, atMs }) => ({ day: todayIn(timeZone, atMs), event: text || key })),
      notes: [
        near.length === 0
          ? `No speed event lies in the ${DAYS} days before ${changes.map(({ from }) => from).join(' or ')} or on it.`
          : found,
      ],
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const refused = 'Events were not looked for: the credential lacks the scope speed-analysis.';
    return { events: [], notes: [error.kind === 'forbidden' ? refused : `Events could not be read: ${error.message}`] };
  }
}
