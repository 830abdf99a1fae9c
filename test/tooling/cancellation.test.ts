import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { type Assistant, type AssistantOptions, ownAssistant } from '../support/assistant.ts';
import { sharedPlatform } from '../support/emulator.ts';
import { type Arrived, openStub, payload, type Stub } from '../support/stub-platform.ts';

const platform = sharedPlatform();

/** Requests that are held without an answer, in the order of arrival. */
function createHold() {
  const held: { request: Arrived; response: ServerResponse; gone: Promise<void> }[] = [];
  const waiting: { count: number; resolve: () => void }[] = [];
  return {
    held,
    answer: (response: ServerResponse, request: Arrived): void => {
      const gone = new Promise<void>((resolve) => {
        response.once('close', resolve);
      });
      held.push({ request, response, gone });
      for (const { count, resolve } of waiting) if (held.length >= count) resolve();
    },
    /** Resolves when so many requests have arrived. */
    arrived: (count: number) =>
      new Promise<void>((resolve) => {
        if (held.length >= count) resolve();
        else waiting.push({ count, resolve });
      }),
  };
}

interface Scene {
  readonly stub: Stub;
  readonly hold: ReturnType<typeof createHold>;
  readonly assistant: Assistant;
  /** Starts a call that its own controller can abort. */
  readonly start: (tool?: string, args?: Record<string, unknown>) => { controller: AbortController; outcome: Promise<unknown> };
}

/** An assistant on a platform that holds every operation. */
async function openScene(options: AssistantOptions = {}): Promise<Scene> {
  const hold = createHold();
  const stub = await openStub({ answers: [hold.answer] });
  const assistant = await ownAssistant({ ...platform(), authUrl: stub.url }, { defaultProjectId: 7, ...options });
  return {
    stub,
    hold,
    assistant,
    start(tool = 'list_goals', args = {}) {
      const controller = new AbortController();
      const outcome = assistant.client
        .callTool({ name: tool, arguments: args }, { signal: controller.signal })
        .then(({ isError, content }) => ({ isError, content }))
        .catch((error: unknown) => error);
      return { controller, outcome };
    },
  };
}

const stop = new Error('The person pressed stop');
const range = { startDate: '2026-11-01', endDate: '2026-11-02' };
const event = { key: 'k', text: 't', date: '2026-11-01' };
const job = { name: 'n', format: 'CSV', frequency: { value: 'daily' }, fields: [{ fieldName: 'a' }], deviceLabel: 'all', confirm: true };

it.each([
  ['list_scenarios', {}],
  ['create_speed_event', event],
  ['list_export_jobs', {}],
  ['create_export_job', job],
  ['list_segments', {}],
  ['get_site_visits', range],
])('an abort of the caller ends the request of %s at once, and it is not sent again', async (tool, args) => {
  const { hold, stub, start } = await openScene();
  const { controller, outcome } = start(tool, args);
  await hold.arrived(1);
  controller.abort(stop);
  await hold.held[0]?.gone;
  expect(await outcome).toBeInstanceOf(Error);
  expect(stub.calls).toHaveLength(1);
});

it('an abort of the caller ends the read of a resource', async () => {
  const { hold, assistant } = await openScene();
  const controller = new AbortController();
  const reading = assistant.client
    .readResource({ uri: 'analytics://7/scenarios/1' }, { signal: controller.signal })
    .catch((error: unknown) => error);
  await hold.arrived(1);
  controller.abort(stop);
  await hold.held[0]?.gone;
  expect(await reading).toBeInstanceOf(Error);
});

it('an abort of the caller ends the wait for a token, and spares the token for whoever waits too', async () => {
  const { hold, stub, start } = await openScene();
  const { token } = stub;
  stub.token = hold.answer;
  stub.answers = [payload([])];
  const [impatient, patient] = [start(), start('list_segments')];
  await hold.arrived(1);
  impatient.controller.abort(stop);
  expect(await impatient.outcome).toBeInstanceOf(Error);
  const [held] = hold.held;
  if (held) token(held.response, held.request);
  expect(await patient.outcome).toMatchObject({ isError: undefined });
  expect([stub.tokenRequests.length, stub.calls.length]).toEqual([1, 1]);
});

describe('a deadline', () => {
  const givenUp = { isError: true, content: [{ text: expect.stringMatching(/(given up after|No answer within) 250 ms/) }] };

  it('holds for calls that hang and for those that wait behind them', async () => {
    const { stub, start } = await openScene({ timeoutMs: 250 });
    const started = performance.now();
    const calls = Array.from({ length: 12 }, () => start());
    expect(await Promise.all(calls.map(({ outcome }) => outcome))).toMatchObject(calls.map(() => givenUp));
    expect(performance.now() - started).toBeLessThan(2_000);
    // A read that met silence may have been sent a second time.
    expect(stub.calls.length).toBeLessThanOrEqual(2 * calls.length);
  });

  it('of the whole call holds over all its requests: 40 s, however long one may take', async () => {
    const { hold, stub, start } = await openScene({ timeoutMs: 30_000 });
    const goals = payload([{ id: 5, name: 'Order', type: 'url', createdAt: '2026-01-01T00:00:00Z', updatedAt: '2026-01-01T00:00:00Z' }]);
    stub.answers = [
      (response, request) => {
        platform().clock.jump(39_900);
        goals(response, request);
      },
      hold.answer,
    ];
    const started = performance.now();
    const { outcome } = start('get_site_conversions', { ...range, goalId: 'Order' });
    try {
      expect(await outcome).toMatchObject({
        isError: true,
        content: [{ text: expect.stringMatching(/^The time that one call may take was over before it had read all that it needs/) }],
      });
    } finally {
      platform().clock.jump(-39_900);
    }
    expect(performance.now() - started).toBeLessThan(5_000);
    expect(hold.held.map(({ request }) => request.target.split('?')[0])).toContain('/eu/v1/metrics/site/conversions');
  });
});
