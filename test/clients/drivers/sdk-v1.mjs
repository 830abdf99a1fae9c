import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';

/** A client of the first major version of the SDK; other drivers build on it. */
export async function openSdkClient(server) {
  const client = new Client({ name: 'clients', version: '1.0.0' });
  await client.connect('url' in server ? new StreamableHTTPClientTransport(new URL(server.url)) : new StdioClientTransport(server));
  return client;
}

/** The driver of an SDK client of either major version. */
export const driverOf = (client) => ({
  tools: async () => (await client.listTools()).tools.map(({ name }) => name),
  call: async (name, args) => JSON.stringify(await client.callTool({ name, arguments: args })),
  read: async (uri) => (await client.readResource({ uri })).contents[0].text,
  close: () => client.close(),
});

export const open = async (server) => driverOf(await openSdkClient(server));
