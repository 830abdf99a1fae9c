import { once } from 'node:events';
import { request } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { HEADERS, INITIALIZE, openRawSession, ownService, post, post2026, send, sharedService } from '../../support/http.ts';
import { times } from '../../support/times.ts';

const service = sharedService();
const url = () => service().url;

const list = { id: 4, method: 'tools/list' };
const body = JSON.stringify({ jsonrpc: '2.0', ...INITIALIZE });

/** Status of a request with headers that `fetch` does not let through; 0 where the connection was cut. */
async function statusOf(to: string, method: string, headers: Record<string, string>, chunks: readonly string[] = []): Promise<number> {
  const sending = request(to, { method, headers: { ...HEADERS, ...headers } });
  for (const chunk of chunks) sending.write(chunk);
  sending.end();
  try {
    const [response] = (await once(sending, 'response')) as [{ statusCode: number; resume(): void }];
    response.resume();
    return response.statusCode;
  } catch {
    return 0;
  }
}

/** What the server answers to bytes as they are, until it closes the connection or nothing more comes. */
async function answerTo(to: string, text: string): Promise<string> {
  const { hostname, port } = new URL(to);
  const socket = connect({ host: hostname, port: Number(port) });
  let answer = '';
  socket.setEncoding('utf8').on('data', (chunk: string) => {
    answer += chunk;
    socket.end();
  });
  socket.on('error', () => undefined);
  socket.write(text);
  await once(socket, 'close');
  return answer;
}

it.each([
  'evil.example',
  'evil.example:80',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  '169.254.169.254',
  '[::2]',
  'localhost@evil.example',
])('DNS rebinding a page that reaches this machine as "%s" is turned away', async (host) => {
  for (const method of ['POST', 'GET', 'DELETE', 'OPTIONS']) {
    expect(await statusOf(url(), method, { host }, method === 'POST' ? [body] : [])).toBe(403);
  }
  expect(service().sessions()).toBe(0);
});

it.each(['localhost', 'LOCALHOST:9999', '127.0.0.1', '[::1]:80'])('DNS rebinding as "%s" it may be called', async (host) => {
  expect(await statusOf(url(), 'DELETE', { host })).toBe(400);
});

it('DNS rebinding the names that are set are the only ones', async () => {
  const { url: named } = await ownService({ settings: { ALLOWED_HOSTS: 'mcp.example.com, other.example.com' } });
  const statuses = await Promise.all(
    ['mcp.example.com', 'MCP.example.com:443', 'localhost', 'a.mcp.example.com'].map((host) => statusOf(named, 'DELETE', { host })),
  );
  expect(statuses).toEqual([400, 400, 403, 403]);
});

it('DNS rebinding a request for the address of another server is none for this one', async () => {
  const { host } = new URL(url());
  expect(await answerTo(url(), `DELETE http://evil.example/mcp HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toContain('404 Not Found');
  expect(await answerTo(url(), 'DELETE /mcp HTTP/1.0\r\n\r\n')).toContain('403 Forbidden');
});

describe('a foreign origin', () => {
  const origins = [
    'https://evil.example',
    'null',
    'http://localhost.evil.example',
    'http://127.0.0.1.evil.example',
    'file://',
    'nonsense',
    '',
  ];

  it.each(origins)('"%s" may neither call nor read', async (origin) => {
    const answers = [
      await send(url(), { method: 'POST', headers: { ...HEADERS, origin }, body }),
      await send(url(), { method: 'OPTIONS', headers: { origin, 'access-control-request-method': 'POST' } }),
    ];
    for (const { status, headers } of answers) {
      expect([status, headers.get('access-control-allow-origin')]).toEqual([403, null]);
    }
  });

  it('is let in where it is set, and then no other', async () => {
    const { url: set } = await ownService({ settings: { ALLOWED_ORIGINS: 'https://app.example.com' } });
    const from = (origin: string, method: string) =>
      send(set, { method, headers: { ...HEADERS, origin }, ...(method === 'POST' && { body }) });
    const opened = await from('https://app.example.com', 'POST');
    expect([opened.status, opened.headers.get('access-control-allow-origin')]).toEqual([200, 'https://app.example.com']);
    expect(opened.headers.get('access-control-expose-headers')).toContain('mcp-session-id');
    const asked = await from('https://app.example.com', 'OPTIONS');
    expect([asked.status, asked.headers.get('access-control-allow-headers')]).toEqual([204, expect.stringContaining('mcp-session-id')]);
    for (const other of ['https://app.example.com:8443', 'http://app.example.com', 'http://localhost:6274']) {
      expect((await from(other, 'POST')).status).toBe(403);
    }
  });

  it('is not what a page of this machine has, where only it is served', async () => {
    expect((await send(url(), { method: 'POST', headers: { ...HEADERS, origin: 'http://localhost:6274' }, body })).status).toBe(200);
  });
});

describe('bodies', () => {
  const large = 'x'.repeat(2_000);
  const limits = { maxBodyBytes: 1_000, maxHeldBytes: 3_000, shortBodyBytes: 0, headersTimeoutMs: 150, requestTimeoutMs: 300 };

  it('that are too large are not read, whether they say so or not', async () => {
    const { url: small } = await ownService({ limits });
    expect(await statusOf(small, 'POST', { 'content-length': '2000' }, [large])).toBe(413);
    expect(await statusOf(small, 'POST', { 'transfer-encoding': 'chunked' }, [large.slice(0, 600), large.slice(0, 600)])).toBe(413);
    expect(await statusOf(small, 'POST', { 'content-length': '99999999999' })).toBe(413);
    expect((await post(small, INITIALIZE)).status).toBe(200);
  });

  it('that are many at once are not all held', async () => {
    const { url: small } = await ownService({ limits: { ...limits, requestTimeoutMs: 5_000 } });
    const held = times(3, () => {
      const sending = request(small, { method: 'POST', headers: { ...HEADERS, 'content-length': '999' } });
      sending.on('error', () => undefined);
      sending.write(large.slice(0, 990));
      return sending;
    });
    let status = 0;
    // The three take their room as soon as they arrive.
    for (let turn = 0; turn < 200 && status !== 503; turn += 1) ({ status } = await post(small, INITIALIZE));
    expect(status).toBe(503);
    for (const sending of held) sending.destroy();
    for (let turn = 0; turn < 200 && status !== 200; turn += 1) ({ status } = await post(small, INITIALIZE));
    expect(status).toBe(200);
  });

  it('that are long and never end do not keep short ones out', async () => {
    const { url: small } = await ownService({ limits: { ...limits, shortBodyBytes: 500, requestTimeoutMs: 5_000 } });
    const long = { method: 'POST', headers: { ...HEADERS, 'content-length': '999' } };
    const held = times(3, () => request(small, long).on('error', () => undefined));
    for (const sending of held) sending.write(large.slice(0, 998));
    const last = request(small, long).on('error', () => undefined);
    last.end(large.slice(0, 999));
    // They hold all that there is: another long one is told to come again.
    const [response] = (await once(last, 'response')) as [{ statusCode: number }];
    expect(response.statusCode).toBe(503);
    expect((await post(small, INITIALIZE)).status).toBe(200);
    for (const sending of held) sending.destroy();
  });

  it('that come slowly, and headers that do, are given up', async () => {
    const { url: impatient } = await ownService({ limits });
    const { host } = new URL(impatient);
    const slow = [
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\n`,
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n{"jsonrpc":`,
    ];
    const answers = await Promise.all(slow.map((text) => answerTo(impatient, text)));
    expect(answers).toEqual(slow.map(() => expect.stringContaining('408 Request Timeout')));
  });

  it.each<[string, Record<string, string>, string, number]>([
    ['no JSON', {}, '{', 400],
    ['nothing', {}, '', 400],
    ['no message', {}, '{"hello":1}', 400],
    ['a text', {}, '"initialize"', 400],
    ['no UTF-8 type', { 'content-type': 'text/plain' }, body, 415],
    ['a form, as a page may send it without asking', { 'content-type': 'application/x-www-form-urlencoded' }, body, 415],
    ['packed', { 'content-encoding': 'gzip' }, body, 415],
    ['101 messages', {}, JSON.stringify(times(101, () => ({ jsonrpc: '2.0', method: 'notifications/x' }))), 400],
  ])('of %s are refused', async (_, headers, text, status) => {
    const session = await openRawSession(url());
    expect((await send(url(), { method: 'POST', headers: { ...HEADERS, ...session, ...headers }, body: text })).status).toBe(status);
    const afterwards = await post(url(), list, session);
    expect(afterwards.status).toBe(200);
  });
});

it('an answer that its caller does not take is given up, and its places come free', async () => {
  const { url: small } = await ownService({ settings: { MAX_REQUESTS: '100' }, limits: { silenceMs: 500 } });
  const session = await openRawSession(small);
  const { hostname, port, host } = new URL(small);
  // So long that no buffer on the way holds it.
  const asked = JSON.stringify(times(100, (index) => ({ jsonrpc: '2.0', id: `a${index}`, method: 'tools/list' })));
  const given = Object.entries({ ...HEADERS, ...session, host, 'content-length': asked.length });
  const socket = connect({ host: hostname, port: Number(port) }).on('error', () => undefined);
  onTestFinished(() => void socket.destroy());
  socket.pause();
  socket.write(`POST /mcp HTTP/1.1\r\n${given.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n${asked}`);
  await vi.waitFor(async () => expect((await post(small, list, session)).status).toBe(503), { timeout: 3_000, interval: 20 });
  await vi.waitFor(async () => expect((await post(small, list, session)).status).toBe(200), { timeout: 4_000, interval: 100 });
});

describe('headers', () => {
  /** As clients send what no header can carry as it is. */
  const packed = (text: string) => `=?base64?${Buffer.from(text).toString('base64')}?=`;

  it('that say something else than the body are refused in both eras, before anything runs', async () => {
    const session = await openRawSession(url());
    const call = { id: 5, method: 'tools/call', params: { name: 'list_goals', arguments: {} } };
    const read = { id: 6, method: 'resources/read', params: { uri: 'analytics://reference/limits' } };
    const before = service().platform.requests.length;
    const refused = [
      await post(url(), call, { ...session, 'mcp-method': 'tools/list' }),
      await post(url(), call, { ...session, 'mcp-method': 'tools/call', 'mcp-name': 'list_segments' }),
      await post(url(), read, { ...session, 'mcp-method': 'resources/read', 'mcp-name': 'analytics://reference/metrics' }),
      await post2026(url(), 'tools/call', { name: 'list_goals', arguments: {} }, { 'mcp-method': 'tools/list' }),
      await post2026(url(), 'tools/call', { name: 'list_goals', arguments: {} }, { 'mcp-name': 'list_segments' }),
      await post2026(url(), 'tools/call', { name: 'list_goals', arguments: {} }, { 'mcp-name': packed('list_segments') }),
      await post2026(url(), 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }),
    ];
    for (const { status, message } of refused) {
      expect([status, message]).toEqual([400, expect.objectContaining({ error: expect.objectContaining({ code: -32_020 }) })]);
    }
    expect(service().platform.requests.length).toBe(before);
    for (const name of ['list_goals', packed('list_goals')])
      expect((await post(url(), call, { ...session, 'mcp-method': 'tools/call', 'mcp-name': name })).status).toBe(200);
  });

  it('over a batch say nothing: they are refused there', async () => {
    const session = await openRawSession(url());
    const headers = { ...HEADERS, ...session, 'mcp-method': 'tools/list' };
    const batch = JSON.stringify([
      { jsonrpc: '2.0', ...list },
      { jsonrpc: '2.0', id: 7, method: 'prompts/list' },
    ]);
    expect((await send(url(), { method: 'POST', headers, body: batch })).status).toBe(400);
  });

  it.each(['Host', 'Origin', 'Authorization', 'Mcp-Session-Id', 'Mcp-Method', 'Mcp-Name', 'Content-Type'])(
    'that decide something come once: two of %s are refused',
    async (name) => {
      const { host } = new URL(url());
      const value = name === 'Host' ? host : name === 'Origin' ? 'http://localhost' : 'x';
      const first = name === 'Host' ? '' : `Host: ${host}\r\n`;
      const answer = await answerTo(url(), `DELETE /mcp HTTP/1.1\r\n${first}${name}: ${value}\r\n${name}: ${value}\r\n\r\n`);
      expect(answer).toContain('400 Bad Request');
    },
  );

  it.each([
    ['two lengths', 'content-length: 5\r\ncontent-length: 6'],
    ['a length and chunks', 'content-length: 5\r\ntransfer-encoding: chunked'],
    ['chunks of another kind', 'transfer-encoding: chunked, identity'],
    ['a folded line', 'x-a: b\r\n c\r\n x'],
    ['more than 16 KB of headers', `x-a: ${'b'.repeat(20_000)}`],
  ])('with %s do not reach the endpoint', async (_, lines) => {
    const { host } = new URL(url());
    const answer = await answerTo(
      url(),
      `POST /mcp HTTP/1.1\r\nHost: ${host}\r\ncontent-type: application/json\r\n${lines}\r\n\r\n0\r\n\r\n`,
    );
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d/);
  });
});

it.each(['/', '/mcp/../mcp', '//mcp', '/%6dcp', '/.env', '/../../etc/passwd', '/mcp%2f..%2f..%2fetc'])(
  'paths and methods %s is nothing here',
  async (path) => {
    const { host } = new URL(url());
    expect(await answerTo(url(), `DELETE ${path} HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).toContain('404 Not Found');
  },
);

it.each(['PUT', 'PATCH', 'HEAD', 'TRACE'])('paths and methods %s is not answered', async (method) => {
  expect(await statusOf(url(), method, {})).toBe(405);
});
