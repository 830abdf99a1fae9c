import { randomUUID } from 'node:crypto';
import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler } from '@modelcontextprotocol/server';
import { listedTools, loadTool } from '../../src/commands/catalogue.ts';
import { createPlatform } from '../../src/commands/platform.ts';
import { prompts } from '../../src/prompts/index.ts';
import { createServer } from '../../src/protocol/server.ts';
import { createSubscriptions } from '../../src/protocol/subscriptions.ts';
import { resources } from '../../src/resources/index.ts';
import { readSettings } from '../../src/settings/settings.ts';

// The product's tools, served over HTTP as the documents of the SDK show it: no checks, no limits, no sign-in, no logs, no end of a
// session.

const tools = await listedTools();
const session = createPlatform(readSettings(process.env), tools, { seed: 1, faults: [] }).openSession();
const subscriptions = createSubscriptions(session, resources);
const factory = () => createServer({ name: 'plain', version: '1.0.0', tools, load: loadTool, resources, prompts, session, subscriptions });

const handler = toNodeHandler(createMcpHandler(factory, { legacy: 'reject' }));
const transports = new Map<string, NodeStreamableHTTPServerTransport>();

const server = createHttpServer((request, response) => {
  const { headers } = request;
  // What a server receives has a method and an address, which the types leave open.
  if (headers['mcp-protocol-version'] === '2026-07-28')
    return void handler(request as typeof request & { method: string; url: string }, response);
  const known = transports.get(String(headers['mcp-session-id']));
  if (known) return void known.handleRequest(request, response);
  const transport = new NodeStreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    onsessioninitialized: (id) => void transports.set(id, transport),
  });
  return void factory()
    .connect(transport)
    .then(() => transport.handleRequest(request, response));
});
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => {
  process.stderr.write(`listens on http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp\n`);
});
