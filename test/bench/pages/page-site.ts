import type { IncomingMessage, ServerResponse } from 'node:http';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import { createServer as createHttp1 } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';

/** What a page loads, and what is planted in it. */
export interface PageFile {
  readonly type: string;
  readonly body: Buffer | string;
  readonly delayMs?: number | undefined;
  readonly plain?: boolean | undefined;
  readonly uncached?: boolean | undefined;
  /** A redirect instead of a body. */
  readonly location?: string | undefined;
}

/** Files by host and path, the page itself at `/`. */
export interface PageSite {
  readonly name: string;
  /** What an engineer would name first; empty on a clean page. */
  readonly planted: string;
  /** Kinds of findings of the product that name it. */
  readonly problems: readonly string[];
  /** Part of the address of the culprit, where there is one. */
  readonly culprit: string;
  /** Audits of Lighthouse that name it. */
  readonly audits: readonly string[];
  readonly http1?: boolean | undefined;
  readonly files: Readonly<Record<string, PageFile>>;
}

type Request = IncomingMessage | Http2ServerRequest;
type Response = ServerResponse | Http2ServerResponse;

const YEAR = 'public, max-age=31536000, immutable';

async function answer(site: PageSite, request: Request, response: Response): Promise<void> {
  const host = String(request.headers[':authority'] ?? request.headers.host).split(':')[0];
  const file = site.files[`${host}${request.url}`];
  if (!file) {
    response.statusCode = 404;
    response.end();
    return;
  }
  if (file.delayMs) await sleep(file.delayMs);
  if (file.location) {
    response.statusCode = 302;
    response.setHeader('location', file.location);
    response.end();
    return;
  }
  const isText = /text|javascript|json|svg|ttf/.test(file.type);
  const isPacked = isText && !file.plain;
  // Other hosts lie on the port of the page.
  const port = String(request.socket.localPort);
  const whole = file.type.startsWith('text/html') ? String(file.body).replaceAll(':PORT', `:${port}`) : file.body;
  const body = isPacked ? gzipSync(whole) : Buffer.from(whole);
  response.setHeader('content-type', file.type);
  response.setHeader('content-length', String(body.length));
  response.setHeader('access-control-allow-origin', '*');
  response.setHeader('timing-allow-origin', '*');
  if (isPacked) response.setHeader('content-encoding', 'gzip');
  if (!file.type.startsWith('text/html')) response.setHeader('cache-control', file.uncached ? 'no-store' : YEAR);
  (response as ServerResponse).end(body);
}

/** Serves a page over TLS on a port of its own, HTTP/2 unless it is planted not to be. */
export async function servePage(site: PageSite, keys: { key: Buffer; cert: Buffer }): Promise<{ port: number; close(): void }> {
  const listener = (request: Request, response: Response) => void answer(site, request, response);
  const server = site.http1 ? createHttp1(keys, listener) : createSecureServer({ ...keys, allowHTTP1: true }, listener);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    close: () => {
      server.close();
    },
  };
}
