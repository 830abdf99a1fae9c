import { once } from 'node:events';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import type { Platform } from '../../support/emulator.ts';
import { INITIALIZE, openRawSession, ownService, post, sharedService, spokenSignIn } from '../../support/http.ts';
import { times } from '../../support/times.ts';

const service = sharedService();
const url = () => service().url;

const list = { id: 4, method: 'tools/list' };

/** What is in use once the garbage has gone. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

it.each(['../../etc/passwd', '__proto__', 'constructor', '%00', 'x'.repeat(8_000), '2026 local', '*'])(
  'a session id "%s" is an unknown one',
  async (id) => {
    const { status } = await post(url(), list, { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' });
    expect(status).toBe(404);
  },
);

it('a session id cannot be chosen by a client, and is not guessed', async () => {
  expect((await post(url(), INITIALIZE, { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' })).status).toBe(404);
  const ids = await Promise.all(times(20, async () => (await openRawSession(url()))['mcp-session-id']));
  expect(new Set(ids).size).toBe(20);
  for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
});

it('many sessions that are opened and left stay below the cap, cost no more memory than it, and push nobody out', {
  tags: 'nightly',
}, async () => {
  const running = await ownService({ signIn: spokenSignIn, settings: { MAX_SESSIONS: '50' } });
  const own = await openRawSession(running.url, { authorization: 'Bearer anna:read' });
  const attack = async (count: number) => {
    for (let done = 0; done < count; done += 50) {
      await Promise.all(times(50, () => post(running.url, INITIALIZE, { authorization: 'Bearer eve:read' })));
    }
  };
  await attack(200);
  const before = liveBytes();
  await attack(600);
  expect(running.sessions()).toBe(50);
  expect(liveBytes() - before).toBeLessThan(5 * 2 ** 20);
  expect((await post(running.url, list, own)).status).toBe(200);
});

it('many sessions that are opened and left connections without a request are cut', async () => {
  const { url: impatient } = await ownService({ limits: { headersTimeoutMs: 150, requestTimeoutMs: 300, maxConnections: 20 } });
  const { hostname, port } = new URL(impatient);
  const sockets = times(40, () => connect({ host: hostname, port: Number(port) }).on('error', () => undefined));
  await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
  expect((await post(impatient, INITIALIZE)).status).toBe(200);
});

describe('traversal in an id', { tags: 'nightly' }, () => {
  const hostile = [
    '../../v1/oauth/me',
    '..%2f..%2fv1',
    '%2e%2e%2f',
    '1/../../2',
    '..\\..\\windows',
    '1;drop',
    '1%00',
    '/etc/passwd',
    '1?x=y',
    '1#x',
    '-1',
    '1e3',
  ];

  /** Requests to paths that the interface does not have. */
  const strange = ({ requests }: Platform) =>
    requests.filter(({ operation, url: sent }) => operation === undefined || /\.\.|%2e|passwd/i.test(sent.replace(/\?.*/, '')));

  it('of a resource reads nothing and sends nothing that the interface does not have', async () => {
    const { url: to, platform } = service();
    const session = await openRawSession(to);
    const { message } = await post(to, { id: 1, method: 'resources/templates/list' }, session);
    const { resourceTemplates } = (message?.['result'] ?? {}) as { resourceTemplates: { uriTemplate: string }[] };
    const templates = resourceTemplates.filter(({ uriTemplate }) => uriTemplate.includes('{'));
    expect(templates.length).toBeGreaterThan(5);
    platform.requests.length = 0;
    for (const { uriTemplate } of templates) {
      const names = [...uriTemplate.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
      for (const target of names) {
        for (const value of hostile) {
          const uri = uriTemplate.replaceAll(/\{(\w+)\}/g, (_, name: string) => (name === target ? encodeURIComponent(value) : '1201'));
          const answer = await post(to, { id: 2, method: 'resources/read', params: { uri } }, session);
          expect([uri, answer.message]).toEqual([
            uri,
            expect.objectContaining({ error: expect.objectContaining({ code: expect.any(Number) }) }),
          ]);
        }
      }
    }
    expect(strange(platform)).toEqual([]);
  });

  it('of a tool sends nothing that the interface does not have', async () => {
    const { url: to, platform } = service();
    const session = await openRawSession(to);
    const { message } = await post(to, list, session);
    const { tools } = (message?.['result'] ?? {}) as { tools: { name: string; inputSchema: { properties?: Record<string, unknown> } }[] };
    platform.requests.length = 0;
    let tried = 0;
    for (const { name, inputSchema } of tools) {
      const ids = Object.keys(inputSchema.properties ?? {}).filter((key) => /(Id|Ids|key|cursor)$/.test(key));
      for (const key of ids) {
        for (const value of hostile.slice(0, 2)) {
          const params = { name, arguments: { [key]: key.endsWith('Ids') ? [value] : value } };
          const { message: answer } = await post(to, { id: 3, method: 'tools/call', params }, session);
          expect([name, key, answer]).toEqual([
            name,
            key,
            expect.objectContaining({ result: expect.objectContaining({ content: [expect.anything()] }) }),
          ]);
          tried += 1;
        }
      }
    }
    expect(tried).toBeGreaterThan(70);
    expect(strange(platform)).toEqual([]);
  });
});
