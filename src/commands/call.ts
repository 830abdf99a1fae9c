import { parseJson } from '../api/json.ts';
import { callTool } from '../mcp/call-tool.ts';
import type { Answer } from '../mcp/results.ts';
import { type Settings, SettingsError } from '../settings.ts';
import { listedTools, loadTool } from './catalogue.ts';
import { enabledTools } from './enabled-tools.ts';
import { openSession } from './open-session.ts';
import type { WorldOptions } from './world-options.ts';

/** Ids beyond 2^53 become text, as in answers. */
async function readArguments(json: string): Promise<unknown> {
  try {
    return await parseJson(json);
  } catch (error) {
    throw new SettingsError(`the arguments are no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** How an answer is printed: its structured content, its text, or for check_speed_budgets a report that builds read. */
const FORMATS = ['json', 'table', 'junit'] as const;
type Format = (typeof FORMATS)[number];

/** A gate that is broken, and one that could not be judged; any other answer is a success. */
const BROKEN = 3;

function formatOf(text: string | undefined, toolName: string): Format {
  const format = FORMATS.find((each) => each === (text ?? 'json'));
  if (!format) throw new SettingsError(`--format "${text}" is wrong: expected ${FORMATS.join(', ')}`);
  if (format === 'junit' && toolName !== 'check_speed_budgets')
    throw new SettingsError(`--format junit is for check_speed_budgets, which passes or fails; ${toolName} has json and table`);
  return format;
}

async function print({ structured = {}, text }: Answer, format: Format): Promise<string> {
  if (format === 'table') return text;
  if (format === 'json') return JSON.stringify(structured, null, 2);
  const { junitReport } = await import('./junit.ts');
  return junitReport(structured);
}

/** 3 where an answer counts something broken, 1 where it could not judge all, else 0. */
function exitCodeOf({ broken, unmeasured }: Record<string, unknown>): number {
  if (typeof broken === 'number' && broken > 0) return BROKEN;
  return typeof unmeasured === 'number' && unmeasured > 0 ? 1 : 0;
}

/** Calls one tool: its answer on stdout and 0 (or 3 for a broken budget), or the error on stderr and 1. */
export async function call(
  settings: Settings,
  world: WorldOptions,
  [toolName, json = '{}', ...rest]: readonly string[],
  formatText?: string,
): Promise<number> {
  const tools = enabledTools(await listedTools(), settings);
  const listed = tools.find(({ name }) => name === toolName);
  if (!listed) throw new SettingsError(`call: no tool "${toolName ?? ''}"; there are ${tools.map(({ name }) => name).join(', ')}`);
  if (rest.length > 0) throw new SettingsError(`call: expected one JSON text of arguments; quote it: call ${listed.name} '{…}'`);
  const format = formatOf(formatText, listed.name);
  const args = await readArguments(json);
  const session = openSession(settings, tools, world);
  const interrupt = new AbortController();
  const stop = () => interrupt.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  try {
    const whole = format === 'junit' ? ({ whole: true } as const) : {};
    const outcome = await callTool(await loadTool(listed.name), args, { session, signal: interrupt.signal, canAsk: false, ...whole });
    if ('ask' in outcome || outcome.isError) {
      process.stderr.write(`${'ask' in outcome ? 'The tool asks for a confirmation' : outcome.text}\n`);
      return 1;
    }
    process.stdout.write(`${await print(outcome, format)}\n`);
    return exitCodeOf(outcome.structured ?? {});
  } finally {
    process.off('SIGINT', stop);
    await session.close();
  }
}
