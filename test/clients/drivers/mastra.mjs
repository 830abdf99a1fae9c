import { MCPClient } from '@mastra/mcp';

export async function open(server) {
  const connection = 'url' in server ? { url: new URL(server.url) } : server;
  const client = new MCPClient({ servers: { analytics: connection } });
  const tools = await client.getTools();
  return {
    tools: async () => Object.keys(tools),
    // An answer that is an error may be thrown.
    call: (name, args) =>
      tools[`analytics_${name}`].execute({ context: args }).then(JSON.stringify, (error) => `isError: ${error.message}`),
    read: async (uri) => (await client.resources.read('analytics', uri)).contents[0].text,
    close: () => client.disconnect(),
  };
}
