import { fold } from '../domain/names/match-name.ts';
import { DAY_MS } from '../lib/clock.ts';
import { recentReports, scenariosOf } from '../resources/variables.ts';
import type { Completer, CompletionContext } from '../tooling/resource.ts';

/** Events that are proposed; older ones are typed. */
const EVENT_DAYS = 60;
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

/** Names of one kind of objects, found by id too; tools take names. */
function objects(kind: 'segment' | 'goal'): Completer {
  return async ({ session, projectId, ask }) => {
    const all = await session.names.list(kind, await projectId(), ask);
    return all.map(({ id, path }) => ({ value: path.join(' / '), words: String(id) }));
  };
}

/** Names of the project's segments. */
export const segment = objects('segment');
/** Names of the project's goals. */
export const goal = objects('goal');
/** Metrics of the site, found by what a person calls them too. */
export const metric: Completer = async () => {
  const { nameOf, siteMetricNames } = await import('../domain/metrics/metric-definitions.ts');
  return siteMetricNames.map((name) => ({ value: name, words: nameOf(name) }));
};
/** Periods that come to mind. */
export const period: Completer = () =>
  ['last_week', 'this_week', 'last_month', 'this_month', '-7d', '-28d', 'yesterday'].map((value) => ({ value }));

/** The bounds of a period as a person writes it: one date, a number of days up to yesterday, or two dates with "to" between them. */
export function boundsOf(text = 'last_week'): { startDate: string; endDate: string } {
  const [startDate = '', endDate] = text.split(/ to | – | … /).map((each) => each.trim());
  return { startDate, endDate: endDate ?? (startDate.startsWith('-') ? 'yesterday' : startDate) };
}

/** Names of the project's export jobs, found by id too. */
export const exportJob: Completer = async ({ session, projectId, ask }) => {
  const jobs = await session.names.list('export job', await projectId(), ask);
  return jobs.map(({ id, path }) => ({ value: path.at(-1) ?? '', words: String(id) }));
};

/** Usual wishes, with the project's own custom variables. */
export const exportWish: Completer = async ({ session, projectId, ask }) => {
  const { listCustomVariables } = await import('../api/operations/data-export.ts');
  const variables = await session.names.remembered(await projectId(), ask)(listCustomVariables, {});
  const keys = variables.flatMap(({ key }) => (key ? [key] : []));
  return [
    { value: 'daily JSONL session export with browser, device and revenue' },
    ...keys.map((key) => ({ value: `daily JSONL session export with browser, device, revenue and custom variable "${key}"`, words: key })),
    { value: 'hourly session export with device, views, transactions and revenue' },
    { value: 'once, page views of last week with path, rage clicks and errors' },
  ];
};
