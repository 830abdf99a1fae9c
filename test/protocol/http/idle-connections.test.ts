import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { HEADERS, ownService, spokenSignIn } from '../../support/http.ts';

const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });

/** Opens connections that send this and then nothing; they are closed when the test ends. */
async function idle(url: string, count: number, text = ''): Promise<Socket[]> {
  const { hostname, port } = new URL(url);
  const sockets = Array.from({ length: count }, () =>
    connect({ host: hostname, port: Number(port) })
      .on('error', () => undefined)
      .on('data', () => undefined),
  );
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await Promise.all(sockets.map((socket) => once(socket, 'connect').catch(() => undefined)));
  if (text !== '') for (const socket of sockets) socket.write(text);
  return sockets;
}

const open = (sockets: readonly Socket[]) => sockets.filter(({ destroyed, readyState }) => !destroyed && readyState === 'open').length;

/** One request over an agent; gives the status and what the answer says about the connection. */
async function ask(url: string, { agent, token, path = '/mcp' }: { agent?: Agent; token?: string; path?: string }) {
  const sending = request(new URL(path, url), {
    method: path === '/mcp' ? 'POST' : 'GET',
    agent,
    headers: { ...HEADERS, 'mcp-protocol-version': '2025-11-25', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
  });
  sending.end(path === '/mcp' ? body : undefined);
  const [response] = (await once(sending, 'response')) as [import('node:http').IncomingMessage];
  response.resume();
  await once(response, 'end');
  return { status: response.statusCode, connection: response.headers.connection };
}

it.each<[string, string]>([
  ['say nothing', ''],
  ['send half of a request', 'POST /mcp HTTP/1.1\r\nhost: local'],
  ['were answered by a probe', 'GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n'],
  ['were turned away', 'GET /nothing HTTP/1.1\r\nhost: localhost\r\n\r\n'],
])('connections that idle without a sign-in and %s keep no probe out, whatever their number', async (_, text) => {
  const { url } = await ownService({ signIn: spokenSignIn, limits: { maxConnections: 40, headersTimeoutMs: 30_000 } });
  const sockets = await idle(url, 120, text);
  for (let probe = 0; probe < 5; probe += 1) expect(await ask(url, { path: '/healthz' })).toMatchObject({ status: 200 });
  expect(open(sockets)).toBeLessThanOrEqual(40);
});

it('connections that idle without a sign-in are at most a quarter of all for one address', async () => {
  const { url } = await ownService({ signIn: spokenSignIn, limits: { maxConnections: 40, headersTimeoutMs: 30_000 } });
  const sockets = await idle(url, 60);
  await ask(url, { path: '/healthz' });
  await expect.poll(() => open(sockets)).toBeLessThanOrEqual(10);
});

it('connections that idle without a sign-in do not cost a caller who has signed in the connection', async () => {
  const { url } = await ownService({ signIn: spokenSignIn, limits: { maxConnections: 40, headersTimeoutMs: 30_000 } });
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  onTestFinished(() => agent.destroy());
  let connections = 0;
  const counted = () => {
    connections += 1;
  };
  agent.on('free', (socket: Socket) => socket.once('close', counted));
  const signedIn = { agent, token: 'anna:read' };
  expect((await ask(url, signedIn)).status).toBe(400);
  await idle(url, 120);
  expect((await ask(url, signedIn)).status).toBe(400);
  expect(connections).toBe(0);
});

it('those that are turned away keep no connection', async () => {
  const { url } = await ownService({ signIn: spokenSignIn });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  expect(await ask(url, { agent })).toEqual({ status: 401, connection: 'close' });
  expect(await ask(url, { agent, path: '/nothing' })).toEqual({ status: 404, connection: 'close' });
  expect(await ask(url, { agent, token: 'anna:read' })).toEqual({ status: 400, connection: 'keep-alive' });
});
