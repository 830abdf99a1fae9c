import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { connect } from 'node:net';
import { join } from 'node:path';
import { expect, it, onTestFinished, type TestContext, vi } from 'vitest';
import { readCertificate } from '../../src/commands/serve-over-http.ts';
import { DAY_MS, isoTime } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import { manualClock } from '../support/clock.ts';
import { temporaryFolder } from '../support/folder.ts';
import { HEADERS, INITIALIZE, openRawSession, openService, post, type ServiceOptions, spokenSignIn } from '../support/http.ts';
import { startHttpServer, startServer } from '../support/stdio.ts';

async function open(options: ServiceOptions) {
  const service = await openService(options);
  onTestFinished(() => service.close());
  return service;
}

const HOSTS = 'WEB_ANALYTICS_ALLOWED_HOSTS';

it.each<[string, ServiceOptions, RegExp]>([
  ['neither', {}, new RegExp(`set sign-in .*and ${HOSTS}`)],
  ['no sign-in', { settings: { ALLOWED_HOSTS: 'mcp.example.com' } }, /so set sign-in/],
  ['no names', { signIn: spokenSignIn }, new RegExp(`so set ${HOSTS}`)],
])('beyond this machine nothing starts with %s, and says what to set', async (_, options, words) => {
  for (const host of ['0.0.0.0', '::', '192.0.2.1', 'mcp.example.com']) {
    const refused = openService({ ...options, settings: { ...options.settings, HOST: host } });
    await expect(refused).rejects.toThrow(words);
    await expect(refused).rejects.toThrow(`--host "${host}": others than this machine could call`);
  }
});

it('beyond this machine what starts with both answers to its names alone', async () => {
  const { url } = await open({ signIn: spokenSignIn, settings: { HOST: '0.0.0.0', ALLOWED_HOSTS: 'mcp.example.com,127.0.0.1' } });
  const near = url.replace('0.0.0.0', '127.0.0.1');
  const anna = { authorization: 'Bearer anna:read' };
  expect((await post(near, INITIALIZE, anna)).status).toBe(200);
  expect((await post(near.replace('127.0.0.1', 'localhost'), INITIALIZE, anna)).status).toBe(403);
  expect((await post(near, INITIALIZE)).status).toBe(401);
});

it.each(['127.0.0.1', 'localhost', '::1'])('beyond this machine %s is not', async (host) => {
  const { url } = await open({ settings: { HOST: host } });
  expect((await post(url, INITIALIZE)).status).toBe(200);
});

it('an address that cannot be had is named, with what to do', async () => {
  const { url } = await open({});
  const { port } = new URL(url);
  await expect(openService({ settings: { PORT: port } })).rejects.toThrow(`127.0.0.1:${port} is taken: choose another --port`);
  const elsewhere = { HOST: '192.0.2.1', ALLOWED_HOSTS: 'mcp.example.com' };
  await expect(openService({ signIn: spokenSignIn, settings: elsewhere })).rejects.toThrow(
    'is not an address of this machine: choose another --host',
  );
});

/** Paths of a new certificate and its key, where this machine can make them. */
function certificate(context: TestContext) {
  const folder = temporaryFolder();
  const [TLS_CERT_FILE, TLS_KEY_FILE] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  const kind = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2';
  const subject = '-subj /CN=localhost -addext subjectAltName=DNS:localhost';
  try {
    const args = `${kind} ${subject}`.split(' ');
    execFileSync('openssl', [...args, '-keyout', TLS_KEY_FILE, '-out', TLS_CERT_FILE], { stdio: 'ignore' });
  } catch {
    context.skip('openssl is not installed');
  }
  return { folder, settings: { TLS_CERT_FILE, TLS_KEY_FILE } };
}

it('without --http its settings are told to have no effect', { tags: 'nightly' }, async () => {
  const server = await startServer(['--demo', '--host', '0.0.0.0', '--allowed-hosts', 'mcp.example.com']);
  expect(await server.stop()).toEqual({ code: 0, signal: null });
  expect(server.stderr()).toBe(
    'web-analytics-mcp warn: Over stdio nothing becomes of WEB_ANALYTICS_HOST, WEB_ANALYTICS_ALLOWED_HOSTS; --http serves over HTTP\n',
  );
});

it('TLS is spoken with the files that are set', { tags: 'nightly' }, async (context) => {
  const { settings } = certificate(context);
  const { url } = await open({ settings });
  const { port, protocol } = new URL(url);
  expect(protocol).toBe('https:');
  const sending = request({
    host: '127.0.0.1',
    servername: 'localhost',
    port,
    path: '/mcp',
    method: 'POST',
    headers: HEADERS,
    ca: readFileSync(settings.TLS_CERT_FILE),
  });
  sending.end(JSON.stringify({ jsonrpc: '2.0', ...INITIALIZE }));
  const [response] = (await once(sending, 'response')) as [{ statusCode: number; headers: Record<string, string>; resume(): void }];
  response.resume();
  expect([response.statusCode, response.headers['mcp-session-id']]).toEqual([200, expect.stringMatching(/^[\da-f-]{36}$/)]);
  sending.destroy();
});

it('TLS with a certificate whose time is over is spoken, with a warning', (context) => {
  const { TLS_CERT_FILE: tlsCertFile, TLS_KEY_FILE: tlsKeyFile } = certificate(context).settings;
  const told = (days: number) => {
    const log = vi.fn<Log>();
    readCertificate({ tlsCertFile, tlsKeyFile }, { clock: manualClock(isoTime(Date.now() + days * DAY_MS)), log });
    return log.mock.calls;
  };
  expect([told(1), told(3)]).toEqual([[], [['warn', expect.stringContaining('TLS_CERT_FILE: clients refuse the certificate')]]]);
});

it('TLS waits for nobody who connects and does not shake hands, at its end least of all', { tags: 'nightly' }, async (context) => {
  const { settings } = certificate(context);
  const silent = async ({ url }: { url: string }) => {
    const socket = connect({ host: '127.0.0.1', port: Number(new URL(url).port) }).on('error', () => undefined);
    await once(socket, 'connect');
    return once(socket.resume(), 'close');
  };
  await silent(await open({ settings, limits: { headersTimeoutMs: 150 } }));
  const ending = await openService({ settings });
  const cut = silent(ending);
  // Meanwhile it is let in for sure.
  await silent(await open({ settings, limits: { headersTimeoutMs: 150 } }));
  await expect(Promise.all([ending.close(), cut])).resolves.toHaveLength(2);
});

it('TLS with files that cannot be used is refused by their names, with what is expected', { tags: 'nightly' }, async (context) => {
  const { folder, settings } = certificate(context);
  const file = (name: string, text?: string) => {
    if (text !== undefined) writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const pem = { type: 'pkcs8', format: 'pem' } as const;
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 1_024 });
  const { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } = settings;
  const wrong = file('wrong.pem', 'nothing of use');
  const other = file('other.pem', privateKey.export(pem).toString());
  const locked = file('locked.pem', privateKey.export({ ...pem, cipher: 'aes-256-cbc', passphrase: 'secret' }).toString());
  const refusals: [string, string, RegExp][] = [
    [file('none.pem'), key, /TLS_CERT_FILE: cannot read ".*none.pem"; expected a readable PEM file/],
    [wrong, key, /TLS_CERT_FILE: holds no certificate in PEM/],
    [file('empty.pem', ''), key, /TLS_CERT_FILE: holds no certificate in PEM/],
    [cert, wrong, /TLS_KEY_FILE: holds no private key in PEM/],
    [cert, locked, /TLS_KEY_FILE: holds no private key in PEM, or one behind a passphrase/],
    [cert, other, /TLS_KEY_FILE: the key does not belong to the certificate/],
  ];
  for (const [tlsCertFile, tlsKeyFile, words] of refusals)
    await expect(openService({ settings: { TLS_CERT_FILE: tlsCertFile, TLS_KEY_FILE: tlsKeyFile } })).rejects.toThrow(words);
  const refused = startHttpServer(['--demo', '--port', '0', '--tls-cert-file', cert, '--tls-key-file', wrong]);
  await expect(refused).rejects.toThrow(/^The server ended: .*holds no private key/);
});

it.each(['SIGTERM', 'SIGINT'] as const)(
  'goes on when nobody reads its log any more; %s ends it with 0, whoever is connected',
  {
    tags: 'nightly',
  },
  async (signal) => {
    const server = await startHttpServer();
    server.child.stderr.destroy();
    const session = await openRawSession(server.url);
    for (const id of [1, 2, 3]) {
      const call = { id, method: 'tools/call', params: { name: 'list_segments', arguments: {} } };
      expect((await post(server.url, call, session)).message).toHaveProperty('result.structuredContent');
    }
    const stream = await fetch(server.url, { headers: { ...session, accept: 'text/event-stream' } });
    server.child.kill(signal);
    expect(await stream.text()).toBe('');
    expect(await server.ended).toEqual({ code: 0, signal: null });
  },
);
