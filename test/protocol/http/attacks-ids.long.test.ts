import { once } from 'node:events';
import { connect } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, it } from 'vitest';
import { INITIALIZE, openRawSession, ownService, post, sharedService, spokenSignIn } from '../../support/http.ts';

const service = sharedService();
const url = () => service().url;

const list = { id: 4, method: 'tools/list' };

/** What is in use once the garbage has gone. */
function liveBytes(): number {
  setFlagsFromString('--expose-gc');
  (runInNewContext('gc') as () => void)();
  return process.memoryUsage().heapUsed;
}

describe('a session id', () => {
  it.each(['../../etc/passwd', '__proto__', 'constructor', '%00', 'x'.repeat(8_000), '2026 local', '*'])(
    '"%s" is an unknown one',
    async (id) => {
      const { status } = await post(url(), list, { 'mcp-session-id': id, 'mcp-protocol-version': '2025-11-25' });
      expect(status).toBe(404);
    },
  );

  it('cannot be chosen by a client, and is not guessed', async () => {
    expect((await post(url(), INITIALIZE, { 'mcp-session-id': '00000000-0000-4000-8000-000000000000' })).status).toBe(404);
    const ids = await Promise.all(Array.from({ length: 20 }, async () => (await openRawSession(url()))['mcp-session-id']));
    expect(new Set(ids).size).toBe(20);
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  });
});

describe('many sessions that are opened and left', () => {
  it('stay below the cap, cost no more memory than it, and push nobody out', { tags: 'nightly' }, async () => {
    const running = await ownService({ signIn: spokenSignIn, settings: { MAX_SESSIONS: '50' } });
    const own = await openRawSession(running.url, { authorization: 'Bearer anna:read' });
    const attack = async (count: number) => {
      for (let done = 0; done < count; done += 50) {
        await Promise.all(Array.from({ length: 50 }, () => post(running.url, INITIALIZE, { authorization: 'Bearer eve:read' })));
      }
    };
    await attack(200);
    const before = liveBytes();
    await attack(600);
    expect(running.sessions()).toBe(50);
    expect(liveBytes() - before).toBeLessThan(5 * 2 ** 20);
    expect((await post(running.url, list, own)).status).toBe(200);
  });

  it('connections without a request are cut', async () => {
    const { url: impatient } = await ownService({ limits: { headersTimeoutMs: 150, requestTimeoutMs: 300, maxConnections: 20 } });
    const { hostname, port } = new URL(impatient);
    const sockets = Array.from({ length: 40 }, () => connect({ host: hostname, port: Number(port) }).on('error', () => undefined));
    await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')));
    expect((await post(impatient, INITIALIZE)).status).toBe(200);
  });
});
