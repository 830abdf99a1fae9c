import { callTool } from '../mcp/call-tool.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { listedTools, loadTool } from './catalogue.ts';
import { enabledTools } from './enabled-tools.ts';
import { openSession } from './open-session.ts';
import type { WorldOptions } from './world-options.ts';

function readArguments(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (error) {
    throw new SettingsError(`the arguments are no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Calls one tool: its structured content as JSON on stdout and 0, or the error on stderr and 1. */
export async function call(settings: Settings, world: WorldOptions, [toolName, json = '{}', ...rest]: readonly string[]): Promise<number> {
  const tools = enabledTools(await listedTools(), settings);
  const listed = tools.find(({ name }) => name === toolName);
  if (!listed) throw new SettingsError(`call: no tool "${toolName ?? ''}"; there are ${tools.map(({ name }) => name).join(', ')}`);
  if (rest.length > 0) throw new SettingsError(`call: expected one JSON text of arguments; quote it: call ${listed.name} '{…}'`);
  const args = readArguments(json);
  const session = openSession(settings, tools, world);
  const interrupt = new AbortController();
  const stop = () => interrupt.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  try {
    const outcome = await callTool(await loadTool(listed.name), args, { session, signal: interrupt.signal, canAsk: false });
    if ('ask' in outcome || outcome.isError) {
      process.stderr.write(`${'ask' in outcome ? 'The tool asks for a confirmation' : outcome.text}\n`);
      return 1;
    }
    process.stdout.write(`${JSON.stringify(outcome.structured, null, 2)}\n`);
    return 0;
  } finally {
    process.off('SIGINT', stop);
    await session.close();
  }
}
