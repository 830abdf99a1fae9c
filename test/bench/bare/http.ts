import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  localhostHostValidation,
  localhostOriginValidation,
  NodeStreamableHTTPServerTransport,
  toNodeHandler,
  toWebRequest,
} from '@modelcontextprotocol/node';
import { createMcpHandler, isInitializeRequest, isLegacyRequest } from '@modelcontextprotocol/server';
import { buildServer } from './echo.ts';

// Both eras as the documents of the SDK show it: checks of host and origin, sessions of the 2025 era, and nothing else.

type Received = IncomingMessage & { method: string; url: string };

const modern = toNodeHandler(createMcpHandler(buildServer, { legacy: 'reject' }));
const hostIsLocal = localhostHostValidation();
const originIsLocal = localhostOriginValidation();
const sessions = new Map<string, NodeStreamableHTTPServerTransport>();

async function openSession(request: Received, response: ServerResponse, body: unknown): Promise<void> {
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void sessions.set(id, transport),
  });
  await buildServer().connect(transport);
  await transport.handleRequest(request, response, body);
}

async function legacy(request: Received, response: ServerResponse, body: unknown): Promise<void> {
  const id = request.headers['mcp-session-id'];
  const transport = sessions.get(String(id));
  if (transport) return transport.handleRequest(request, response, body);
  if (id === undefined && request.method === 'POST' && isInitializeRequest(body)) return openSession(request, response, body);
  response.writeHead(id === undefined ? 400 : 404).end();
}

async function answer(request: Received, response: ServerResponse): Promise<void> {
  const web = await toWebRequest(request);
  const text = request.method === 'POST' ? await web.clone().text() : '';
  const body = text === '' ? undefined : (JSON.parse(text) as unknown);
  await ((await isLegacyRequest(web)) ? legacy(request, response, body) : modern(request, response, body));
}

const server = createServer((request, response) => {
  if (!hostIsLocal(request, response) || !originIsLocal(request, response)) return;
  // What a server receives has a method and an address, which the types leave open.
  answer(request as Received, response).catch((error: unknown) => {
    process.stderr.write(`${String(error)}\n`);
    if (!response.headersSent) response.writeHead(500).end();
  });
});
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`listening ${(server.address() as AddressInfo).port}\n`);
});
