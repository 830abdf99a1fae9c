import type { Ask } from '../api/client.ts';
import { onApiError } from '../api/errors.ts';
import { listSpeedEvents } from '../api/operations/speed-analysis.ts';
import { instantOf } from '../api/params.ts';
import { isoTime } from '../lib/clock.ts';
import { fold, matchName } from '../names/match-name.ts';

/** The instant of the event that a text names, with the words for it; undefined where none has that name, or events cannot be read. */
export async function eventAt(text: string, ask: Ask) {
  const { events } = await ask(listSpeedEvents, {}).catch(onApiError(() => ({ events: [] })));
  const match = await matchName(
    text,
    events.map(({ text: words }, id) => ({ id, path: [words ?? ''] })),
  );
  const found = events.find(({ key }) => fold(key) === fold(text)) ?? ('found' in match ? events[match.found.id] : undefined);
  if (!found?.date) return undefined;
  const atMs = instantOf(found.date);
  return { atMs, words: `event "${found.text ?? ''}" (${found.key}) = ${isoTime(atMs)}` };
}
