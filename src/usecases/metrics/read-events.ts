import { ApiError } from '../../api/errors.ts';
import { listSpeedEvents } from '../../api/operations/speed-analysis.ts';
import { instantOf } from '../../api/params.ts';
import { shiftDays } from '../../lib/calendar.ts';
import { resolveDate, todayIn } from '../../lib/dates.ts';
import type { Context } from '../context.ts';

/** Days before and after a change in which events are looked for. */
const DAYS = 2;
const LONGEST_TEXT = 120;
const MOST_EVENTS = 6;

/** Speed events near a day, in order, and a note on what was looked for. */
export interface NearEvents {
  readonly events: readonly { readonly day: string; readonly event: string }[];
  readonly notes: readonly string[];
}

/** Speed events up to two days around a day; none where the credential may not read them, or where there is no day. */
export async function readEventsAround(
  day: string | undefined,
  { ask, timeZone, nowMs }: Pick<Context, 'ask' | 'timeZone' | 'nowMs'>,
): Promise<NearEvents> {
  if (day === undefined) return { events: [], notes: [] };
  const { instantMs } = resolveDate(day, { edge: 'start', timeZone, nowMs });
  const [fromMs, toMs] = [shiftDays(instantMs, -DAYS, timeZone), shiftDays(instantMs, DAYS + 1, timeZone)];
  try {
    // `dateFrom` excludes its own instant.
    const { events } = await ask(listSpeedEvents, { dateFrom: new Date(fromMs - 1).toISOString() });
    const near = events
      .map(({ key, text, date }) => ({ key, text: (text ?? '').slice(0, LONGEST_TEXT), atMs: instantOf(date ?? '') }))
      .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
      .toSorted((a, b) => a.atMs - b.atMs)
      .slice(0, MOST_EVENTS);
    const found = 'Events: nearness is no proof.';
    return {
      events: near.map(({ key, text, atMs }) => ({ day: todayIn(timeZone, atMs), event: text || key })),
      notes: [near.length === 0 ? `No speed event lies within ${DAYS} days of ${day}.` : found],
    };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const refused = 'Events were not looked for: the credential lacks the scope speed-analysis.';
    return { events: [], notes: [error.kind === 'forbidden' ? refused : `Events could not be read: ${error.message}`] };
  }
}
