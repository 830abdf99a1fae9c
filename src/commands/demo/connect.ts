import { printHeading, printLine } from './print.ts';

/** How the hosts are told of a server, with the path of this installation. */
export function printHowToConnect(executable: string): void {
  const server = { command: 'node', args: [executable, '--demo'] };
  const json = (value: object) => JSON.stringify(value, null, 2).split('\n');
  printHeading('Connect your assistant (leave out --demo and set the WEB_ANALYTICS_… variables for your own platform)');
  printLine('Claude Code:');
  printLine(`  claude mcp add web-analytics -- node "${executable}" --demo`);
  printLine('Claude Desktop (claude_desktop_config.json) and Cursor (.cursor/mcp.json):');
  for (const line of json({ mcpServers: { 'web-analytics': server } })) printLine(`  ${line}`);
  printLine('VS Code (.vscode/mcp.json):');
  for (const line of json({ servers: { 'web-analytics': { type: 'stdio', ...server } } })) printLine(`  ${line}`);
}
