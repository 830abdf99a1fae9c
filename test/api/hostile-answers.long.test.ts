import { gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createHttp } from '../../src/api/http.ts';
import { listen } from '../support/stub-platform.ts';

const MB = 1_048_576;

/** What the client makes of this answer. */
async function reading(body: Buffer | string, headers: Record<string, string> = {}, maxBytes = 32 * MB): Promise<unknown> {
  const { url } = await listen((_, response) => response.writeHead(200, headers).end(body));
  const http = createHttp();
  onTestFinished(() => http.close());
  const { signal } = new AbortController();
  return http.send({ method: 'GET', url, headers: {}, safe: true, maxBytes, signal }).then(
    ({ pieces }) => Buffer.concat(pieces).toString('utf8').length,
    ({ kind, message }: { kind: string; message: string }) => ({ kind, message }),
  );
}

describe('a packed answer', () => {
  const packed = { 'content-encoding': 'gzip' };

  it('that decompresses to more than 250 times its size is not read, whatever its size', { tags: 'nightly' }, async () => {
    const words = { kind: 'shape', message: 'The answer decompresses to more than 250 times its size, so it was not read.' };
    expect(await reading(gzipSync(Buffer.alloc(30 * MB)), packed)).toEqual(words);
    expect(await reading(gzipSync(Buffer.alloc(90 * MB)), packed, 96 * MB)).toEqual(words);
  });

  it('of ordinary rows is', async () => {
    const rows = JSON.stringify(
      Array.from({ length: 50_000 }, (_, index) => ({ id: index, name: 'visits', value: index % 7, none: null })),
    );
    expect(await reading(gzipSync(rows), packed)).toBe(rows.length);
    expect(await reading(gzipSync(`[${'0,'.repeat(1_000_000)}0]`), packed)).toBe(2_000_003);
  });
});

it('a name that leads inside is never sent the bearer, and the error says what allows it', async () => {
  const seen: (string | undefined)[] = [];
  const { url } = await listen((request, response) => {
    seen.push(request.headers.authorization);
    response.end('{}');
  });
  const { port } = new URL(url);
  const http = createHttp({
    environment: {},
    resolve: (hostname, _, callback) =>
      callback(null, [{ address: hostname === 'auth.example.com' ? '93.184.216.34' : '127.0.0.1', family: 4 }]),
  });
  onTestFinished(() => http.close());
  const request = { method: 'GET', headers: { authorization: 'Bearer secret' }, safe: true, maxBytes: 100 } as const;
  const sending = (trustedHost?: string) =>
    http.send({ ...request, url: `http://api.example.com:${port}/v1`, trustedHost, signal: AbortSignal.timeout(5_000) });
  await expect(sending('auth.example.com')).rejects.toMatchObject({
    kind: 'down',
    transient: false,
    message: expect.stringContaining('WEB_ANALYTICS_ENDPOINT_DOMAINS allows it'),
  });
  expect(seen).toEqual([]);
  expect(await sending('api.example.com')).toMatchObject({ status: 200 });
  expect(seen).toEqual(['Bearer secret']);
});
