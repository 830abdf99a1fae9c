import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call, platform } = useTools();

it('marks a moment on scenarios by name and monitorings by id', async () => {
  const event = {
    key: 'release-9',
    text: 'Release 9',
    date: '2026-11-20T11:30+02:00',
    monitorings: [7, 8],
    scenarios: ['checkout – mobile', 4104],
  };
  const answer = await call('create_speed_event', event);
  expect(platform().requests.at(-1)?.body).toEqual({ ...event, date: '2026-11-20T11:30:00.000+02:00', scenarios: [4102, 4104] });
  const { events } = await ask('listSpeedEvents', { scenarioId: 4104 });
  expect(events.filter(({ key }) => key === 'release-9')).toMatchObject([{ text: 'Release 9' }]);
  expect(whole(answer)).toMatchSnapshot();
});

it('takes dates of the grammar, planned ones too', async () => {
  const now = await call('create_speed_event', { key: 'now', text: 'Now', date: 'now' });
  expect(now.structured['date']).toBe('2026-11-20T10:00:00.000Z');
  const planned = await call('create_speed_event', { key: 'planned', text: 'Planned', date: '2026-12-01' });
  expect(planned.structured['date']).toBe('2026-12-01T00:00:00.000Z');
});

it('says of an event on nothing that no chart shows it', async () => {
  const { text } = await call('create_speed_event', { key: 'nowhere', text: 'Nowhere', date: 'yesterday 18:00' });
  expect(text).toContain('the chart of none shows it. An event cannot be changed; delete_speed_event {"key":"nowhere"} removes it');
});
