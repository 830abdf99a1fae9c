import { mcpToTool } from '@google/genai';
import { driverOf, openSdkClient } from './sdk-v1.mjs';

/** The library converts the tools of a client of the SDK and calls them as its models ask. */
export async function open(server) {
  const client = await openSdkClient(server);
  const callable = mcpToTool(client);
  return {
    ...driverOf(client),
    tools: async () => (await callable.tool()).functionDeclarations.map(({ name }) => name),
    async call(name, args) {
      await callable.tool();
      return JSON.stringify(await callable.callTool([{ name, args }]));
    },
  };
}
