import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { driverOf } from './sdk-v1.mjs';

export async function open(server) {
  const client = new Client({ name: 'clients', version: '1.0.0' });
  await client.connect('url' in server ? new StreamableHTTPClientTransport(new URL(server.url)) : new StdioClientTransport(server));
  return driverOf(client);
}
