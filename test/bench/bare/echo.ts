import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';

type Send = (text: string) => Promise<string>;

/** An HTTP service in this process that answers what it is sent, and what asks it: the least that a server over a platform does. */
async function startUpstream(): Promise<Send> {
  const { Agent, createServer, request } = await import('node:http');
  const service = createServer((incoming, response) => {
    incoming.setEncoding('utf8').on('data', (text) => response.end(text));
  }).listen(0, '127.0.0.1');
  service.unref();
  await once(service, 'listening');
  const { port } = service.address() as AddressInfo; // what a server on a port has
  const options = { port, agent: new Agent({ keepAlive: true }), method: 'POST', headers: { 'content-type': 'application/json' } };
  return async (text) => {
    const outgoing = request(options);
    outgoing.end(JSON.stringify({ success: true, payload: { text } }));
    const [response] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream];
    let body = '';
    for await (const chunk of response.setEncoding('utf8')) body += String(chunk);
    return (JSON.parse(body) as { payload: { text: string } }).payload.text;
  };
}

let upstream: Promise<Send> | undefined;

/** A server with one tool that sends one request a call, for stdio and HTTP alike. */
export function buildServer(): McpServer {
  const server = new McpServer({ name: 'bare', version: '0.0.0' }, { instructions: 'Call echo.' });
  const echo = {
    title: 'Echo',
    description: 'Returns the text that it is given.',
    inputSchema: z.strictObject({ text: z.string().describe('any text') }),
    annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  };
  server.registerTool('echo', echo, async ({ text }) => {
    const send = await (upstream ??= startUpstream());
    return { content: [{ type: 'text', text: await send(text) }] };
  });
  return server;
}
