import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('lists the events', async () => {
  const answer = await call('list_speed_events');
  const { events } = await ask('listSpeedEvents');
  const listed = answer.structured['events'] as { key: string; date: string; scenarios: string[] }[];
  expect(listed.map(({ key }) => key)).toEqual(events.map(({ key }) => key));
  // One spelling of dates, where the platform mixes three; and the scenarios, which it says only of each scenario.
  for (const { date } of listed) expect(date).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.000Z$/);
  const { scenarios } = await ask('listScenarios');
  for (const { id, name } of scenarios) {
    const on = (await ask('listSpeedEvents', { scenarioId: Number(id) })).events.map(({ key }) => key);
    expect(listed.filter((event) => event.scenarios.includes(name)).map(({ key }) => key)).toEqual(on);
  }
  expect(answer.structured['notes']).toEqual([SHOP_NOTE]);
  expect(whole(answer)).toMatchSnapshot();
});

it('narrows them by date, scenario and key', async () => {
  const { events } = await ask('listSpeedEvents');
  const recent = await call('list_speed_events', { dateFrom: '-14d' });
  const since = Date.parse('2026-11-06T00:00:00Z');
  const isoOf = (date: unknown) => Date.parse(String(date).replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  expect(recent.structured['events']).toMatchObject(events.filter(({ date }) => isoOf(date) > since).map(({ key }) => ({ key })));
  expect(recent.text).toContain('2026-11-06 00:00 … 2026-11-20 10:00');

  const key = events[0]?.key;
  expect((await call('list_speed_events', { key })).structured['events']).toMatchObject([{ key, text: events[0]?.text }]);
  const ofScenario = await call('list_speed_events', { scenarioId: 'Search – desktop' });
  expect(ofScenario.structured['events']).toMatchObject(
    (await ask('listSpeedEvents', { scenarioId: 4106 })).events.map(({ key: own }) => ({ key: own })),
  );
});
