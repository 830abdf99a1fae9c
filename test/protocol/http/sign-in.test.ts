import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { join } from 'node:path';
import { ClientCredentialsProvider, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { ClientCredentialsProvider as OldProvider } from '@modelcontextprotocol/sdk/client/auth-extensions.js';
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { describe, expect, it, onTestFinished } from 'vitest';
import { openSignIn, withCredentials } from '../../../src/commands/sign-in.ts';
import { shortHash } from '../../../src/emulator/requests.ts';
import { readSettings } from '../../../src/settings/settings.ts';
import { openCredentialsFile } from '../../../src/sign-in/credentials.ts';
import type { PlatformCredentials } from '../../../src/sign-in/principal.ts';
import { manualClock } from '../../support/clock.ts';
import { START } from '../../support/emulator.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { connectHost, type HostName, hostNames } from '../../support/hosts.ts';
import { callOf, openRawSession, openService, post, post2026, send } from '../../support/http.ts';
import { AUDIENCE, stubIssuer } from '../../support/issuer.ts';

/** A served product that an issuer on loopback signs callers in for, with its metadata and keys read over HTTP. */
async function place(credentials?: PlatformCredentials) {
  const clock = manualClock(START);
  const issuer = await stubIssuer(clock);
  await issuer.listen();
  const environment = { WEB_ANALYTICS_ISSUER: issuer.issuer, WEB_ANALYTICS_AUDIENCE: AUDIENCE };
  const signIn = await openSignIn(readSettings(environment), { clock, log: () => undefined });
  const told = signIn && credentials ? withCredentials(signIn, credentials) : signIn;
  const service = await openService({ ...(told && { signIn: told }), ...(credentials && { credentials }) });
  onTestFinished(() => service.close());
  /** The way to the server by its public name, as through a proxy in front of it. */
  const throughProxy = (url: string | URL, init?: RequestInit) =>
    fetch(String(url).replace('https://mcp.example.com', new URL(service.url).origin), init);
  return { issuer, service, throughProxy, clock };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
it.each(hostNames)(
  'a client that has no token yet finds the issuer and signs in, to write too where its SDK asks for what it is told: %s',
  { tags: 'nightly' },
  async (name: HostName) => {
    const { issuer, throughProxy, service } = await place();
    const client = { clientId: 'nightly', clientSecret: 'secret-of-the-client', scope: 'read', expectedIssuer: issuer.issuer };
    const transport =
      name === 'SDK 1.x'
        ? new OldTransport(new URL(AUDIENCE), { authProvider: new OldProvider(client), fetch: throughProxy })
        : new StreamableHTTPClientTransport(new URL(AUDIENCE), {
            authProvider: new ClientCredentialsProvider(client),
            fetch: throughProxy,
          });
    const host = await connectHost(name, transport);
    onTestFinished(() => host.close());
    expect((await host.call('list_goals')).structured).toHaveProperty('goals');
    // What the challenge asks for: the old SDK takes the scope that it was given instead.
    const asked = issuer.tokenRequests.map((form) => [form.get('scope'), form.get('resource')]);
    expect(asked).toEqual([[name === 'SDK 1.x' ? 'read' : 'read write', AUDIENCE]]);
    const written = await host.call('create_speed_event', { key: 'release', text: 'Release', date: 'now' }).then(
      ({ isError }) => (isError ? 'refused' : 'done'),
      (error: unknown) => String(error),
    );
    // The old SDK asks for another token when it is challenged, again with the scope that it was given.
    expect(written).toContain(name === 'SDK 1.x' ? '403 after trying upscoping' : 'done');
    expect(service.platform.requests.filter(({ operation }) => operation === 'createSpeedEvent')).toHaveLength(name === 'SDK 1.x' ? 0 : 1);
  },
);

it('a client that has no token yet reads the metadata without a token, at both paths and from a page', async () => {
  const { service, issuer } = await place();
  const at = (path: string, init?: RequestInit) => send(new URL(path, service.url).href, init ?? {});
  const [first, second] = await Promise.all(
    ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource'].map((path) => at(path)),
  );
  expect(first?.message).toMatchObject({ resource: AUDIENCE, authorization_servers: [issuer.issuer] });
  expect(second?.message).toEqual(first?.message);
  expect((await at('/.well-known/oauth-protected-resource', { method: 'POST', body: 'x' })).status).toBe(405);
});

it('a request with a token is answered or challenged as the token deserves, whatever the session', async () => {
  const { service, issuer } = await place();
  const good = await issuer.token();
  const session = await openRawSession(service.url, bearer(good));
  const list = { id: 4, method: 'tools/list' };
  const statusWith = async (claims: Record<string, unknown>) =>
    (await post(service.url, list, { ...session, ...bearer(await issuer.token(claims)) })).status;
  expect(await statusWith({})).toBe(200);
  expect(await statusWith({ aud: 'https://other.example.com/mcp' })).toBe(401);
  expect(await statusWith({ exp: 1 })).toBe(401);
  expect(await statusWith({ scope: 'openid' })).toBe(403);
  expect(await statusWith({ sub: 'eve' })).toBe(404);
  expect((await post(service.url, list, { ...session, authorization: '' })).status).toBe(401);
  expect(
    (await send(service.url, { method: 'DELETE', headers: { ...session, ...bearer(await issuer.token({ sub: 'eve' })) } })).status,
  ).toBe(404);
  expect((await post(service.url, list, session)).status).toBe(200);
});

it('a request with a token that is none is refused before its body has come', async () => {
  const { service } = await place();
  const sending = request(service.url, { method: 'POST', headers: { 'content-length': '1000000' } });
  sending.on('error', () => undefined);
  sending.write('{');
  const [response] = (await once(sending, 'response')) as [IncomingMessage];
  expect([response.statusCode, response.headers.connection]).toEqual([401, 'close']);
  sending.destroy();
});

it('a request with a token without the scope write may read, and is asked to step up by what writes, in both eras', {
  tags: 'nightly',
}, async () => {
  const { service, issuer } = await place();
  const reader = bearer(await issuer.token({ scope: 'read' }));
  const session = await openRawSession(service.url, reader);
  expect((await post(service.url, callOf('list_goals'), session)).message).toHaveProperty('result.structuredContent.goals');
  // What only fetches to the disk of the server changes nothing.
  expect((await post(service.url, callOf('sync_exports', { waitSeconds: 0 }), session)).status).toBe(200);
  const { params } = callOf('create_speed_event', { key: 'stepped', text: 'Release', date: 'now' });
  const words = 'The token lacks the scope write. Sign in again and ask for: read write.';
  for (const { status, headers, message } of [
    await post(service.url, { id: 5, method: 'tools/call', params }, session),
    await post2026(service.url, 'tools/call', params, reader),
  ]) {
    expect([status, message]).toEqual([403, { error: 'insufficient_scope', error_description: words }]);
    expect(headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", error_description="${words}", scope="read write", ` +
        'resource_metadata="https://mcp.example.com/.well-known/oauth-protected-resource/mcp"',
    );
  }
  const writer = { ...session, ...bearer(await issuer.token({ scope: 'read write' })) };
  expect((await post(service.url, { id: 6, method: 'tools/call', params }, writer)).message).toHaveProperty('result.structuredContent');
  expect(service.platform.requests.filter(({ operation }) => operation === 'createSpeedEvent')).toHaveLength(1);
});

it('a request with a token is asked to come again while nobody can be let in, and the server is not ready', {
  tags: 'nightly',
}, async () => {
  const { service, issuer, clock } = await place();
  issuer.down = true;
  const token = await issuer.token();
  const { status, headers } = await post(service.url, { id: 4, method: 'tools/list' }, bearer(token));
  expect([status, headers.get('retry-after'), headers.get('www-authenticate')]).toEqual([503, '30', null]);
  const ready = () => send(new URL('/readyz', service.url).href, {});
  expect(await ready()).toMatchObject({ status: 503, message: { checks: { 'sign-in': 'The keys of the issuer cannot be read.' } } });
  issuer.down = false;
  await Promise.all([clock.advance(30_000), service.platform.clock.advance(30_000)]);
  expect(await ready()).toMatchObject({ status: 200, message: { checks: { 'sign-in': 'ok' } } });
  expect((await post(service.url, { id: 4, method: 'tools/list' }, { ...(await openRawSession(service.url, bearer(token))) })).status).toBe(
    200,
  );
});

it('a request with a token keeps the token to itself: nothing of it reaches the platform', async () => {
  const { service, issuer } = await place();
  const token = await issuer.token();
  const session = await openRawSession(service.url, {
    ...bearer(token),
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  });
  const answer = await post(service.url, callOf('get_credential'), session);
  expect(answer.message).toHaveProperty('result.structuredContent.projects');
  const { requests } = service.platform;
  expect(requests.length).toBeGreaterThan(0);
  for (const part of [token, ...token.split('.'), shortHash(token)]) expect(JSON.stringify([requests, answer.message])).not.toContain(part);
});

describe('principals with credentials of their own', () => {
  /** Alice may see the shop, Bob the app; nobody else is known. */
  async function team() {
    const file = openCredentialsFile({
      path: join(temporaryFolder(), 'credentials.json'),
      secret: randomBytes(32).toString('base64'),
      log: () => undefined,
    });
    const { issuer, service } = await place(file);
    const { shop, app } = service.platform.credentials;
    const keep = (who: string, { clientId, clientSecret }: typeof shop) =>
      file.put(`${issuer.issuer}#${who}`, { credential: { clientId, clientSecret } }, 0);
    await keep('alice', shop);
    await keep('bob', app);
    return { issuer, service, file, keep };
  }

  it('get the new credential at once, in a new session, and none once it is removed', async () => {
    const { issuer, service, file, keep } = await team();
    const { shop, app } = service.platform.credentials;
    const headers = bearer(await issuer.token());
    const bob = await openRawSession(service.url, bearer(await issuer.token({ sub: 'bob' })));
    const session = await openRawSession(service.url, headers);
    const projects = async () => (await post2026(service.url, 'tools/call', { name: 'get_credential', arguments: {} }, headers)).message;
    expect(await projects()).toMatchObject({ result: { structuredContent: { projects: [{ id: shop.projects[0]?.id }] } } });
    expect((await post(service.url, callOf('get_credential'), session)).status).toBe(200);
    await keep('alice', app);
    expect(await projects()).toMatchObject({ result: { structuredContent: { projects: [{ id: app.projects[0]?.id }] } } });
    expect((await post(service.url, callOf('get_credential'), session)).status).toBe(404);
    await file.remove(`${issuer.issuer}#alice`);
    expect(await projects()).toMatchObject({ result: { isError: true } });
    expect((await post(service.url, callOf('get_credential'), bob)).status).toBe(200);
  });

  it('lose their streams within five seconds when their credential is withdrawn', async () => {
    const { issuer, service, file } = await team();
    const streamOf = async (sub: string) => {
      const session = await openRawSession(service.url, bearer(await issuer.token({ sub })));
      const stream = await fetch(service.url, { headers: { ...session, accept: 'text/event-stream' } });
      expect(stream.status).toBe(200);
      const over = stream.text().then(
        () => 'ended',
        () => 'cut',
      );
      return { over };
    };
    const [alice, bob] = [await streamOf('alice'), await streamOf('bob')];
    await file.remove(`${issuer.issuer}#alice`);
    await service.platform.clock.advance(5_000);
    expect(await alice.over).toBe('cut');
    expect(await Promise.race([bob.over, Promise.resolve('open')])).toBe('open');
  });
});
