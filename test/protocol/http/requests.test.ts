import { describe, expect, it, vi } from 'vitest';
import { callOf, HEADERS, openRawSession, openStream, ownService, post, post2026, send, spokenSignIn } from '../../support/http.ts';

const as = (who: string) => ({ authorization: `Bearer ${who}` });
const list = { id: 4, method: 'tools/list' };

describe('requests of one session', () => {
  it('that have the same id at the same time are refused, because one would get the answer of the other', async () => {
    const { url, platform } = await ownService();
    const session = await openRawSession(url);
    const held = platform.faults.add({ kind: 'slow', operation: 'listGoals', times: 1 });
    const first = post(url, callOf('list_goals'), session);
    await held.reached();
    const second = await post(url, callOf('list_segments'), session);
    expect([second.status, second.message]).toEqual([400, expect.objectContaining({ error: expect.objectContaining({ code: -32_600 }) })]);
    const twice = JSON.stringify([1, 1].map((id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
    expect((await send(url, { method: 'POST', headers: { ...HEADERS, ...session }, body: twice })).status).toBe(400);
    held.release();
    expect((await first).message).toHaveProperty('result.structuredContent.goals');
    expect((await post(url, callOf('list_segments'), session)).message).toHaveProperty('result.structuredContent.segments');
  });

  it('that are given up leave no stream behind', { tags: 'nightly' }, async () => {
    const { url, platform } = await ownService();
    const session = await openRawSession(url);
    const held = platform.faults.add({ kind: 'hang', operation: 'listGoals' });
    const call = post(url, callOf('list_goals'), session);
    await held.reached();
    await post(url, { method: 'notifications/cancelled', params: { requestId: callOf('').id } }, session);
    expect(await call).toMatchObject({ status: 200, message: undefined });
  });
});

it('requests in work are limited for all and for each principal, and say when to come again', { tags: 'nightly' }, async () => {
  const { url, platform } = await ownService({ signIn: spokenSignIn, settings: { MAX_REQUESTS: '4' } });
  const held = platform.faults.add({ kind: 'slow', operation: 'listSegments', times: 4 });
  let id = 0;
  // Each another question, because equal ones would be one request.
  const ask = (who: string) => post2026(url, 'tools/call', { name: 'list_segments', arguments: { ids: [(id += 1)] } }, as(`${who}:read`));
  const calls = ['anna', 'ben', 'carl', 'dora'].map((who, index) => ({ who, index, answer: ask(who) }));
  await held.reached(4);
  const [greedy, late] = [await ask('anna'), await ask('emil')];
  expect([late.status, late.headers.get('retry-after')]).toEqual([503, '1']);
  expect(greedy.status).toBe(503);
  held.release();
  for (const { answer } of calls) expect((await answer).status).toBe(200);
  const again = platform.faults.add({ kind: 'slow', operation: 'listSegments' });
  const own = ask('anna');
  await again.reached();
  const second = ask('anna');
  await again.reached(2);
  expect((await ask('anna')).status).toBe(429);
  again.release();
  for (const answer of await Promise.all([own, second])) expect(answer.status).toBe(200);
});

it('a batch takes as many places as it asks for', async () => {
  const { url } = await ownService({ settings: { MAX_REQUESTS: '4' } });
  const session = await openRawSession(url);
  const batch = (count: number) => JSON.stringify(Array.from({ length: count }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
  const statusOf = async (count: number) =>
    (await send(url, { method: 'POST', headers: { ...HEADERS, ...session }, body: batch(count) })).status;
  expect([await statusOf(5), await statusOf(4)]).toEqual([503, 200]);
});

describe('a principal without the scope write', () => {
  const reader = as('rita:read');

  it('is listed the reading tools, and told by a writing one what it lacks', { tags: 'nightly' }, async () => {
    const { url, platform } = await ownService({ signIn: spokenSignIn });
    const session = await openRawSession(url, reader);
    const namesFor = async (answer: ReturnType<typeof post>) => {
      const listed = (await answer).message?.['result'] as { tools: { name: string; annotations: { readOnlyHint: boolean } }[] };
      return listed.tools.map(({ name, annotations }) => `${name}${annotations.readOnlyHint ? '' : ' writes'}`);
    };
    const all = await namesFor(post(url, list, await openRawSession(url, as('anna:read+write'))));
    // What only fetches to the disk of the server stays.
    const shown = all.filter((name) => !name.endsWith(' writes') || /^(sync_exports|download_export_run) /.test(name));
    expect(shown.length).toBeLessThan(all.length);
    expect(await namesFor(post(url, list, session))).toEqual(shown);
    expect(await namesFor(post2026(url, 'tools/list', {}, reader))).toEqual(shown);
    expect((await post(url, callOf('list_goals'), session)).message).toHaveProperty('result.structuredContent.goals');
    const write = callOf('create_speed_event', { text: 'Release', date: '2026-11-19', key: 'of rita' });
    for (const answer of [await post(url, write, session), await post2026(url, 'tools/call', { ...write.params }, reader)]) {
      expect([answer.status, answer.message?.['result']]).toEqual([200, expect.objectContaining({ isError: true })]);
    }
    expect([...platform.world.speed.eventsOf(1201).keys()]).not.toContain('of rita');
  });

  it('may write with the next token, in the same session', async () => {
    const { url, platform } = await ownService({ signIn: spokenSignIn });
    const session = await openRawSession(url, reader);
    const write = callOf('create_speed_event', { text: 'Release', date: '2026-11-19', key: 'of rita' });
    expect((await post(url, write, { ...session, ...as('rita:read+write') })).message).toHaveProperty('result.structuredContent');
    expect([...platform.world.speed.eventsOf(1201).keys()]).toContain('of rita');
  });
});

it('the end of the server lets a running call finish, takes nothing new, and closes the streams', { tags: 'nightly' }, async () => {
  const running = await ownService();
  const { url, platform } = running;
  const session = await openRawSession(url);
  const stream = await openStream(url, session, AbortSignal.timeout(10_000));
  const held = platform.faults.add({ kind: 'slow', operation: 'listSegments' });
  const other = { name: 'list_segments', arguments: { ids: [1] } };
  const calls = [post(url, callOf('list_segments'), session), post2026(url, 'tools/call', other)];
  await held.reached(2);
  const ended = running.stop();
  const late = await post(url, list, session).then(
    ({ status }) => status,
    () => 'no connection',
  );
  expect([503, 'no connection']).toContain(late);
  held.release();
  for (const { message } of await Promise.all(calls)) expect(message).toHaveProperty('result.structuredContent.segments');
  expect(await stream.text()).toBe('');
  await ended;
  expect(running.sessions()).toBe(0);
});

it('the end of the server waits ten seconds for a call that hangs, not longer', { tags: 'nightly' }, async () => {
  const running = await ownService();
  const { url, platform } = running;
  const held = platform.faults.add({ kind: 'hang', operation: 'listGoals' });
  const call = post(url, callOf('list_goals'), await openRawSession(url)).then(
    ({ message }) => message,
    () => undefined,
  );
  await held.reached();
  const isOver = vi.fn<() => void>();
  const ended = running.stop().finally(isOver);
  await platform.clock.advance(9_000);
  expect(isOver).not.toHaveBeenCalled();
  await platform.clock.advance(1_000);
  await ended;
  expect(await call).toBeUndefined();
});
