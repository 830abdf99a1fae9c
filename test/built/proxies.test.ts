/** @module-tag nightly */
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { Client } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Certificates, makeCertificates } from '../support/certificates.ts';
import { openPlatform, type Platform } from '../support/emulator.ts';
import { temporaryFolder } from '../support/folder.ts';
import { printedBy } from '../support/printed.ts';
import { startProxy, startSocksProxy } from '../support/proxy.ts';
import { freshBundle, startServer } from '../support/stdio.ts';

/** The platform behind TLS, under names that no resolver knows: only a proxy leads to it. */
interface SecurePlatform {
  readonly platform: Platform;
  /** Signs the platform, and a proxy at 127.0.0.1. */
  readonly certificates: Certificates;
  readonly authUrl: string;
  /** On loopback; all names of the platform lead here. */
  readonly port: number;
  readonly close: () => Promise<void>;
}

const DOMAIN = 'platform.invalid';

/** Serves an emulator as `https://auth.platform.invalid` and its siblings; addresses in its answers are spelled so. */
async function openSecurePlatform(): Promise<SecurePlatform> {
  const certificates = makeCertificates([`DNS:*.${DOMAIN}`, 'IP:127.0.0.1']);
  const platform = await openPlatform({ start: new Date().toISOString() });
  const { authUrl, serviceUrl, enrichmentUrl, storeUrl } = platform;
  const bases = new Map([authUrl, serviceUrl, enrichmentUrl.slice(0, -1), storeUrl].map((base, at) => [`${at}.${DOMAIN}`, base]));

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const base = bases.get(request.headers.host ?? '') ?? '';
    const headers = new Headers({ 'accept-encoding': 'identity' });
    for (const name of ['authorization', 'content-type', 'range', 'if-range'])
      if (typeof request.headers[name] === 'string') headers.set(name, request.headers[name]);
    const body = await buffer(request);
    const { status, headers: answered, ...rest } = await inner(base + request.url, request.method ?? 'GET', headers, body);
    const kept = ['content-type', 'content-range', 'etag', 'retry-after'].flatMap((name) => {
      const value = answered.get(name);
      return value === null ? [] : [[name, value] as const];
    });
    response.writeHead(status, Object.fromEntries(kept)).end(rest.bytes);
  }

  async function inner(url: string, method: string, headers: Headers, body: Buffer) {
    const received = await fetch(url, { method, headers, ...(body.length > 0 && { body: new Uint8Array(body) }) });
    const bytes = Buffer.from(await received.arrayBuffer());
    if (!received.headers.get('content-type')?.startsWith('application/json'))
      return { status: received.status, headers: received.headers, bytes };
    const spelled = [...bases].reduce((text, [name, base]) => text.replaceAll(base, `https://${name}`), bytes.toString());
    return { status: received.status, headers: received.headers, bytes: Buffer.from(spelled) };
  }

  const server = createServer(certificates, (request, response) => void answer(request, response).catch(() => response.destroy()));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    platform,
    certificates,
    authUrl: `https://0.${DOMAIN}`,
    port,
    async close() {
      server.closeAllConnections();
      server.close();
      certificates.remove();
      await platform.close();
    },
  };
}

let secure: SecurePlatform;

beforeAll(async () => {
  [secure] = await Promise.all([openSecurePlatform(), freshBundle()]);
});
afterAll(() => secure.close());

/** The variables that a host passes on: the credential, the authority, and those of the case. */
function environment(own: Readonly<Record<string, string>>): Record<string, string> {
  const { clientId, clientSecret } = secure.platform.credentials.shop;
  return {
    WEB_ANALYTICS_AUTH_URL: secure.authUrl,
    WEB_ANALYTICS_CLIENT_ID: clientId,
    WEB_ANALYTICS_CLIENT_SECRET: clientSecret,
    NODE_EXTRA_CA_CERTS: secure.certificates.authority,
    ...own,
  };
}

const printed = (args: readonly string[], own: Readonly<Record<string, string>>) => printedBy('dist', args, environment(own));
const ask = (own: Readonly<Record<string, string>>) => printed(['call', 'get_credential', '{}'], own);

const TUNNELS = ['CONNECT 0.platform.invalid:443', 'CONNECT 1.platform.invalid:443'];
const FILES = 'CONNECT 3.platform.invalid:443';

describe('the built server behind a proxy', () => {
  it('signs in, reads figures and downloads files through tunnels, with user and password', async () => {
    const signIn = 'anna:p@ss w%rd:é';
    const proxy = await startProxy({ upstream: secure.port, signIn });
    const address = proxy.url.replace('//', '//anna:p%40ss%20w%25rd:%C3%A9@');
    const server = await startServer(['--data-dir', temporaryFolder()], environment({ HTTPS_PROXY: address }));
    onTestFinished(async () => void (await server.stop()));
    const client = new Client({ name: 'host', version: '1' });
    await client.connect(server.transport());
    const call = (name: string, args: Record<string, unknown>) => client.callTool({ name, arguments: args });
    const visits = await call('get_site_visits', { startDate: '-3d', endDate: 'yesterday' });
    expect(visits.structuredContent).toMatchObject({ rows: [[expect.any(String), expect.any(String), expect.any(Number)]] });
    expect(new Set(proxy.asked)).toEqual(new Set(TUNNELS));
    await call('sync_exports', { jobIds: ['Daily sessions'], since: '-1d' });
    const rows = await call('query_export', { jobId: 'Daily sessions', sql: 'SELECT count(*) > 0 AS some FROM data' });
    expect(rows.structuredContent).toMatchObject({ rows: [[true]] });
    expect(proxy.asked).toContain(FILES);
    expect(server.stderr()).not.toContain('p@ss');
  });

  it('speaks TLS with it, under an authority of its own', async () => {
    const proxy = await startProxy({ upstream: secure.port, secure: secure.certificates });
    const answer = await ask({ HTTPS_PROXY: proxy.url });
    expect(answer).toContain('Nordlicht Shop');
    expect(answer).not.toContain('Warning');
    expect(proxy.asked).toContain(TUNNELS[0]);
  });

  it('gives names to one of SOCKS 5, with user and password', async () => {
    const proxy = await startSocksProxy({ upstream: secure.port, signIn: 'anna:p@ss' });
    expect(await ask({ ALL_PROXY: `socks5h://anna:p%40ss@${proxy.host}` })).toContain('Nordlicht Shop');
    expect(proxy.asked).toContain('SOCKS 0.platform.invalid:443');
  });

  it('says in doctor which one leads to the platform, and once where it cannot', async () => {
    const proxy = await startProxy({ upstream: secure.port });
    const good = await printed(['doctor'], { HTTPS_PROXY: `bob:canary@${proxy.host}` });
    const way = `through http://${proxy.host} of HTTPS_PROXY, with user and password`;
    expect(good).toContain(`✓ proxy: 0.platform.invalid is reached ${way}\n`);
    expect(good).toContain('✓ certificates: authorities of NODE_EXTRA_CA_CERTS are accepted, the first CN=Authority of a test\n');
    expect(good).toContain('No problem.');
    const faulty = await printed(['doctor'], { HTTPS_PROXY: 'ftp://canary@proxy.invalid', NODE_EXTRA_CA_CERTS: '/no/such/file.pem' });
    expect(faulty).toMatch(/✗ proxy: HTTPS_PROXY names a proxy of the kind ftp, which is not supported; expected http:\/\/host:port/);
    expect(faulty).toContain('✗ certificates: NODE_EXTRA_CA_CERTS: "/no/such/file.pem" cannot be read');
    expect(faulty).toContain('2 problems.');
    expect(good + faulty).not.toContain('canary');
  });
});
