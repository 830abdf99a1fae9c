import { MCPClient } from 'mcp-client';

export async function open(server) {
  const client = new MCPClient({ name: 'clients', version: '1' });
  await client.connect('url' in server ? { type: 'httpStream', url: server.url } : { type: 'stdio', env: {}, ...server });
  return {
    tools: async () => (await client.getAllTools()).map(({ name }) => name),
    call: async (name, args) => JSON.stringify(await client.callTool({ name, arguments: args })),
    read: async (uri) => (await client.getResource({ uri })).contents[0].text,
    close: () => client.close(),
  };
}
