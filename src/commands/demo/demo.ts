import { realpathSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { formatMs } from '../../lib/number-text.ts';
import { version } from '../about.ts';
import { startCommand } from '../start-command.ts';
import { createAsk, printHeading, printHowToConnect, printLine, printQuestion } from './ask.ts';
import { type Memory, questions } from './questions.ts';

/** Starts the server with its embedded emulator as a child, asks it the questions, prints the answers and how to connect a host. */
export async function demo({ seed, clock }: { seed?: string; clock?: string }): Promise<number> {
  const executable = realpathSync(process.argv[1] ?? 'dist/main.js'); // npm starts a link to it
  const startedMs = performance.now();
  printHeading('A real MCP client, the built server over stdio, and the emulated platform behind it.');
  const world = [...(seed === undefined ? [] : ['--seed', seed]), ...(clock === undefined ? [] : ['--clock', clock])];
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
