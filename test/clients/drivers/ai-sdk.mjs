import { createMCPClient } from '@ai-sdk/mcp';
import { Experimental_StdioMCPTransport as StdioTransport } from '@ai-sdk/mcp/mcp-stdio';

export async function open(server) {
  const transport = 'url' in server ? { type: 'http', url: server.url } : new StdioTransport(server);
  const client = await createMCPClient({ transport });
  const tools = await client.tools();
  return {
    tools: async () => Object.keys(tools),
    call: async (name, args) => JSON.stringify(await tools[name].execute(args, { toolCallId: '1', messages: [] })),
    read: async (uri) => (await client.readResource({ uri })).contents[0].text,
    close: () => client.close(),
  };
}
