import { expect, test } from 'vitest';
import type { ApiEvent } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations/index.ts';
import { json, openClient, openStub, payload } from '../support/stub-platform.ts';

const { listSegments } = operations;

/** The events in a line each, without durations. */
function words(events: readonly ApiEvent[]): string[] {
  return events.map((event) => {
    if (event.type === 'token') return event.kept ? 'kept token' : 'new token';
    if (event.type === 'slot') return 'slot';
    const { operation, attempt, outcome, status } = event;
    return [`${operation.method} ${operation.path}`, attempt, outcome, status].filter((part) => part !== undefined).join(' ');
  });
}

test('tells of every request, token and turn, the call of its own and the client of all', async () => {
  const stub = await openStub({ answers: [json(503, { success: false }), payload([])] });
  const all: ApiEvent[] = [];
  const own: ApiEvent[] = [];
  const client = openClient(stub, { observe: (event) => void all.push(event) });
  await client.call(listSegments, {}, { observe: (event) => void own.push(event) });
  await client.call(listSegments, { ids: [1] });
  const first = ['new token', 'slot', 'GET /v1/segments 1 down 503', 'slot', 'GET /v1/segments 2 ok 200'];
  expect(words(own)).toEqual(first);
  expect(words(all)).toEqual([
    'POST /v1/oauth/me 1 ok 200',
    'POST /v1/oauth/token 1 ok 200',
    ...first,
    'kept token',
    'slot',
    'GET /v1/segments 1 ok 200',
  ]);
});
