import { realpathSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { formatMs } from '../../lib/number-text.ts';
import { type StartCommand, shellWords, startCommand, version } from '../about.ts';
import type { WorldFlags } from '../emulator.ts';
import { createAsk, printHeading, printLine, printQuestion } from './ask.ts';
import { type Memory, questions } from './questions.ts';

/** How a host is given the server. */
function printHowToConnect(server: StartCommand): void {
  const json = (value: object) => JSON.stringify(value, null, 2).split('\n');
  printHeading('Connect your assistant (leave out --demo and set the WEB_ANALYTICS_… variables for your own platform)');
  printLine('Claude Code:');
  printLine(`  claude mcp add web-analytics -- ${shellWords(server)}`);
  printLine('Claude Desktop (claude_desktop_config.json), Cursor (.cursor/mcp.json) and most others:');
  for (const line of json({ mcpServers: { 'web-analytics': server } })) printLine(`  ${line}`);
  printLine('VS Code (.vscode/mcp.json):');
  for (const line of json({ servers: { 'web-analytics': { type: 'stdio', ...server } } })) printLine(`  ${line}`);
}

/** Starts the server with its embedded emulator as a child, asks it the questions, prints the answers and how to connect a host. */
export async function demo({ fault = [], ...given }: WorldFlags): Promise<number> {
  const { clock } = given;
  const executable = realpathSync(process.argv[1] ?? 'dist/main.js'); // npm starts a link to it
  const startedMs = performance.now();
  printHeading('A real MCP client, the built server over stdio, and the emulated platform behind it.');
  const named = Object.entries(given).flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}`, value]));
  const world = [...named, ...fault.flatMap((each) => ['--fault', each])];
  const client = new Client({ name: 'web-analytics-demo', version });
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [executable, 'serve', '--demo', ...world], stderr: 'inherit' }),
  );
  try {
    const { tools } = await client.listTools();
    printLine(`Connected: ${tools.length} tools. An assistant would choose the calls below by itself.`);
    const { ask, calls } = createAsk(client);
    const memory: Memory = { nowMs: clock === undefined ? Date.now() : Date.parse(clock) };
    for (const [index, { text, answer }] of questions.entries()) {
      // Nobody reads on, as after `demo | head`.
      if (!process.stdout.writable) break;
      printQuestion(index + 1, text);
      await answer(ask, memory);
    }
    printHeading(`${questions.length} questions, ${calls()} tool calls, ${formatMs(performance.now() - startedMs)}.`);
  } finally {
    await client.close();
  }
  printHowToConnect(startCommand(executable, ['--demo']));
  return 0;
}
