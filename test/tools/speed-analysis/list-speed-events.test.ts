import { expect, it } from 'vitest';
import { SHOP_NOTE } from '../../support/assistant.ts';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();

it('lists the events', async () => {
  const answer = await call('list_speed_events');
  const { events } = await ask('listSpeedEvents');
  expect(answer.structured).toEqual({ events, notes: [SHOP_NOTE] });
  expect(whole(answer)).toMatchSnapshot();
});

it('narrows them by date, scenario and key', async () => {
  const { events } = await ask('listSpeedEvents');
  const recent = await call('list_speed_events', { dateFrom: '-14d' });
  const since = Date.parse('2026-11-06T00:00:00Z');
  const isoOf = (date: unknown) => Date.parse(String(date).replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  expect(recent.structured['events']).toEqual(events.filter(({ date }) => isoOf(date) > since));
  expect(recent.text).toContain('2026-11-06 00:00 … 2026-11-20 10:00');

  const key = events[0]?.key;
  expect((await call('list_speed_events', { key })).structured['events']).toEqual([events[0]]);
  const ofScenario = await call('list_speed_events', { scenarioId: 'Search – desktop' });
  expect(ofScenario.structured['events']).toEqual((await ask('listSpeedEvents', { scenarioId: 4106 })).events);
});
