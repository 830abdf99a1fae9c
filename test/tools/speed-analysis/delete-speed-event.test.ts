import { expect, it } from 'vitest';
import { useTools, whole } from '../support.ts';

const { ask, call } = useTools();
const keys = async () => (await ask('listSpeedEvents')).events.map(({ key }) => key);

it('shows what it would delete, and deletes what was confirmed', async () => {
  const [first = '', ...others] = await keys();
  const preview = await call('delete_speed_event', { key: first });
  expect(preview.structured['request']).toMatchObject({ path: '/v1/speed-analysis/event/delete', body: { key: first } });
  expect(await keys()).toContain(first);
  const answer = await call('delete_speed_event', { key: first, confirm: true });
  expect(await keys()).toEqual(others);
  expect([whole(preview), whole(answer)].join('\n\n')).toMatchSnapshot();
});

it('says which tool lists the keys', async () => {
  const answer = await call('delete_speed_event', { key: 'no-such-event', confirm: true });
  expect(answer.isError).toBe(true);
  expect(answer.text).toContain('list_speed_events lists what exists.');
});
