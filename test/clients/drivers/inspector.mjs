import { commandOf } from '../command.mjs';

const inspector = commandOf('@modelcontextprotocol/inspector', 'mcp-inspector');

/** The command line starts its client anew for each request. */
export async function open(server) {
  const target = 'url' in server ? [server.url, '--transport', 'http'] : [server.command, ...server.args];
  const ask = async (...request) => JSON.parse(await inspector('--cli', ...target, '--method', ...request));
  return {
    tools: async () => (await ask('tools/list')).tools.map(({ name }) => name),
    async call(name, args) {
      const given = Object.entries(args).map(([key, value]) => `${key}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
      return JSON.stringify(await ask('tools/call', '--tool-name', name, ...given.flatMap((each) => ['--tool-arg', each])));
    },
    read: async (uri) => (await ask('resources/read', '--uri', uri)).contents[0].text,
    close: async () => undefined,
  };
}
