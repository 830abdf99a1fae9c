/** @module-tag nightly */
import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it, onTestFinished } from 'vitest';
import { openPlatform } from '../../support/emulator.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { callOf, HEADERS, INITIALIZE } from '../../support/http.ts';
import { freshBundle, startHttpServer } from '../../support/stdio.ts';

const WRONG = 'canary-of-a-wrong-token-0123456789';
/** A team served by the built executable: what its commands and its server wrote is kept to the last byte. */
async function team() {
  const platform = await openPlatform();
  onTestFinished(() => platform.close());
  const folder = temporaryFolder();
  const key = randomBytes(32).toString('base64');
  const environment = {
    WEB_ANALYTICS_AUTH_URL: platform.authUrl,
    WEB_ANALYTICS_TOKENS_FILE: join(folder, 'tokens.json'),
    WEB_ANALYTICS_CREDENTIALS_FILE: join(folder, 'credentials.json'),
    WEB_ANALYTICS_CREDENTIALS_KEY: key,
    WEB_ANALYTICS_DATA_DIR: join(folder, 'data'),
    WEB_ANALYTICS_LOG_LEVEL: 'debug',
  };
  const said: string[] = [];
  const bundle = await freshBundle();
  /** Runs a command to its end; what it says beside its answer is kept. */
  async function run(args: readonly string[], input = ''): Promise<string> {
    const running = promisify(execFile)(process.execPath, [bundle, ...args], { env: { PATH: process.env['PATH'], ...environment } });
    running.child.stdin?.end(input);
    const { stdout, stderr } = await running;
    said.push(stderr);
    return stdout;
  }
  return { platform, environment, key, said, run };
}

it('no secret of callers, principals or operators is in anything that is written or answered', async () => {
  const { platform, environment, key, said, run } = await team();
  const { clientId, clientSecret } = platform.credentials.shop;
  const token = (await run(['token', 'create', 'alice'])).trim();
  const other = (await run(['token', 'create', 'bob', '--scopes', 'read,write'])).trim();
  await run(['credentials', 'add', 'alice'], JSON.stringify({ clientId, clientSecret }));
  said.push(await run(['token', 'list']), await run(['credentials', 'list']));

  const server = await startHttpServer([], environment);
  onTestFinished(() => void server.stop());
  /** Sends a message and keeps the whole answer. */
  async function ask(message: object, authorization?: string, headers: Record<string, string> = {}): Promise<Response> {
    const response = await fetch(server.url, {
      method: 'POST',
      headers: { ...HEADERS, ...headers, ...(authorization !== undefined && { authorization }) },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    });
    said.push(JSON.stringify([...response.headers]), await response.text());
    return response;
  }
  for (const wrong of [undefined, `Bearer ${WRONG}`, `Bearer ${token}x`, `Basic ${token}`, token])
    expect((await ask(INITIALIZE, wrong)).status).toBe(401);
  const opened = await ask(INITIALIZE, `Bearer ${token}`);
  const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '', 'mcp-protocol-version': '2025-11-25' };
  const asked: readonly [object, number][] = [
    [callOf('get_credential'), 200],
    [callOf('list_scenarios'), 200],
    [callOf('get_site_visits', { startDate: token, endDate: clientSecret }), 200],
    [callOf('create_speed_event', { key: clientSecret }), 200],
  ];
  for (const [message, status] of asked) expect((await ask(message, `Bearer ${token}`, session)).status).toBe(status);
  // Alice may read alone: she hears what is missing and how to get it, and nothing is sent.
  expect(said.at(-1)).toContain('The token lacks the scope write. Ask the operator for a token with: read write.');
  expect(said.at(-1)).toContain('"isError":true');
  const operations = new Set(platform.requests.map(({ operation }) => operation));
  expect(operations).toEqual(new Set(['requestToken', 'readCredential', 'listScenarios']));
  expect((await ask(callOf('get_credential'), `Bearer ${other}`, session)).status).toBe(404);
  // Bob has no credential of the platform.
  const own = await ask(INITIALIZE, `Bearer ${other}`);
  await ask(callOf('get_credential'), `Bearer ${other}`, { ...session, 'mcp-session-id': own.headers.get('mcp-session-id') ?? '' });
  expect(said.at(-1)).toContain('This server has no platform credential for you.');
  for (const path of ['/metrics', '/healthz', '/readyz', '/mcp']) said.push(await (await fetch(new URL(path, server.url))).text());
  await run(['token', 'remove', 'alice']);
  expect((await ask(callOf('get_credential'), `Bearer ${token}`, session)).status).toBe(401);
  await server.stop();

  const written = [...said, ...server.lines, server.rest(), server.stderr()].join('\n');
  expect(written).toContain('Shop');
  for (const secret of [token.slice(4), other.slice(4), WRONG, clientSecret, key]) {
    const spellings = [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64').slice(0, 30)];
    for (const spelling of spellings) expect(written.includes(spelling) && `${spelling} in ${around(written, spelling)}`).toBe(false);
  }
  expect(written).not.toMatch(/eyJ[\w-]{8,}\.[\w-]+/);
});

/** What stands around a text, to find its source by. */
function around(text: string, found: string): string {
  const at = text.indexOf(found);
  return text.slice(Math.max(0, at - 200), at + found.length + 50);
}
