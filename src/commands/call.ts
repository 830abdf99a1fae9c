import * as z from 'zod';
import { parseJson } from '../api/json.ts';
import { isRecord } from '../lib/is-record.ts';
import { suggestion } from '../lib/nearest.ts';
import { type Settings, SettingsError } from '../settings/settings.ts';
import { callTool } from '../tooling/call-tool.ts';
import { table } from '../tooling/params.ts';
import type { Answer } from '../tooling/results.ts';
import type { AnyTool, ListedTool, Offer } from '../tooling/tool.ts';
import { escaped } from '../views/overview/html.ts';
import { enabledTools, listedTools, loadTool } from './catalogue.ts';
import type { WorldOptions } from './emulator.ts';
import { openSession } from './platform.ts';

type Cells = Record<string, string | number | null | undefined>;

/** Escapes text for XML 1.0, and drops what it has no room for at all. */
const escape = (text: string) => escaped(text.replace(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, ''));

function element(name: string, attributes: Cells, children: readonly string[] = []): string {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(String(value ?? ''))}"`);
  const open = `<${name}${written.join('')}`;
  return children.length === 0 ? `${open}/>` : `${open}>\n${children.join('\n')}\n</${name}>`;
}

function testCase(cells: Cells): string {
  const { scenario, step, metric, status, median, limit, marginPercent, basis, runs } = cells;
  const name = metric === null ? 'reports' : `${step}: ${metric}`;
  const attributes = { classname: scenario, name };
  if (status === 'passed') return element('testcase', attributes);
  if (status !== 'broken') return element('testcase', attributes, [element('error', { message: 'not measured' })]);
  const message = `${metric} of step "${step}" is ${median}, limit ${limit} (${basis}), ${marginPercent} % left, median of ${runs} runs`;
  return element('testcase', attributes, [element('failure', { type: 'budget', message })]);
}

/** A JUnit report of all rows of check_speed_budgets: a suite a scenario, a case a budget; what was not measured is an error. */
export function junitReport(answer: unknown): string {
  const { columns, rows } = z.object(table).parse(answer);
  const records = rows.map((row): Cells => Object.fromEntries(columns.map((column, index) => [column, row[index]])));
  const count = (some: readonly Cells[], status: string) => some.filter((cells) => cells['status'] === status).length;
  const countsOf = (some: readonly Cells[]) => ({
    tests: some.length,
    failures: count(some, 'broken'),
    errors: count(some, 'not measured'),
  });
  const suites = [...new Set(records.map(({ scenarioId }) => scenarioId))].map((id) => {
    const own = records.filter(({ scenarioId }) => scenarioId === id);
    return element('testsuite', { name: own[0]?.['scenario'], ...countsOf(own) }, own.map(testCase));
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element('testsuites', { name: 'speed budgets', ...countsOf(records) }, suites)}`;
}

/** The arguments of a tool; ids beyond 2^53 become text, as in answers. Throws a `SettingsError` for what is no object of JSON. */
async function readArguments(toolName: string, json: string): Promise<Record<string, unknown>> {
  const form = `write them in single quotes: call ${toolName} '{"name":"value"}'`;
  let given: unknown;
  try {
    given = await parseJson(json);
  } catch (error) {
    throw new SettingsError(`the arguments are not valid JSON (${error instanceof Error ? error.message : String(error)}); ${form}`);
  }
  if (!isRecord(given)) throw new SettingsError(`the arguments are ${json.slice(0, 40)}, which is no JSON object; ${form}`);
  return given;
}

/** All tools by toolset, for a person who has named none. */
function toolList(tools: readonly ListedTool[]): string {
  const names = [...new Set(tools.map(({ toolset }) => toolset))];
  const own = (name: string) => tools.filter(({ toolset }) => toolset === name).map((tool) => `  ${tool.name.padEnd(34)} ${tool.title}`);
  return names.map((name) => `${name}:\n${own(name).join('\n')}`).join('\n');
}

/** The tool of that name; throws a `SettingsError` with the one that was probably meant, or the setting that leaves it out. */
export function toolNamed(toolName: string, all: readonly ListedTool[], { tools }: Offer): ListedTool {
  const listed = tools.find(({ name }) => name === toolName);
  if (listed) return listed;
  if (all.some(({ name }) => name === toolName))
    throw new SettingsError(`call: ${toolName} is left out by WEB_ANALYTICS_TOOLSETS or WEB_ANALYTICS_READ_ONLY`);
  const names = tools.map(({ name }) => name);
  throw new SettingsError(`call: no tool "${toolName}"; ${suggestion(toolName, names, '"call" alone lists the tools')}`);
}

/** How an answer is printed: its structured content, its text, its picture, or for check_speed_budgets a report that builds read. */
const FORMATS = ['json', 'table', 'png', 'junit'] as const;
type Format = (typeof FORMATS)[number];

/** A gate that is broken, and one that could not be judged; any other answer is a success. */
const BROKEN = 3;

function formatOf(text: string | undefined, { name: toolName, charted }: AnyTool): Format {
  const format = FORMATS.find((each) => each === (text ?? 'json'));
  if (!format) throw new SettingsError(`--format "${text}" is wrong: expected ${FORMATS.join(', ')}`);
  if (format === 'junit' && toolName !== 'check_speed_budgets')
    throw new SettingsError(`--format junit is for check_speed_budgets, which passes or fails; ${toolName} has json and table`);
  if (format === 'png' && !charted) throw new SettingsError(`--format png is for tools that draw; ${toolName} has json and table`);
  return format;
}

/** The bytes of an answer in a format; of a picture undefined where there is none. */
function bytesOf({ structured = {}, text, image }: Answer, format: Format): Buffer | undefined {
  if (format === 'png') return image && Buffer.from(image.data, 'base64');
  if (format === 'table') return Buffer.from(`${text}\n`);
  return Buffer.from(`${format === 'json' ? JSON.stringify(structured, null, 2) : junitReport(structured)}\n`);
}

/** 3 where an answer counts something broken, 1 where it could not judge all, else 0. */
function exitCodeOf({ broken, unmeasured }: Record<string, unknown>): number {
  if (typeof broken === 'number' && broken > 0) return BROKEN;
  return typeof unmeasured === 'number' && unmeasured > 0 ? 1 : 0;
}

/**
 * Calls one tool: its answer on stdout and 0 (or 3 for a broken budget), or the error on stderr and 1. Without a name it lists the tools.
 */
export async function call(
  settings: Settings,
  world: WorldOptions,
  [toolName, json = '{}', ...rest]: readonly string[],
  formatText?: string,
): Promise<number> {
  const all = await listedTools();
  const offer = enabledTools(all, settings);
  const { tools } = offer;
  if (toolName === undefined) {
    process.stdout.write(`${toolList(tools)}\n`);
    return 0;
  }
  const listed = toolNamed(toolName, all, offer);
  if (rest.length > 0) throw new SettingsError(`call: expected one JSON text of arguments; quote it: call ${listed.name} '{…}'`);
  const tool = await loadTool(listed.name);
  const format = formatOf(formatText, tool);
  const named = await readArguments(tool.name, json);
  const args = format === 'png' ? { ...named, chart: true } : named;
  const session = openSession(settings, tools, world);
  const interrupt = new AbortController();
  const stop = () => interrupt.abort(new Error('interrupted'));
  process.once('SIGINT', stop);
  try {
    const whole = format === 'junit' ? ({ whole: true } as const) : {};
    const outcome = await callTool(tool, args, {
      session,
      offer,
      signal: interrupt.signal,
      canAsk: false,
      single: true,
      ...whole,
    });
    if ('ask' in outcome || outcome.isError) {
      process.stderr.write(`${'ask' in outcome ? 'The tool asks for a confirmation' : outcome.text}\n`);
      return 1;
    }
    const bytes = bytesOf(outcome, format);
    if (!bytes) {
      process.stderr.write(`The answer has no picture.\n${outcome.text}\n`);
      return 1;
    }
    process.stdout.write(bytes);
    return exitCodeOf(outcome.structured ?? {});
  } finally {
    process.off('SIGINT', stop);
    await session.close();
  }
}
