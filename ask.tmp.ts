// node .ci/run-script.mjs ask.tmp.ts <seed> <clock> calls.json out.txt   (calls.json: [{name, arguments}] or {uri})
import { readFileSync, writeFileSync } from 'node:fs';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [, , seed = '1', clock = '', calls = '', out = ''] = process.argv;
const client = new Client({ name: 'asker', version: '1.0.0' });
await client.connect(new StdioClientTransport({
  command: process.execPath,
  args: ['dist/main.js', 'serve', '--demo', '--seed', seed, '--clock', clock],
  stderr: 'inherit',
}));
const list = JSON.parse(readFileSync(calls, 'utf8'));
let text = '';
for (const call of list) {
  const started = Date.now();
  text += `\n##### ${JSON.stringify(call)}\n`;
  try {
    if (call.tools) text += JSON.stringify((await client.listTools()).tools.map((t: any) => ({ name: t.name, title: t.title, description: t.description, inputSchema: t.inputSchema })), null, 1);
    else if (call.uri) text += JSON.stringify(await client.readResource({ uri: call.uri }), null, 1);
    else {
      const answer: any = await client.callTool({ name: call.name, arguments: call.arguments ?? {} }, { timeout: 300000 });
      text += (answer.isError ? '[ERROR] ' : '') + answer.content.map((c: any) => c.text ?? `[${c.type} ${c.mimeType ?? ''} ${c.uri ?? ''}]`).join('\n');
      if (call.structured) text += `\n--- structured ---\n${JSON.stringify(answer.structuredContent, null, 1)}`;
    }
  } catch (error) { text += `[THROWN] ${error}`; }
  text += `\n(${Date.now() - started} ms)\n`;
}
writeFileSync(out, text);
await client.close();
