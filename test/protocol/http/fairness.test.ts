import { afterEach, expect, it } from 'vitest';
import { openRawSession, openService, post, post2026, type Service, type ServiceOptions, spokenSignIn } from '../../support/http.ts';

let service: Service | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function open(options: ServiceOptions): Promise<Service> {
  service = await openService({ signIn: spokenSignIn, ...options });
  return service;
}

const METRICS_TOKEN = 'metrics-token-0123456789';
const as = (who: string) => ({ authorization: `Bearer ${who}:read` });
const goals = { name: 'list_goals', arguments: {} };
const callOf = (params: object) => ({ id: 5, method: 'tools/call', params });
const resultOf = (answer: { message: Record<string, unknown> | undefined }) =>
  answer.message?.['result'] as { isError?: boolean; content: { text: string }[] };

/** Calls that wait for their turn at the platform. */
async function queueLength({ url }: Service): Promise<number> {
  const response = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  return Number(/^web_analytics_mcp_queue_length (\d+)$/m.exec(await response.text())?.[1]);
}

it('one principal with 127 calls waiting does not hold up another', { tags: 'nightly' }, async () => {
  const running = await open({ settings: { MAX_REQUESTS: '1000', CONCURRENCY: '1', METRICS_TOKEN } });
  const { url, platform } = running;
  const slow = platform.faults.add({ kind: 'slow', operation: 'listSegments' });
  // Different questions, because equal ones would be one request.
  const asking = (name: string, id: number) => ({ name, arguments: { ids: [id + 1] } });
  const sessions = await Promise.all(Array.from({ length: 5 }, () => openRawSession(url, as('greedy'))));
  const greedy = Array.from({ length: 128 }, (_, id) => post(url, { ...callOf(asking('list_segments', id)), id }, sessions[id % 5]));
  while ((await queueLength(running)) < 127);
  const modest = [1, 2, 3].map((id) => post2026(url, 'tools/call', asking('list_mappings', id), as('modest')));
  while ((await queueLength(running)) < 130);
  const before = platform.requests.length;
  slow.release();
  for (const answer of await Promise.all(modest)) expect(resultOf(answer).isError).toBeUndefined();
  await Promise.all(greedy);
  // The first turn is theirs or the next one, and then every second; one request at a time arrives in the order of the turns.
  const turns = platform.requests.slice(before).map(({ operation }) => operation);
  expect(turns).toHaveLength(130);
  expect(turns.slice(0, 6).filter((operation) => operation === 'listMappings')).toHaveLength(3);
});

it('calls beyond the rate limit are told when to come again, those of others go on, and lists are free', async () => {
  const { url, platform } = await open({ settings: { RATE_LIMIT: '6' } });
  const session = await openRawSession(url, as('anna'));
  const call = async () => resultOf(await post(url, callOf(goals), session));
  for (let turn = 0; turn < 5; turn += 1) expect((await call()).isError).toBeUndefined();
  // Both eras and resources count together: they are one caller's.
  expect((await post2026(url, 'resources/read', { uri: 'analytics://reference/limits' }, as('anna'))).message).toHaveProperty('result');
  const requests = platform.requests.length;
  expect(await call()).toEqual({
    isError: true,
    content: [
      {
        type: 'text',
        text:
          'This server takes 6 calls a minute from each caller, and yours are used up; nothing was sent.\nWait 10 seconds, then ' +
          'call again.',
      },
    ],
  });
  const { message } = await post2026(url, 'resources/read', { uri: 'analytics://reference/limits' }, as('anna'));
  expect(message).toMatchObject({ error: { message: expect.stringMatching(/6 calls a minute .* Wait 10 seconds, then read again\.$/) } });
  expect(platform.requests.length).toBe(requests);
  expect((await post(url, { id: 6, method: 'tools/list' }, session)).message).toHaveProperty('result');
  expect(resultOf(await post2026(url, 'tools/call', goals, as('ben'))).isError).toBeUndefined();
  await platform.clock.advance(10_000);
  expect((await call()).isError).toBeUndefined();
  expect((await call()).isError).toBe(true);
});
