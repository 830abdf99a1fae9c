import { decode, sign } from 'hono/jwt';
import { describe, expect, it } from 'vitest';
import { app, type CredentialName, content, shop } from '../../src/emulator/credentials.ts';
import { DAY_MS, HOUR_MS } from '../../src/lib/clock.ts';
import { sharedPlatform, withPlatform } from '../support/emulator.ts';

const platform = sharedPlatform();

function ask(name: CredentialName, more: Record<string, unknown> = {}) {
  const { clientId, clientSecret, scopes } = platform().credentials[name];
  const input = { client_id: clientId, client_secret: clientSecret, grant_type: 'client_credentials', scope: scopes.join(' '), ...more };
  return platform().call('requestToken', input);
}

describe('POST /v1/oauth/token', () => {
  it('answers bare, with the endpoint of the service and a life of one hour', async () => {
    const { status, body } = await ask('shop', { scope: 'metrics data-export' });
    expect(status).toBe(200);
    expect(body).toEqual({
      access_token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
      token_type: 'bearer',
      expires_in: 3600,
      scope: 'metrics data-export',
      project_id: shop.id,
      endpoint: platform().serviceUrl,
    });
    expect(platform().serviceUrl).not.toMatch(/\/$/);
  });

  it('signs a token that carries project, scopes, credential and expiry by the clock', async () => {
    const { payload } = decode(await platform().token('app', { scope: 'metrics' }));
    const nowSeconds = platform().clock.now() / 1000;
    expect(payload).toMatchObject({ project: app.id, scope: 'metrics', sub: platform().credentials.app.clientId, exp: nowSeconds + 3600 });
  });

  it('gives another token each time, so that a renewal differs from a cached one', async () => {
    expect(await platform().token('shop')).not.toBe(await platform().token('shop'));
  });

  it('sends enrichment to an endpoint of its own, which ends with a slash', async () => {
    const { body } = await ask('enrichment');
    expect(body).toMatchObject({ scope: 'enrichment', project_id: shop.id, endpoint: platform().enrichmentUrl });
    expect(platform().enrichmentUrl).toMatch(/\d\/$/);
  });

  it('lets an account credential choose among its projects', async () => {
    for (const { id } of [shop, app, content]) expect((await ask('account', { project_id: id })).body).toMatchObject({ project_id: id });
  });

  it('takes the project_id of a project credential when it is its own', async () => {
    expect((await ask('content', { project_id: content.id })).status).toBe(200);
  });

  it.each<[string, CredentialName, Record<string, unknown>, number, string, RegExp]>([
    ['a wrong secret', 'shop', { client_secret: 'wrong' }, 401, 'invalid_client', /secret is wrong/],
    ['an unknown client', 'shop', { client_id: 'unknown' }, 401, 'invalid_client', /is wrong/],
    ['the secret of another client', 'shop', { client_id: 'app' }, 401, 'invalid_client', /is wrong/],
    ['an expired credential', 'expired', {}, 401, 'invalid_client', /expired on 2026-10-16/],
    [
      'a scope that the credential lacks',
      'noSpeed',
      { scope: 'metrics speed-analysis' },
      400,
      'invalid_scope',
      /lacks the scope speed-analysis; it has/,
    ],
    ['a scope that does not exist', 'shop', { scope: 'everything' }, 400, 'invalid_scope', /"everything" is not a scope/],
    ['enrichment together with another', 'enrichment', { scope: 'enrichment metrics' }, 400, 'invalid_scope', /cannot be combined/],
    ['an account credential without project_id', 'account', {}, 400, 'invalid_request', /project_id is required/],
    ['an account credential of one project without project_id', 'smallAccount', {}, 400, 'invalid_request', /project_id is required/],
    ['a project beyond the account', 'account', { project_id: 9 }, 403, 'access_denied', /project_id 9/],
    ['another project than its own', 'shop', { project_id: app.id }, 403, 'access_denied', /does not reach/],
    ['another grant type', 'shop', { grant_type: 'password' }, 400, 'unsupported_grant_type', /grant_type/],
    ['a missing secret', 'shop', { client_secret: undefined }, 400, 'invalid_request', /client_secret: is required/],
    ['an unknown name', 'shop', { projectId: shop.id }, 400, 'invalid_request', /projectId: is not known here; did you mean project_id/],
    ['a project_id in text', 'account', { project_id: String(shop.id) }, 400, 'invalid_request', /project_id/],
  ])('refuses %s', async (_, name, more, status, error, description) => {
    const answer = await ask(name, more);
    expect(answer.status).toBe(status);
    expect(answer.body).toEqual({ error, error_description: expect.stringMatching(description) });
  });

  it('refuses a body that is no JSON, and a form', async () => {
    const url = `${platform().authUrl}/v1/oauth/token`;
    const broken = await platform().send(url, { method: 'POST', body: '{', headers: { 'content-type': 'application/json' } });
    expect(broken).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: expect.stringContaining('not valid JSON') },
    });
    const form = await platform().send(url, { method: 'POST', body: new URLSearchParams({ client_id: 'a' }) });
    expect(form).toMatchObject({
      status: 400,
      body: { error: 'invalid_request', error_description: expect.stringContaining('must be JSON') },
    });
  });
});

it('POST /v1/oauth/me answers scopes and projects, bare', async () => {
  const { clientId, clientSecret } = platform().credentials.account;
  expect(await platform().call('readCredential', { client_id: clientId, client_secret: clientSecret })).toMatchObject({
    status: 200,
    body: {
      scopes: 'speed-analysis data-export metrics session-replay',
      permissions: { projects: [shop, app, content].map(({ id, name }) => ({ id, name })) },
    },
  });
});

it('POST /v1/oauth/me refuses a wrong secret and an expired credential', async () => {
  const { expired, shop: known } = platform().credentials;
  const wrong = await platform().call('readCredential', { client_id: known.clientId, client_secret: 'x' });
  expect(wrong).toMatchObject({ status: 401, body: { error: 'invalid_client' } });
  const old = await platform().call('readCredential', { client_id: expired.clientId, client_secret: expired.clientSecret });
  expect(old).toMatchObject({ status: 401, body: { error: 'invalid_client', error_description: expect.stringContaining('1 year') } });
});

describe('bearer tokens', () => {
  const visits = { startDate: '2026-11-01T00:00:00.000Z', endDate: '2026-11-02T00:00:00.000Z' };

  it('live one hour by the clock', () =>
    withPlatform(async ({ clock, token, call }) => {
      const bearer = await token('shop');
      await clock.advance(HOUR_MS - 1);
      expect((await call('getSiteVisits', visits, bearer)).status).toBe(200);
      await clock.advance(1);
      expect(await call('getSiteVisits', visits, bearer)).toMatchObject({
        status: 401,
        body: { success: false, errorMessage: 'Auth token is expired.', errorCode: 'JWT_EXPIRED' },
      });
    }));

  it('are refused when missing, forged or of another emulator', async () => {
    const { call, token } = platform();
    const { payload } = decode(await token('shop'));
    const forged = await sign(payload, 'another key', 'HS256');
    const unsigned = `${(await token('shop')).split('.').slice(0, 2).join('.')}.`;
    const codeOf = async (bearer?: string) => (await call('getSiteVisits', visits, bearer)).body;
    expect(await codeOf()).toMatchObject({ success: false, errorCode: 'JWT_MISSING' });
    for (const bearer of ['x', 'a.b.c', forged, unsigned]) expect(await codeOf(bearer)).toMatchObject({ errorCode: 'JWT_INVALID' });
    await withPlatform(
      async (other) => {
        expect(await codeOf(await other.token('shop'))).toMatchObject({ errorCode: 'JWT_INVALID' });
      },
      { seed: 2 },
    );
  });

  it('open only what their scopes cover', async () => {
    const { call, token } = platform();
    expect(await call('getSiteVisits', visits, await token('shop', { scope: 'data-export' }))).toMatchObject({
      status: 403,
      body: {
        success: false,
        errorCode: 'FORBIDDEN',
        errorMessage: expect.stringMatching(/lacks the scope metrics; it carries data-export/),
      },
    });
    expect((await call('listScenarios', {}, await token('noSpeed'))).status).toBe(403);
    expect((await call('getSiteVisits', visits, await token('enrichment'))).status).toBe(403);
    expect((await call('sendEnrichments', { projectId: shop.id, enrichments: [{}] }, await token('shop'))).status).toBe(403);
  });

  it('of an account credential need projectId in metrics and objects, and it must be theirs', async () => {
    const { call, token } = platform();
    const bearer = await token('account', { projectId: app.id });
    expect(await call('getSiteVisits', visits, bearer)).toMatchObject({
      status: 400,
      body: { errorMessage: expect.stringContaining('projectId') },
    });
    expect((await call('listGoals', {}, bearer)).status).toBe(400);
    expect((await call('getSiteVisits', { ...visits, projectId: app.id }, bearer)).status).toBe(200);
    expect((await call('listGoals', { projectId: shop.id }, bearer)).status).toBe(403);
    expect((await call('listExportJobs', {}, bearer)).status).toBe(200);
    expect((await call('listGoals', { projectId: app.id }, await token('shop'))).status).toBe(403);
  });
});

it('makes credentials that depend on the seed and expire one year after they were made', () =>
  withPlatform(
    async (other) => {
      const { credentials } = platform();
      const secrets = [credentials, other.credentials].flatMap((all) => Object.values(all).map(({ clientSecret }) => clientSecret));
      expect(new Set(secrets).size).toBe(2 * Object.keys(credentials).length);
      await withPlatform(async (same) => expect(same.credentials).toEqual(credentials));
      await other.clock.advance(334 * DAY_MS);
      await other.token('shop');
      await other.clock.advance(DAY_MS);
      await expect(other.token('shop')).rejects.toThrow('expired');
    },
    { seed: 2 },
  ));
