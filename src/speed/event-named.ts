import type { Ask } from '../api/client.ts';
import { onApiError } from '../api/errors.ts';
import { listSpeedEvents } from '../api/operations/speed-analysis.ts';
import { instantOf } from '../api/params.ts';
import { isoTime } from '../lib/clock.ts';
import { fold, matchName } from '../names/match-name.ts';

/** Events that a refusal names. */
const MOST_NAMED = 3;

/**
 * The instant of the event that a text names by its key or its words, with the words for it, or those on the ones that it could mean;
 * undefined where it resembles none, or events cannot be read.
 */
export async function eventAt(text: string, ask: Ask) {
  const { events } = await ask(listSpeedEvents, {}).catch(onApiError(() => ({ events: [] })));
  const match = await matchName(
    text,
    events.map(({ text: words }, id) => ({ id, path: [words ?? ''] })),
  );
  const found = events.find(({ key }) => fold(key) === fold(text)) ?? ('found' in match ? events[match.found.id] : undefined);
  if (found?.date) {
    const atMs = instantOf(found.date);
    return { atMs, words: `event "${found.text ?? ''}" (${found.key}) = ${isoTime(atMs)}` };
  }
  if ('found' in match || ('closest' in match && !match.isNear)) return undefined;
  const near = ('several' in match ? match.several : match.closest).slice(0, MOST_NAMED).flatMap(({ id }) => events[id] ?? []);
  const listed = near.map(({ key, text: words }) => `${key} "${words ?? ''}"`).join(', ');
  return { words: `"${text}" is neither a date nor the key or text of a speed event. Closest events: ${listed}.` };
}
