import { request as send } from 'node:http';
import { describe, expect, it } from 'vitest';
import { ownService, spokenSignIn } from '../support/http.ts';

interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** Asks with any Host header, as probes of a cluster do. */
function ask(url: string, path: string, { method = 'GET', headers = {} }: { method?: string; headers?: Record<string, string> } = {}) {
  return new Promise<Answer>((resolve, reject) => {
    const request = send(new URL(path, url), { method, headers: { host: '10.1.2.3:8000', ...headers } }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
      response.once('end', () => resolve({ status: response.statusCode, headers: response.headers, body }));
    });
    request.once('error', reject).end();
  });
}

const words = ({ status, body }: Answer) => [status, JSON.parse(body)];

it('alive is said to anybody, by whatever name the server is called, without sign-in', async () => {
  const { url } = await ownService({ signIn: spokenSignIn, settings: { ALLOWED_HOSTS: 'mcp.example.com' } });
  const answer = await ask(url, '/healthz');
  expect(words(answer)).toEqual([200, { status: 'alive' }]);
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(await ask(url, '/healthz', { method: 'HEAD' })).toMatchObject({ status: 200, body: '' });
  expect((await ask(url, '/healthz', { method: 'POST' })).status).toBe(405);
  // The exception is theirs alone.
  expect((await ask(url, '/mcp')).status).toBe(403);
});

it('ready is a server whose token service answers; asked of it once in five seconds, however often probes come', async () => {
  const { url, platform } = await ownService();
  const seen = platform.requests.length;
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(url, '/readyz')));
  for (const answer of answers) expect(words(answer)).toEqual([200, { status: 'ready', checks: { 'token service': 'ok' } }]);
  expect(platform.requests.length - seen).toBe(1);
  await platform.clock.advance(5_000);
  await ask(url, '/readyz');
  expect(platform.requests.length - seen).toBe(2);
});

it('ready is not one whose token service is away, nor for longer than that lasts', async () => {
  const { url, platform } = await ownService();
  const { port } = new URL(platform.authUrl);
  await platform.close();
  const down = await ask(url, '/readyz');
  const away = 'The authentication server at WEB_ANALYTICS_AUTH_URL cannot be reached (ECONNREFUSED).';
  expect(words(down)).toEqual([503, { status: 'not ready', checks: { 'token service': away } }]);
  // Anybody may ask, so that the answer does not say where it is.
  expect(down.body).not.toContain(port);
  expect((await ask(url, '/healthz')).status).toBe(200);
});

it('ready is not one without a credential, and says what to set', async () => {
  const { url } = await ownService({ settings: { CLIENT_ID: '', CLIENT_SECRET: '' } });
  const answer = await ask(url, '/readyz');
  expect(answer.status).toBe(503);
  expect(answer.body).toContain('Set WEB_ANALYTICS_CLIENT_ID and WEB_ANALYTICS_CLIENT_SECRET');
});

describe('metrics', () => {
  const TOKEN = 'metrics-token-0123456789';

  it('are shown to the bearer of the token alone', async () => {
    const { url } = await ownService({ settings: { METRICS_TOKEN: TOKEN } });
    const refused = await Promise.all(
      [{}, { authorization: TOKEN }, { authorization: `Bearer ${TOKEN}x` }, { authorization: 'Bearer ' }].map((headers) =>
        ask(url, '/metrics', { headers }),
      ),
    );
    for (const { status, headers, body } of refused) {
      expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer']);
      expect(body).not.toContain('process_');
    }
    const shown = await ask(url, '/metrics', { headers: { authorization: `Bearer ${TOKEN}` } });
    expect(shown.status).toBe(200);
    expect(shown.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(shown.body).not.toContain(TOKEN);
  });

  it('are not there where no token is set', async () => {
    const { url } = await ownService();
    expect((await ask(url, '/metrics', { headers: { host: new URL(url).host } })).status).toBe(404);
  });
});
