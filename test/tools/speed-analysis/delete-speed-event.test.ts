import { expect, it } from 'vitest';
import { refusal, useTools, whole } from '../support.ts';

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

it('shows text, date and scenarios before and after', async () => {
  const twin = { text: 'Release 12: new checkout', date: '2026-11-19T08:00:00Z' };
  await call('create_speed_event', { key: 'r12', ...twin, scenarios: [4101] });
  const again = await call('create_speed_event', { key: 'r12-again', ...twin, scenarios: [4102] });
  expect(again.text).toContain('An equal event was there already: r12.');
  const preview = await call('delete_speed_event', { key: 'r12-again' });
  const about = '"Release 12: new checkout" of 2026-11-19T08:00:00.000Z, on Checkout – mobile';
  expect(preview.structured['notes']).toContain(`Delete the speed event ${about}? It cannot be restored.`);
  const answer = await call('delete_speed_event', { key: 'r12-again', confirm: true });
  expect(answer.structured).toMatchObject({
    key: 'r12-again',
    text: twin.text,
    date: '2026-11-19T08:00:00.000Z',
    scenarios: ['Checkout – mobile'],
  });
});

it.each([true, false])('refuses a key that does not exist, and says which tool lists the keys (confirm: %s)', async (confirm) => {
  const answer = await call('delete_speed_event', { key: 'no-such-event', confirm });
  expect(answer).toMatchObject(refusal(/^There is no speed event with the key "no-such-event"\./));
  expect(answer.text).toContain('list_speed_events lists what exists.');
});
