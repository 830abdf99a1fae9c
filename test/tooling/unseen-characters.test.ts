import { expect, it, onTestFinished } from 'vitest';
import { openAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { whileTimePasses } from '../support/pass-time.ts';
import { json, openStub, payload, type Stub } from '../support/stub-platform.ts';

const platform = sharedPlatform();

/** Reads "Check‮out" as a person sees it, and carries a bell, a zero-width space and text in tags. */
const HOSTILE = 'Check\u202Eout\u200B \u0007now\u{E0049}';
const SEEN = 'Checkout now';
const UNSEEN = /\p{Cc}|\\u0007|[\u200B\u202E\u{E0049}]/u;

const byTarget: Readonly<Record<string, unknown>> = {
  '/v1/segments': [{ id: 1, name: HOSTILE, source: 'USER', createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' }],
  '/v1/exports': [{ jobId: 3, name: HOSTILE, state: 'ACTIVE', format: 'CSV', scope: 'sessions', frequency: 'daily' }],
};
const scenarios = { success: true, scenarios: [{ id: 5, name: HOSTILE }] };

/** A platform whose names and refusals hold what is not seen. */
const answer: Stub['answers'][number] = (response, request) => {
  const [path = ''] = request.target.replace(/^\/eu/, '').split('?');
  if (path.endsWith('scenario/list')) return json(200, { ...scenarios, payload: scenarios })(response, request);
  const known = byTarget[path];
  if (known) return payload(known)(response, request);
  return json(400, { success: false, errorMessage: `Not like this: ${HOSTILE}`, errorCode: 'VALIDATION_ERROR' })(response, request);
};

async function openScene() {
  const stub = await openStub({ answers: [answer] });
  const assistant = await openAssistant({ ...platform(), authUrl: stub.url }, { defaultProjectId: 7 });
  onTestFinished(() => assistant.close());
  return assistant;
}

it.each([
  ['list_segments', {}],
  ['list_scenarios', {}],
  ['list_export_jobs', {}],
  ['find_objects', { text: 'checkout' }],
  ['list_goals', {}],
])('names and error texts of %s are shown without characters that nobody sees', async (tool, args) => {
  const assistant = await openScene();
  const answered = await whileTimePasses(platform().clock, assistant.call(tool, args));
  const shown = JSON.stringify([answered.text, answered.structured, answered.links]);
  expect(shown).toContain(SEEN);
  expect(shown).not.toMatch(UNSEEN);
});

it('names that are listed as resources or proposed while a person types are clean too, and find what they name', async () => {
  const assistant = await openScene();
  const { resources } = await whileTimePasses(platform().clock, assistant.client.listResources());
  const { completion } = await whileTimePasses(
    platform().clock,
    assistant.client.complete({ ref: { type: 'ref/prompt', name: 'explain_slow_page' }, argument: { name: 'scenario', value: 'check' } }),
  );
  expect(completion.values).toEqual([SEEN]);
  expect(JSON.stringify(resources)).toContain(SEEN);
  expect(JSON.stringify(resources)).not.toMatch(UNSEEN);
  const { text } = await whileTimePasses(platform().clock, assistant.call('list_speed_events', { scenarioId: SEEN }));
  expect(text).not.toContain('there is no scenario');
});
