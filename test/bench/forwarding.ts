import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ExternalEmulator } from './emulator.ts';

/** A service between a server under measurement and the emulated platform. */
export interface Forwarding {
  /** The address of the authentication server. */
  readonly url: string;
  readonly close: () => void;
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(Buffer.from(chunk as Uint8Array));
  return Buffer.concat(chunks).toString();
}

/** Answers with the payload that `answer` gives, and lets the emulator answer where it gives none. */
export async function openForwarding(
  { environment }: ExternalEmulator,
  answer: (target: string, body: string) => unknown,
): Promise<Forwarding> {
  const authUrl = environment['WEB_ANALYTICS_AUTH_URL'] ?? '';
  let [serviceUrl, ownUrl] = ['', ''];
  const server = createServer((request, response) => {
    void (async () => {
      const [target, body] = [request.url ?? '/', await textOf(request)];
      const payload = await answer(target, body);
      if (payload !== undefined) {
        response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ success: true, payload }));
        return;
      }
      const headers: Record<string, string> = {};
      for (const name of ['authorization', 'content-type']) {
        const value = request.headers[name];
        if (typeof value === 'string') headers[name] = value;
      }
      const base = target.startsWith('/v1/oauth/') ? authUrl : serviceUrl;
      const forwarded = await fetch(base + target, { method: request.method ?? 'GET', headers, ...(body !== '' && { body }) });
      const value = (await forwarded.json()) as Record<string, unknown>;
      if (typeof value['endpoint'] === 'string') [serviceUrl, value['endpoint']] = [value['endpoint'], ownUrl];
      response.writeHead(forwarded.status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    })().catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  ownUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: ownUrl,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
