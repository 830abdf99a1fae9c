import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

const msOf = (date: unknown) => Date.parse(String(date).replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));

/** Events as they are listed: dates in one spelling, where the platform mixes three, and scenarios, which it says only of each scenario. */
async function asListed(events: readonly { readonly key: string; readonly date?: unknown }[]) {
  const { scenarios } = await ask('listScenarios');
  const placed: { name: string; on: readonly { readonly key: string }[] }[] = [];
  for (const { id, name } of scenarios)
    placed.push({ name: name ?? '', on: (await ask('listSpeedEvents', { scenarioId: Number(id) })).events });
  return events.map((event) => ({
    ...event,
    date: new Date(msOf(event.date)).toISOString(),
    scenarios: placed.flatMap(({ name, on }) => (on.some(({ key }) => key === event.key) ? [name] : [])),
  }));
}

it('lists the events', async () => {
  const answer = await call('list_speed_events');
  const { events } = await ask('listSpeedEvents');
  expect(answer.structured).toEqual({ events: await asListed(events), notes: [SHOP_NOTE] });
  expect(whole(answer)).toMatchSnapshot();
});

it('narrows them by date, scenario and key', async () => {
  const { events } = await ask('listSpeedEvents');
  const recent = await call('list_speed_events', { dateFrom: '-14d' });
  const since = Date.parse('2026-11-06T00:00:00Z');
  expect(recent.structured['events']).toEqual(await asListed(events.filter(({ date }) => msOf(date) > since)));
  expect(recent.text).toContain('2026-11-06T00:00Z … 2026-11-20T10:00Z');

  const [first] = events;
  if (!first) throw new Error('The platform has no events.');
  expect((await call('list_speed_events', { key: first.key })).structured['events']).toEqual(await asListed([first]));
  const ofScenario = await call('list_speed_events', { scenarioId: 'Search – desktop' });
  // The scenarios of each event would cost a request each.
  const own = await asListed((await ask('listSpeedEvents', { scenarioId: 4106 })).events);
  expect(ofScenario.structured['events']).toEqual(own.map(({ scenarios: _, ...event }) => event));
});
