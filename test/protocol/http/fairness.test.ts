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
const as = (who: string) => ({ authorization: `Bearer ${who}:read` });
const goals = { name: 'list_goals', arguments: {} };
const callOf = (params: object) => ({ id: 5, method: 'tools/call', params });
const resultOf = (answer: { message: Record<string, unknown> | undefined }) =>
  answer.message?.['result'] as { isError?: boolean; content: { text: string }[] };

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
