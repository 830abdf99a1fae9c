import { describe, expect, onTestFinished, test } from 'vitest';
import { type Client, type ClientOptions, createClient } from '../../src/api/client.ts';
import { createLimiter } from '../../src/api/limiter.ts';
import { operations } from '../../src/api/operations/index.ts';
import type { CredentialName } from '../../src/emulator/credentials.ts';
import { HOUR_MS } from '../../src/lib/clock.ts';
import { manualClock } from '../support/clock.ts';
import { START, sharedPlatform } from '../support/emulator.ts';
import { failure } from '../support/failure.ts';

const platform = sharedPlatform();
const { getSiteVisits, listSegments, listScenarios, listExportJobs, createSpeedEvent, listSpeedEvents, sendEnrichments } = operations;
const week = { startDate: '2026-11-01', endDate: '2026-11-08' };

/** A client of the emulator, by default on its clock; a back-off moves that clock on. */
function open(name: CredentialName, options: Partial<ClientOptions> = {}): Client {
  const { authUrl, credentials, clock } = platform();
  const running = { now: () => clock.now(), sleep: (ms: number) => clock.advance(ms) };
  const client = createClient({
    authUrl,
    credential: credentials[name],
    enrichmentCredential: credentials.enrichment,
    neededScopes: ['speed-analysis', 'data-export', 'metrics'],
    timeoutMs: 5_000,
    limiter: createLimiter({ clock: running }),
    sessionId: name,
    clock: running,
    random: () => 0,
    version: '1.2.3',
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

const requestsOf = (operation: string) => platform().requests.filter((request) => request.operation === operation);

describe('credentials', () => {
  test('a project-level one needs no project; its token serves all three families', async () => {
    const client = open('shop');
    expect((await client.call(getSiteVisits, week)).values[0]?.value).toBeGreaterThan(10_000);
    expect((await client.call(listScenarios, {})).scenarios.length).toBeGreaterThan(5);
    expect(await client.call(listExportJobs, { limit: 3 })).toHaveLength(3);
    expect(requestsOf('requestToken')).toHaveLength(1);
    expect(await client.projectId()).toBe(1201);
  });

  test('an account-level one goes where the call or the settings say', async () => {
    const undecided = open('account');
    expect((await failure(undecided.call(listSegments, {}))).message).toContain('1201 (Nordlicht Shop), 1202 (Nordlicht App), 1203');
    const client = open('account', { defaultProjectId: 1203 });
    const [content, app] = await Promise.all([client.call(getSiteVisits, week), client.call(getSiteVisits, week, { projectId: 1202 })]);
    expect(content.values[0]?.value).not.toBe(app.values[0]?.value);
    const asked = requestsOf('getSiteVisits').map(({ url }) => new URL(url, 'http://x').searchParams.get('projectId'));
    expect(new Set(asked)).toEqual(new Set(['1202', '1203']));
  });

  test('one without the scope is refused with what it has', async () => {
    const error = await failure(open('noSpeed').call(listScenarios, {}));
    expect(error.kind).toBe('forbidden');
    expect(error.message).toContain('it has data-export, metrics');
    expect(requestsOf('requestToken')).toEqual([]);
  });

  test('an expired one is refused in the words of the server', async () => {
    const error = await failure(open('expired').call(listSegments, {}));
    expect(error).toMatchObject({ kind: 'unauthorized', code: 'invalid_client' });
    expect(error.message).toContain('The credential expired on');
  });

  test('wrong ones are refused, and the secret is not told', async () => {
    const { clientId, clientSecret } = platform().credentials.shop;
    const wrong = `${clientSecret}x`;
    const error = await failure(open('shop', { credential: { clientId, clientSecret: wrong } }).authenticate());
    expect(error.kind).toBe('unauthorized');
    expect(error.message).not.toContain(clientSecret);
  });

  test('enrichment goes to its own address with its own credential, as form and as JSON', async () => {
    const client = open('shop');
    const record = { userId: '7310224081552637899', sessionNumber: 1, enrichmentNumber: 1, enrichment: { score: 7, call: 'ä & b=+1' } };
    for (const encoding of ['form', 'json'] as const) {
      expect(await client.call(sendEnrichments, { enrichments: [record] }, { encoding })).toEqual({ accepted: 1 });
    }
    const [form, body] = requestsOf('sendEnrichments');
    expect(new URLSearchParams(String(form?.body)).get('enrichments')).toBe(JSON.stringify([record]));
    expect(body?.body).toEqual({ projectId: 1201, enrichments: [record] });
  });
});

describe('tokens', () => {
  test('50 callers at once ask for one', async () => {
    const client = open('shop');
    await Promise.all(Array.from({ length: 50 }, (_, index) => client.call(listSegments, { ids: [index + 1] })));
    expect([requestsOf('requestToken').length, requestsOf('readCredential').length]).toEqual([1, 1]);
    expect(requestsOf('listSegments')).toHaveLength(50);
  });

  test('one that has run out is not sent', async () => {
    const client = open('shop');
    await client.call(listSegments, {});
    await platform().clock.advance(HOUR_MS);
    await client.call(listSegments, {});
    expect([requestsOf('requestToken').length, requestsOf('listSegments').length]).toEqual([2, 2]);
  });

  test.each([
    ['slow', -2 * HOUR_MS],
    ['behind and standing still', 0],
  ])('one that has run out by a clock that is %s is renewed by the answer', async (_, offsetMs) => {
    const clock = manualClock(new Date(Date.parse(START) + offsetMs).toISOString());
    const client = open('shop', { clock });
    await client.call(createSpeedEvent, { key: `a${offsetMs}`, text: 'a', date: '2026-11-19T00:00:00Z' });
    await platform().clock.advance(2 * HOUR_MS);
    await client.call(createSpeedEvent, { key: `b${offsetMs}`, text: 'b', date: '2026-11-19T00:00:00Z' });
    expect([requestsOf('requestToken').length, requestsOf('createSpeedEvent').length]).toEqual([2, 3]);
    const { events } = await client.call(listSpeedEvents, {});
    expect(events.filter(({ key }) => key === `b${offsetMs}`)).toHaveLength(1);
  });
});

describe('limits', () => {
  test('30 calls of 3 sessions stay below what the project allows', async () => {
    const { clock } = platform();
    const limiter = createLimiter({ clock });
    const clients = ['shop', 'account', 'noSpeed'].map((name) =>
      open(name === 'account' ? 'account' : 'shop', { limiter, sessionId: name, defaultProjectId: 1201 }),
    );
    await Promise.all(
      clients.flatMap((client) => [
        // Different questions, because equal ones would be one request.
        ...Array.from({ length: 6 }, (_, index) => client.call(listSegments, { ids: [index + 1] })),
        ...Array.from({ length: 4 }, (_, index) => client.call(listScenarios, { name: `scenario ${index}` })),
      ]),
    );
    // Had the service refused any, it would have been sent again.
    expect([requestsOf('listSegments').length, requestsOf('listScenarios').length]).toEqual([18, 12]);
  });

  test('too many calls of others are waited for', async () => {
    const fault = platform().faults.add({ kind: 'concurrent-call', operation: 'listScenarios', times: 2 });
    await open('shop').call(listScenarios, {});
    expect(fault.applied).toBe(2);
  });
});

describe('a write whose answer is lost', () => {
  test('is sent once, and says that it may have happened', async () => {
    const client = open('shop');
    platform().faults.add({ kind: 'reset', operation: 'createSpeedEvent', afterEffect: true });
    const error = await failure(client.call(createSpeedEvent, { key: 'lost', text: 'x', date: '2026-11-19T00:00:00Z' }));
    expect(error).toMatchObject({ kind: 'down', outcomeUnknown: true });
    expect(requestsOf('createSpeedEvent')).toHaveLength(1);
    const { events } = await client.call(listSpeedEvents, { key: 'lost' });
    expect(events).toHaveLength(1);
  });
});
