import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { isRecord } from '../../src/lib/is-record.ts';

/** A service on loopback that answers JSON. */
export interface JsonService {
  readonly url: string;
  readonly close: () => void;
}

interface Answered {
  readonly status?: number;
  readonly value: unknown;
}

/** Serves on a free port; where `answer` throws, the connection breaks. */
export async function serveJson(
  answer: (target: string, body: string, request: IncomingMessage) => Answered | Promise<Answered>,
): Promise<JsonService> {
  const server = createServer((request, response) => {
    void (async () => {
      const { status = 200, value } = await answer(request.url ?? '/', await text(request), request);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    })().catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** What is put in the place of a platform's answers. */
export interface Changes {
  /** The payload that is answered without asking the platform; undefined: the platform answers. */
  readonly answer?: (target: string, body: string) => unknown;
  /** Makes another payload of one that the platform answered. */
  readonly alter?: (payload: unknown, target: string) => unknown;
}

/** A service in front of a platform, known by the address of its authentication server, whose answers are changed on their way. */
export async function forwardTo(authUrl: () => string, { answer, alter }: Changes): Promise<JsonService> {
  let serviceUrl = '';
  const service = await serveJson(async (target, body, { method = 'GET', headers: sent }) => {
    const payload = await answer?.(target, body);
    if (payload !== undefined) return { value: { success: true, payload } };
    const headers = new Headers();
    for (const name of ['authorization', 'content-type'] as const) if (sent[name] !== undefined) headers.set(name, sent[name]);
    const base = target.startsWith('/v1/oauth/') ? authUrl() : serviceUrl;
    const forwarded = await fetch(base + target, { method, headers, ...(body !== '' && { body }) });
    const value: unknown = await forwarded.json();
    if (isRecord(value) && typeof value['endpoint'] === 'string') [serviceUrl, value['endpoint']] = [value['endpoint'], service.url];
    else if (alter && isRecord(value) && 'payload' in value) value['payload'] = alter(value['payload'], target);
    return { status: forwarded.status, value };
  });
  return service;
}
