import { ApiError } from '../../api/errors.ts';
import { listSpeedEvents } from '../../api/operations/speed-analysis.ts';
import { instantOf } from '../../api/params.ts';
import { resolveDate, todayIn } from '../../lib/dates.ts';
import { shiftDays } from '../../lib/shift-days.ts';
import type { ToolContext } from '../../mcp/tool.ts';

/** Days before and after a change in which events are looked for. */
const DAYS = 2;
const LONGEST_TEXT = 120;
const MOST_EVENTS = 6;

/** Speed events up to two days around a day, in order; none where the credential may not read them, which is noted. */
export async function readEventsAround(
  day: string | undefined,
  { ask, note, timeZone, nowMs }: Pick<ToolContext, 'ask' | 'note' | 'timeZone' | 'nowMs'>,
) {
  // biome-ignore format: one thought
  if (day === undefined) return [];
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
    if (near.length === 0) note(`No speed event lies within ${DAYS} days of ${day}.`);
    else note(`Events: within ${DAYS} days of ${day}; that they come together does not show that one causes the other.`);
    return near.map(({ key, text, atMs }) => ({ day: todayIn(timeZone, atMs), event: text || key }));
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    note(error.kind === 'forbidden' ? 'Events were not looked for: the credential lacks the scope speed-analysis.' : `Events could not be read: ${error.message}`); // biome-ignore format: one thought
    return [];
  }
}
