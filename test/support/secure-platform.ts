import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { type Certificates, makeCertificates } from './certificates.ts';
import { openPlatform, type Platform } from './emulator.ts';

/** The platform behind TLS, under names that no resolver knows: only a proxy leads to it. */
export interface SecurePlatform {
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
export async function openSecurePlatform(): Promise<SecurePlatform> {
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
