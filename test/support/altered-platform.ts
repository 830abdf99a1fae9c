import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll } from 'vitest';
import { isRecord } from '../../src/lib/is-record.ts';
import type { Platform } from './emulator.ts';

/** Gives the payload that a path answers with another one. */
export type Alter = (payload: unknown, path: string) => unknown;

/** A platform whose answers go through a proxy that changes payloads on their way. */
export interface AlteredPlatform {
  /** The platform behind the proxy, for an assistant to connect to. */
  readonly platform: () => Platform;
  /** From now on; undefined: answers pass as they are. */
  readonly alterBy: (alter: Alter | undefined) => void;
}

async function bytesOf(chunks: AsyncIterable<unknown>): Promise<Buffer> {
  const read: Buffer[] = [];
  for await (const chunk of chunks) if (Buffer.isBuffer(chunk)) read.push(chunk);
  return Buffer.concat(read);
}

/** A proxy in front of a file's platform, started before its tests and stopped after them. */
export function alteredPlatform(inner: () => Platform): AlteredPlatform {
  let alter: Alter | undefined;
  let url = '';
  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const target = request.url ?? '/';
    const { authUrl, serviceUrl } = inner();
    const headers = new Headers();
    for (const name of ['authorization', 'content-type']) {
      const value = request.headers[name];
      if (typeof value === 'string') headers.set(name, value);
    }
    const body = await bytesOf(request);
    const base = target.startsWith('/v1/oauth/') ? authUrl : serviceUrl;
    const answer = await fetch(base + target, { method: request.method ?? 'GET', headers, ...(body.length > 0 && { body }) });
    const value: unknown = await answer.json();
    if (isRecord(value) && 'endpoint' in value) value['endpoint'] = url;
    else if (isRecord(value) && 'payload' in value) value['payload'] = alter ? alter(value['payload'], target) : value['payload'];
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
  }
  const server = createServer((request, response) => void pass(request, response).catch(() => response.destroy()));
  beforeAll(async () => {
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve);
    });
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    platform: () => ({ ...inner(), authUrl: url }),
    alterBy: (next) => {
      alter = next;
    },
  };
}
