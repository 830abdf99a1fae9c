import { MultiServerMCPClient } from '@langchain/mcp-adapters';

export async function open(server) {
  const connection = 'url' in server ? { transport: 'http', url: server.url } : { transport: 'stdio', ...server };
  const client = new MultiServerMCPClient({ mcpServers: { analytics: connection }, onConnectionError: 'throw' });
  const tools = await client.getTools();
  return {
    tools: async () => tools.map(({ name }) => name),
    async call(name, args) {
      const tool = tools.find((each) => each.name === name);
      // An answer that is an error is thrown.
      return tool.invoke(args).then(JSON.stringify, (error) => `isError: ${error.message}`);
    },
    read: async (uri) => (await client.readResource('analytics', uri))[0].text,
    close: () => client.close(),
  };
}
