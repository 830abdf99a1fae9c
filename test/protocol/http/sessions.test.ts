import { describe, expect, it } from 'vitest';
import { MINUTE_MS } from '../../../src/lib/clock.ts';
import {
  callOf,
  HEADERS,
  INITIALIZE,
  openRawSession,
  openStream,
  ownService,
  post,
  post2026,
  type Service,
  send,
  spokenSignIn,
} from '../../support/http.ts';
import { until } from '../../support/until.ts';

const as = (who: string) => ({ authorization: `Bearer ${who}` });
const anna = as('anna:read+write');
const ben = as('ben:read+write');

const list = { id: 4, method: 'tools/list' };

/** Requests for a token that reached the authentication server. */
const tokenRequests = ({ platform }: Service) => platform.requests.filter(({ operation }) => operation === 'requestToken').length;

describe('a session of the 2025 era', () => {
  it('answers nobody but the principal that opened it', async () => {
    const { url } = await ownService({ signIn: spokenSignIn });
    const session = await openRawSession(url, anna);
    expect((await post(url, list, session)).status).toBe(200);
    for (const method of ['POST', 'GET', 'DELETE'] as const) {
      const stolen = await send(url, {
        method,
        headers: { ...HEADERS, ...session, ...ben },
        ...(method === 'POST' && { body: JSON.stringify({ jsonrpc: '2.0', ...list }) }),
      });
      expect([stolen.status, stolen.message]).toEqual([
        404,
        expect.objectContaining({ error: expect.objectContaining({ code: -32_001 }) }),
      ]);
      expect(JSON.stringify(stolen.message)).not.toContain(session['mcp-session-id']);
    }
    expect((await post(url, list, session)).status).toBe(200);
  });

  it('is told apart from one that never was by nothing', async () => {
    const { url } = await ownService({ signIn: spokenSignIn });
    const session = await openRawSession(url, anna);
    const never = { ...session, 'mcp-session-id': crypto.randomUUID() };
    const [stolen, unknown] = await Promise.all([post(url, list, { ...session, ...ben }), post(url, list, never)]);
    expect(stolen.message).toEqual(unknown.message);
    expect(stolen.status).toBe(unknown.status);
  });

  it('ends when its client deletes it, and its token is forgotten', async () => {
    const running = await ownService();
    const { url } = running;
    const session = await openRawSession(url);
    expect((await post(url, callOf('list_goals'), session)).message).toHaveProperty('result.structuredContent.goals');
    await post(url, callOf('list_goals'), session);
    expect(tokenRequests(running)).toBe(1);
    expect((await send(url, { method: 'DELETE', headers: session })).status).toBe(200);
    expect((await post(url, list, session)).status).toBe(404);
    expect(running.sessions()).toBe(0);
    await post(url, callOf('list_goals'), await openRawSession(url));
    expect(tokenRequests(running)).toBe(2);
  });

  it('ends after half an hour without a request, not sooner', async () => {
    const running = await ownService();
    const { url, platform } = running;
    const session = await openRawSession(url);
    await platform.clock.advance(29 * MINUTE_MS);
    expect((await post(url, list, session)).status).toBe(200);
    await platform.clock.advance(29 * MINUTE_MS);
    expect(running.sessions()).toBe(1);
    await platform.clock.advance(2 * MINUTE_MS);
    expect(running.sessions()).toBe(0);
    expect((await post(url, list, session)).status).toBe(404);
  });

  it('does not end while its stream is open', async () => {
    const running = await ownService();
    const { url, platform } = running;
    const session = await openRawSession(url);
    const leaving = new AbortController();
    expect((await openStream(url, session, leaving.signal)).status).toBe(200);
    await platform.clock.advance(120 * MINUTE_MS);
    expect((await post(url, list, session)).status).toBe(200);
    leaving.abort();
    await until(async () => {
      await platform.clock.advance(31 * MINUTE_MS);
      return running.sessions() === 0;
    });
  });

  it('does not begin with anything but initialize, nor when that is refused', async () => {
    const running = await ownService();
    const { url } = running;
    expect((await post(url, list)).status).toBe(400);
    const two = JSON.stringify([INITIALIZE, list].map((message) => ({ jsonrpc: '2.0', ...message })));
    expect((await send(url, { method: 'POST', headers: HEADERS, body: two })).status).toBe(400);
    expect((await post(url, { ...INITIALIZE, params: { clientInfo: 5 } })).message).toHaveProperty('error');
    expect(running.sessions()).toBe(0);
  });
});

it('what the 2026-07-28 era keeps between requests is one token and one set of names for each principal', async () => {
  const running = await ownService({ signIn: spokenSignIn });
  const goals = (who: Record<string, string>) => post2026(running.url, 'tools/call', { name: 'list_goals', arguments: {} }, who);
  for (const who of [anna, anna, ben, anna]) expect((await goals(who)).message).toHaveProperty('result.structuredContent.goals');
  expect(tokenRequests(running)).toBe(2);
  expect(running.sessions()).toBe(2);
  await running.platform.clock.advance(31 * MINUTE_MS);
  expect(running.sessions()).toBe(0);
  await goals(anna);
  expect(tokenRequests(running)).toBe(3);
});

it('what the 2026-07-28 era keeps between requests cannot be reached as a session', async () => {
  const running = await ownService({ signIn: spokenSignIn });
  await post2026(running.url, 'tools/list', {}, anna);
  const guessed = { ...anna, 'mcp-session-id': '2026 anna', 'mcp-protocol-version': '2025-11-25' };
  expect((await post(running.url, list, guessed)).status).toBe(404);
  expect((await send(running.url, { method: 'DELETE', headers: guessed })).status).toBe(404);
  expect(running.sessions()).toBe(1);
});

it('the cap on sessions ends the longest idle session of whoever holds the most', async () => {
  const { url } = await ownService({ signIn: spokenSignIn, settings: { MAX_SESSIONS: '4' } });
  const bens = await openRawSession(url, ben);
  const annas: Record<string, string>[] = [];
  for (let count = 0; count < 3; count += 1) annas.push(await openRawSession(url, anna));
  // The first is used again: the second is the longest idle one now.
  await post(url, list, annas[0]);
  annas.push(await openRawSession(url, anna));
  const statuses = await Promise.all([bens, ...annas].map(async (session) => (await post(url, list, session)).status));
  expect(statuses).toEqual([200, 200, 404, 200, 200]);
});

it('the cap on sessions spares sessions in use, and says when there is no room', async () => {
  const { url } = await ownService({ signIn: spokenSignIn, settings: { MAX_SESSIONS: '2' } });
  const leaving = new AbortController();
  for (const who of [anna, ben]) await openStream(url, await openRawSession(url, who), leaving.signal);
  const refused = await post(url, INITIALIZE, as('carl:read'));
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  leaving.abort();
  await until(async () => (await post(url, INITIALIZE, as('carl:read'))).status === 200);
});

it('the cap on sessions does not let one principal keep all others out by holding streams', async () => {
  const { url } = await ownService({ signIn: spokenSignIn, settings: { MAX_SESSIONS: '5' } });
  const leaving = new AbortController();
  for (let count = 0; count < 5; count += 1) await openStream(url, await openRawSession(url, anna), leaving.signal);
  const bens = await openRawSession(url, ben);
  expect((await post(url, list, bens)).status).toBe(200);
  leaving.abort();
});

it('a stream ends when what its caller has proved ends', async () => {
  const { url, platform } = await ownService({ signIn: spokenSignIn });
  const expiring = as(`anna:read@${platform.clock.now() + 10 * MINUTE_MS}`);
  const stream = await openStream(url, await openRawSession(url, expiring), AbortSignal.timeout(10_000));
  let isOpen = true;
  const over = stream.text().then(
    () => 'ended',
    () => {
      isOpen = false;
      return 'cut';
    },
  );
  await platform.clock.advance(9 * MINUTE_MS);
  expect(isOpen).toBe(true);
  await platform.clock.advance(MINUTE_MS);
  expect(await over).toBe('cut');
});
