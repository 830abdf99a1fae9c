import { commandOf } from '../command.mjs';

const mcporter = commandOf('mcporter', 'mcporter');

/** The command line starts its client anew for each request; it has no command that reads a resource. */
export async function open(server) {
  const target =
    'url' in server
      ? ['--http-url', server.url, '--allow-http', '--name', 'analytics']
      : ['--stdio', [server.command, ...server.args].join(' '), '--name', 'analytics'];
  return {
    tools: async () => JSON.parse(await mcporter('list', ...target, '--json')).tools.map(({ name }) => name),
    call: (name, args) => mcporter('call', ...target, name, '--args', JSON.stringify(args), '--output', 'json'),
    close: async () => undefined,
  };
}
