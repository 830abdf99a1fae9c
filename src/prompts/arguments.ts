import { fold } from '../analysis/names.ts';
import type { Completer, CompletionContext } from '../mcp/completer.ts';
import { recentReports, scenariosOf } from '../resources/recent.ts';

/** Events that are proposed; older ones are typed. */
const EVENT_DAYS = 60;
const DAY_MS = 86_400_000;
const LIFE_MS = 60_000;

/** Names of the project's scenarios, found by id too; tools take names. */
export const scenario: Completer = async (context) =>
  (await scenariosOf(context)).map(({ id, name }) => ({ value: name, words: String(id) }));

/** Names of the steps in the latest report of the scenario that is filled in. */
export const step: Completer = async (context) => {
  const given = context.filled['scenario'] ?? '';
  const chosen = (await scenariosOf(context)).find(({ id, name }) => String(id) === given.trim() || fold(name) === fold(given));
  if (!chosen) return [];
  const { steps } = await recentReports(context, chosen.id);
  return steps.map(({ name }, index) => ({ value: name, words: `step ${index + 1}` }));
};

async function recentEvents({ session, projectId, ask }: CompletionContext) {
  return session.names.remember(`${await projectId()} recent events`, LIFE_MS, async () => {
    const { listSpeedEvents } = await import('../api/operations/speed-analysis.ts');
    const dateFrom = new Date(session.options.clock.now() - EVENT_DAYS * DAY_MS).toISOString();
    return (await ask(listSpeedEvents, { dateFrom })).events;
  });
}

/** Keys of the events of the last 60 days, found by their text too. */
export const event: Completer = async (context) =>
  (await recentEvents(context)).map(({ key, text }) => ({ value: key, words: text ?? '' }));

/** Days of the events of the last 60 days, found by their text too, and the days that come to mind. */
export const date: Completer = async (context) => {
  const days = (await recentEvents(context)).map(({ date: at, text }) => ({ value: (at ?? '').slice(0, 10), words: text ?? '' }));
  return [...days.filter(({ value }) => value !== ''), { value: 'yesterday' }, { value: '-7d' }];
};
