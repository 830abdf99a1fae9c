import type { Ask } from '../api/client.ts';
import { onApiError } from '../api/errors.ts';
import type { PayloadOf } from '../api/operation.ts';
import { listSpeedEvents } from '../api/operations/speed-analysis.ts';
import { instantOf } from '../api/params.ts';
import { fold, matchName } from '../names/match-name.ts';

type SpeedEvent = PayloadOf<typeof listSpeedEvents>['events'][number];

/** The event that a text names by its key or its words, or those that it could mean. */
export async function eventNamed(text: string, events: readonly SpeedEvent[]) {
  const match = await matchName(
    text,
    events.map(({ text: words }, id) => ({ id, path: [words ?? ''] })),
  );
  const eventsOf = (named: readonly { readonly id: number }[]) => named.flatMap(({ id }) => events[id] ?? []);
  const byKey = events.find(({ key }) => fold(key) === fold(text));
  if ('found' in match) return { found: byKey ?? events[match.found.id], near: [] };
  return { found: byKey, near: eventsOf('several' in match ? match.several : match.closest) };
}

/** Says which event stands for which instant. */
export const eventWords = ({ key, text }: Pick<SpeedEvent, 'key' | 'text'>, atMs: number) =>
  `event "${text ?? ''}" (${key}) = ${new Date(atMs).toISOString()}`;

/** The instant of the event that a text names, with the words for it; undefined where none has that name, or events cannot be read. */
export async function eventAt(text: string, ask: Ask) {
  const { events } = await ask(listSpeedEvents, {}).catch(onApiError(() => ({ events: [] })));
  const { found } = await eventNamed(text, events);
  if (!found?.date) return undefined;
  const atMs = instantOf(found.date);
  return { atMs, words: eventWords(found, atMs) };
}
