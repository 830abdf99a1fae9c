import { createHook } from 'node:async_hooks';
import { once } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createHttp, type HttpAnswer, type HttpRequest } from '../../src/api/http.ts';
import { failure } from '../support/failure.ts';
import { startProxy } from '../support/proxy.ts';
import { listen } from '../support/stub-platform.ts';

const MB = 1_048_576;

function open(environment: Record<string, string> = {}) {
  const http = createHttp({ environment });
  onTestFinished(() => http.close());
  return {
    http,
    send: (url: string, changes: Partial<HttpRequest> = {}) =>
      http.send({
        method: 'GET',
        url,
        headers: {},
        safe: true,
        maxBytes: MB,
        idleTimeoutMs: 5_000,
        signal: new AbortController().signal,
        ...changes,
      }),
  };
}

const write = { method: 'POST', body: '{}', safe: false } as const;

const textOf = ({ pieces }: HttpAnswer) => Buffer.concat(pieces).toString('utf8');

/** A port on which nobody listens. */
async function deadPort(): Promise<string> {
  const { server, url } = await listen(() => undefined);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

/** Counts how often the decompressors of this thread come back to the event loop while something runs. */
async function decompressorTurns(run: () => Promise<unknown>): Promise<number> {
  const streams = new Set<number>();
  let turns = 0;
  const hook = createHook({
    init: (id, type) => void (type === 'ZLIB' && streams.add(id)),
    before: (id) => void (streams.has(id) && (turns += 1)),
  });
  hook.enable();
  try {
    await run();
  } finally {
    hook.disable();
  }
  return turns;
}

test('answers a large one is decompressed in a few pieces: after each, whatever else runs comes first', async () => {
  const rows = Array.from({ length: 20_000 }, (_each, index) => ({
    date: index * 3_600_000,
    value: Math.sin(index),
    name: 'Product page',
  }));
  const text = JSON.stringify(rows);
  const { url } = await listen((_request, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text)));
  const { send } = open();
  let read = '';
  const turns = await decompressorTurns(async () => {
    read = textOf(await send(url, { maxBytes: 8 * MB }));
  });
  expect(read).toBe(text);
  expect(turns).toBeLessThanOrEqual(3);
});

test('answers connections are kept', async () => {
  const ports = new Set<number | undefined>();
  const { url } = await listen((request, response) => {
    ports.add(request.socket.remotePort);
    response.end('ok');
  });
  const { send } = open();
  for (let count = 0; count < 5; count += 1) await send(url);
  // undici may open a second connection before it counts the first as free.
  expect(ports.size).toBeLessThan(3);
});

test.each([
  ['gzip', gzipSync('päckchen')],
  ['deflate', deflateSync('päckchen')],
  ['br', brotliCompressSync('päckchen')],
  ['deflate, gzip', gzipSync(deflateSync('päckchen'))],
  ['identity', Buffer.from('päckchen')],
])('answers %s is unpacked, errors too', async (encoding, body) => {
  const { url } = await listen((_, response) => response.writeHead(400, { 'content-encoding': encoding }).end(body));
  expect(textOf(await open().send(url))).toBe('päckchen');
});

test.each([
  ['gzip', gzipSync('x'.repeat(1000)).subarray(0, 20), 'broken or cut short'],
  ['gzip', Buffer.from('plain'), 'broken or cut short'],
  ['zstd', Buffer.from('plain'), 'not asked for'],
  ['gzip,gzip,gzip', Buffer.from('plain'), 'more than twice'],
])('answers %s that cannot be unpacked is refused', async (encoding, body, words) => {
  const { url } = await listen((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(body));
  const error = await failure(open().send(url, write));
  expect(error).toMatchObject({ kind: 'shape', outcomeUnknown: true });
  expect(error.message).toContain(words);
});

describe('size', () => {
  const limit = { maxBytes: 2 * MB };

  test('an announced size is refused before it is read', async () => {
    const { url } = await listen((_, response) => response.writeHead(200, { 'content-length': 3 * MB }).write('x'));
    expect((await failure(open().send(url, limit))).message).toBe(
      'The answer is larger than 2 MB, the most that is read at once; ask for less.',
    );
  });

  test('an endless answer is cut off', async () => {
    let sent = 0;
    const { url } = await listen((_, response) => {
      const chunk = Buffer.alloc(65_536, 'x');
      const more = () => {
        while (!response.destroyed && response.write(chunk)) sent += chunk.length;
        sent += chunk.length;
      };
      response.on('drain', more);
      more();
    });
    expect((await failure(open().send(url, limit))).message).toContain('larger than 2 MB');
    expect(sent).toBeLessThan(16 * MB);
  });

  test.each([
    ['gzip', gzipSync(Buffer.alloc(64 * MB))],
    ['gzip, gzip', gzipSync(gzipSync(Buffer.alloc(64 * MB)))],
  ])('a small answer packed by %s cannot unfold beyond the limit', async (encoding, bomb) => {
    const { url } = await listen((_, response) => response.writeHead(200, { 'content-encoding': encoding }).end(bomb));
    expect(bomb.length).toBeLessThan(MB);
    const before = process.memoryUsage().arrayBuffers;
    expect((await failure(open().send(url, limit))).message).toContain('larger than 2 MB');
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(32 * MB);
  });

  test('an answer of exactly the limit is read', async () => {
    const { url } = await listen((_, response) => response.end(Buffer.alloc(2 * MB, 'x')));
    expect(textOf(await open().send(url, limit))).toHaveLength(2 * MB);
  });
});

test('failures a refused connection sent nothing', async () => {
  const error = await failure(open().send(await deadPort(), write));
  expect(error).toMatchObject({ kind: 'down', code: 'ECONNREFUSED', outcomeUnknown: false, transient: true });
  expect(error.message).toMatch(/^127\.0\.0\.1:\d+ refused the connection\.$/);
});

test.each([
  ['before the answer', (socket: { destroy(): void }) => socket.destroy()],
  [
    'within the answer',
    (socket: { destroy(): void; write(text: string): void }) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nhalf');
      setImmediate(() => socket.destroy());
    },
  ],
])('failures a connection lost %s leaves a write in doubt, not a read', async (_, breaking) => {
  const { url } = await listen((request) => breaking(request.socket));
  const { send } = open();
  expect(await failure(send(url, write))).toMatchObject({ kind: 'down', outcomeUnknown: true, transient: true });
  expect(await failure(send(url))).toMatchObject({ kind: 'down', outcomeUnknown: false, transient: true });
});

test('failures what is not HTTP is named so and not passed on', async () => {
  const { url } = await listen((request) => request.socket.end('220 mail.example canary-secret\r\n'));
  const error = await failure(open().send(url));
  expect(error).toMatchObject({ kind: 'down' });
  expect(error.message).toContain('not HTTP');
  expect(error.cause).toBeUndefined();
});

test('failures silence ends an attempt, in the middle of an answer too', { tags: 'nightly' }, async () => {
  const { url } = await listen((request, response) => {
    if (request.url === '/half') response.write('half');
  });
  const { send } = open();
  for (const path of ['/nothing', '/half']) {
    const error = await failure(send(url + path, { idleTimeoutMs: 500 }));
    expect(error).toMatchObject({ kind: 'timeout', message: 'No answer within 500 ms.', transient: true, outcomeUnknown: false });
    expect(await failure(send(url + path, { idleTimeoutMs: 500, ...write }))).toMatchObject({ kind: 'timeout', outcomeUnknown: true });
  }
});

test.each(['/nothing', '/half'])('failures an abort ends %s at once with its reason', async (path) => {
  const controller = new AbortController();
  const { url } = await listen((request, response) => {
    if (request.url === '/half') response.write('half');
    setTimeout(() => controller.abort(new Error('enough')), 20);
  });
  const outcome = open()
    .send(url + path, { signal: controller.signal })
    .catch((error: unknown) => error);
  await once(controller.signal, 'abort');
  // A busy machine takes longer for each turn, and makes no more of them.
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(await Promise.race([outcome, Promise.resolve('still open')])).toMatchObject({ message: 'enough' });
});

test('proxies http goes through in absolute form, where nothing else is named for it', async () => {
  const { port } = new URL((await listen((request, response) => response.end(`${request.headers.host}${request.url}`))).url);
  const proxy = await startProxy({ upstream: Number(port), signIn: 'me:pass' });
  const { send } = open({ HTTP_PROXY: proxy.url.replace('http://', 'http://me:pass@') });
  expect(textOf(await send('http://api.example.test/v1/x?a=1'))).toBe('api.example.test/v1/x?a=1');
  expect(proxy.asked).toEqual(['GET http://api.example.test/v1/x?a=1']);
  const refused = await failure(open({ ALL_PROXY: proxy.url }).send('http://api.example.test/v1/x', write));
  expect(refused).toMatchObject({ kind: 'settings', transient: false, code: 'ERR_PROXY_UND_ERR_INVALID_ARG' });
  expect(refused.message).toContain('of ALL_PROXY requires a user and a password');
});

test.each([
  [403, { kind: 'settings', transient: false }],
  [407, { kind: 'settings', transient: false }],
  [429, { kind: 'down', transient: true }],
  [503, { kind: 'down', transient: true }],
])('proxies https goes through a tunnel; one that is refused with %s sent nothing', async (refusal, expected) => {
  const proxy = await startProxy({ refusal });
  const error = await failure(open({ https_proxy: proxy.url }).send('https://api.example.test/v1/x', write));
  expect(proxy.asked).toEqual(['CONNECT api.example.test:443']);
  expect(error).toMatchObject({ ...expected, outcomeUnknown: false, code: `ERR_PROXY_${refusal}` });
  expect(error.message).toContain(`(${refusal})`);
});
