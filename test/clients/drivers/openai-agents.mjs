import { getAllMcpTools, MCPServerStdio, MCPServerStreamableHttp, RunContext } from '@openai/agents';

export async function open(server) {
  const client =
    'url' in server
      ? new MCPServerStreamableHttp({ name: 'analytics', url: server.url })
      : new MCPServerStdio({ name: 'analytics', command: server.command, args: server.args });
  await client.connect();
  // Strict schemas are what its models are given.
  const tools = await getAllMcpTools({ mcpServers: [client], convertSchemasToStrict: true });
  return {
    tools: async () => tools.map(({ name }) => name),
    async call(name, args) {
      const tool = tools.find((each) => each.name === name);
      // In strict mode a model sends every argument, the optional ones as null.
      const all = Object.fromEntries(Object.keys(tool.parameters.properties).map((key) => [key, args[key] ?? null]));
      const sent = tool.strict ? { ...all, ...args } : args;
      return JSON.stringify(await tool.invoke(new RunContext(), JSON.stringify(sent)));
    },
    read: async (uri) => (await client.readResource(uri)).contents[0].text,
    close: () => client.close(),
  };
}
