import { realpathSync } from 'node:fs';
import { styleText } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type analyzeHar from '../../../tools/insights/analyze-har.ts';
import type analyzeScenario from '../../../tools/insights/analyze-scenario.ts';
import type compareHars from '../../../tools/insights/compare-hars.ts';
import type planExport from '../../../tools/insights/plan-export.ts';
import { nth } from '../../lib/nth.ts';
import { formatBytes, formatMs, formatNumber, formatPercent, NO_VALUE } from '../../lib/number-text.ts';
import { sparkline } from '../../lib/text-table.ts';
import { type StartCommand, shellWords, startCommand, version } from '../about.ts';
import type { WorldFlags } from '../emulator.ts';

/** A cell of a printed table; null is "no value". */
type PrintedCell = string | number | null | undefined;

function style(format: 'bold' | 'dim' | 'cyan', text: string): string {
  return process.stdout.isTTY ? styleText(format, text) : text;
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A line of an answer. */
function printLine(text = ''): void {
  write(text === '' ? '' : `   ${text}`);
}

/** A heading between the parts of the output. */
function printHeading(text: string): void {
  write(`\n${style('cyan', text)}`);
}

function cellText(cell: PrintedCell): string {
  if (typeof cell === 'number') return formatNumber(cell, { group: true });
  return cell ?? NO_VALUE;
}

/** Rows under a header, numbers to the right, for people rather than models. */
function printTable(header: readonly string[], rows: readonly (readonly PrintedCell[])[]): void {
  const texts = rows.map((row) => row.map(cellText));
  const widths = header.map((name, column) => Math.max(name.length, ...texts.map((row) => row[column]?.length ?? 0)));
  const isNumber = header.map((_, column) => rows.every((row) => typeof row[column] !== 'string'));
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (isNumber[column] ? cell.padStart(nth(widths, column)) : cell.padEnd(nth(widths, column)))).join('  ');
  printLine(style('dim', line(header).trimEnd()));
  for (const row of texts) printLine(line(row).trimEnd());
}

/** What a tool answers with; the compiler holds the questions to it. */
type AnswerOf<Tool extends { handler(...given: never[]): Promise<unknown> }> = Awaited<ReturnType<Tool['handler']>>;

/** The members that the questions read; the tools' output schemas describe the rest. */
interface Table {
  columns: string[];
  rows: (string | number | null)[][];
}

/** Counts and prints each call of a connected client. */
function createAsk(client: Client) {
  let calls = 0;
  /** Calls a tool, prints the call, and returns its structured content; throws the tool's message when it fails. */
  const ask = async <T>(name: string, args: Record<string, unknown>): Promise<T> => {
    calls += 1;
    printLine(style('dim', `→ ${name} ${JSON.stringify(args)}`));
    const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
    const [first] = content;
    if (isError) throw new Error(`${name}: ${first?.type === 'text' ? first.text : 'failed'}`);
    return structuredContent as T; // the shape is the tool's output schema, which the client has checked
  };
  return { ask, calls: () => calls };
}

/** The number in a named column of a row. */
function numberIn(table: Table, column: string, row = 0): number | null {
  const value = table.rows[row]?.[table.columns.indexOf(column)];
  return typeof value === 'number' ? value : null;
}

/** All numbers of a named column. */
function seriesOf(table: Table, column: string): (number | null)[] {
  return table.rows.map((_, row) => numberIn(table, column, row));
}

/** The named columns of all rows, in that order. */
function rowsOf(table: Table, columns: readonly string[]): (string | number | null)[][] {
  return table.rows.map((row) => columns.map((column) => row[table.columns.indexOf(column)] ?? null));
}

/** Results of earlier questions that later ones use. */
interface Memory {
  /** The server's present when the demo began. */
  readonly nowMs: number;
  /** Result of a step that became slow. */
  slowStep?: string;
}

/** A question of a user, and how an assistant finds the answer. */
interface DemoQuestion {
  readonly text: string;
  readonly answer: (ask: ReturnType<typeof createAsk>['ask'], memory: Memory) => Promise<void>;
}

const devices = ['desktop', 'mobile', 'tablet'];

/** The questions of the demo in the words of users. */
export const questions: readonly DemoQuestion[] = [
  {
    text: 'What can this credential reach?',
    async answer(ask) {
      const { scopes, projects } = await ask<{ scopes: string[]; projects: { id: number; name: string }[] }>('get_credential', {});
      printLine(`Scopes: ${scopes.join(', ')}`);
      printTable(
        ['project', 'id'],
        projects.map(({ id, name }) => [name, String(id)]),
      );
    },
  },
  {
    text: 'Compare conversion on desktop, mobile and tablet for last week.',
    async answer(ask) {
      const metrics = ['visits', 'conversionCount', 'conversionRate', 'revenueSum'];
      const table = await ask<Table>('query_metrics', { metrics, startDate: 'last_week', endDate: 'last_week', breakdown: ['device'] });
      printTable(['device', 'visits', 'conversions', 'conversion %', 'revenue EUR'], rowsOf(table, ['device', ...metrics]));
    },
  },
  {
    text: 'Why did our conversion rate drop, on which device, and on which day did it start?',
    async answer(ask) {
      const { answer } = await ask<{ answer: string }>('compare_metrics', { startDate: '-14d', endDate: 'yesterday' });
      printLine(answer);
      const metrics = ['conversionRate'];
      const breakdown = ['device', 'day'];
      const table = await ask<Table>('query_metrics', { metrics, startDate: '-28d', endDate: 'yesterday', breakdown, devices });
      for (const device of devices) {
        const rows = table.rows.filter((row) => row.includes(device));
        const series = seriesOf({ ...table, rows }, 'conversionRate');
        printLine(`${device.padEnd(8)} ${sparkline(series)}  ${formatPercent(series[0])} → ${formatPercent(series.at(-1))}`);
      }
    },
  },
  {
    text: 'Show monthly visits for the past 12 months.',
    async answer(ask, { nowMs }) {
      const now = new Date(nowMs);
      const startDate = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 12, 1)).toISOString().slice(0, 7);
      const table = await ask<Table>('query_metrics', { metrics: ['visits'], startDate, endDate: 'last_month', breakdown: ['month'] });
      const visits = seriesOf(table, 'visits');
      printLine(`${String(table.rows[0]?.[0])} ${sparkline(visits)} ${String(table.rows.at(-1)?.[0])}`);
      const known = visits.filter((value) => value !== null);
      printLine(
        `lowest ${formatNumber(Math.min(...known), { group: true })}, highest ${formatNumber(Math.max(...known), { group: true })}`,
      );
    },
  },
  {
    text: 'What is the tap rate of “Add to cart” on the product screen of the app?',
    async answer(ask) {
      const range = { startDate: '-28d', endDate: 'yesterday' };
      const zone = { zoneId: 'Product screen / Add to cart', projectId: 1202 };
      const [whole, daily] = await Promise.all([
        ask<Table & { notes: string[] }>('get_zone_tap_rate', { ...zone, ...range }),
        ask<Table>('get_zone_tap_rate', { ...zone, ...range, period: 'daily' }),
      ]);
      printLine(`${formatPercent(numberIn(whole, 'tapRate'))} of users tapped it  ${sparkline(seriesOf(daily, 'tapRate'))}`);
      for (const note of whole.notes) printLine(`· ${note}`);
    },
  },
  {
    text: 'Did the site get slower since last month, and who is to blame?',
    async answer(ask, memory) {
      const { answer, scenarios, examples } = await ask<AnswerOf<typeof analyzeScenario>>('analyze_scenario', {});
      printLine(answer);
      for (const { line } of scenarios ?? []) printLine(`· ${line}`);
      const before = examples?.before?.stepResultId;
      const after = examples?.after?.stepResultId;
      if (before === undefined || after === undefined) return;
      memory.slowStep = after;
      const compared = await ask<AnswerOf<typeof compareHars>>('compare_hars', { before, after });
      printLine(compared.answer);
    },
  },
  {
    text: 'What loads on that page, and what weighs the most?',
    async answer(ask, { slowStep }) {
      const {
        answer,
        byType = [],
        largest = [],
        uri,
      } = await ask<AnswerOf<typeof analyzeHar>>('analyze_har', { scenarioStepResultId: slowStep });
      printLine(answer);
      printTable(
        ['type', 'requests', 'transferred'],
        byType.map((row) => [row.type, row.requests, formatBytes(row.transferBytes)]),
      );
      printTable(
        ['largest', 'transferred', 'took'],
        largest.map((row) => [row.url, formatBytes(row.transferBytes), formatMs(row.durationMs)]),
      );
      printLine(`The sanitised HAR file: ${uri}`);
    },
  },
  {
    text: 'Set up a daily JSONL session export with browser, device, revenue and our custom variable “plan”.',
    async answer(ask) {
      const { planId, fields } = await ask<AnswerOf<typeof planExport>>('plan_export', {
        fields: ['project id', 'user id', 'session id', 'browser', 'device', 'revenue', 'custom variable plan'],
        name: 'Daily sessions with plan',
        format: 'JSONL',
        frequency: 'daily',
      });
      printTable(
        ['asked', 'field', 'meaning'],
        fields.map(({ asked, fieldName, meaning }) => [asked, fieldName, meaning]),
      );
      const { status } = await ask<{ status: string }>('apply_export_plan', { planId });
      printLine(`Shown first, nothing sent (${status}).`);
      const done = await ask<{ status: string; jobs: { jobId: number; name: string }[] }>('apply_export_plan', { planId, confirm: true });
      for (const { jobId, name } of done.jobs) printLine(`${done.status}: job ${jobId} "${name}"`);
    },
  },
  {
    text: 'Revenue by browser over the last three days, from the daily session export.',
    async answer(ask) {
      const jobId = 'Daily sessions';
      const { answer } = await ask<{ answer: string }>('sync_exports', { jobIds: [jobId], since: '-2d' });
      printLine(answer);
      const sql =
        'SELECT browser_name AS browser, count(*) AS sessions, sum(session_transactions_revenue) AS revenue FROM data GROUP BY ALL ' +
        'ORDER BY revenue DESC';
      try {
        const { rows, notes } = await ask<{ rows: (string | number | null)[][]; notes: string[] }>('query_export', { jobId, sql });
        printTable(['browser', 'sessions', 'revenue EUR'], rows);
        for (const note of notes.slice(1)) printLine(`· ${note}`);
      } catch (error) {
        // DuckDB is optional and not there for every system; the tool says how to install it.
        printLine(error instanceof Error ? error.message : String(error));
      }
    },
  },
];

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
      write(`\n${style('bold', `${index + 1}. ${text}`)}`);
      await answer(ask, memory);
    }
    printHeading(`${questions.length} questions, ${calls()} tool calls, ${formatMs(performance.now() - startedMs)}.`);
  } finally {
    await client.close();
  }
  printHowToConnect(startCommand(executable, ['--demo']));
  return 0;
}
