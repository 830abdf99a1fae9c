import { once } from 'node:events';
import { Agent, request } from 'node:http';
import process from 'node:process';
import { McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

/** The least that answers `get_credential`: the SDK, and one request of Node's own client to the platform in its own process. */
const agent = new Agent({ keepAlive: true });
const body = JSON.stringify({
  client_id: process.env['WEB_ANALYTICS_CLIENT_ID'],
  client_secret: process.env['WEB_ANALYTICS_CLIENT_SECRET'],
});
const options = { agent, method: 'POST', headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) } };

async function readCredential(): Promise<string> {
  const outgoing = request(`${process.env['WEB_ANALYTICS_AUTH_URL']}/v1/oauth/me`, options);
  outgoing.end(body);
  const [response] = (await once(outgoing, 'response')) as [NodeJS.ReadableStream];
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) text += String(chunk);
  return JSON.stringify(JSON.parse(text));
}

serveStdio(() => {
  const server = new McpServer({ name: 'asking', version: '0.0.0' });
  const echo = { description: 'Reads the credential.', inputSchema: z.strictObject({ text: z.string() }) };
  server.registerTool('echo', echo, async () => ({ content: [{ type: 'text', text: await readCredential() }] }));
  return server;
});
