import { styleText } from 'node:util';
import { formatNumber, NO_VALUE } from '../../lib/number-text.ts';
import { type StartCommand, shellWords } from '../start-command.ts';

/** A cell of a printed table; null is "no value". */
export type PrintedCell = string | number | null | undefined;

function style(format: 'bold' | 'dim' | 'cyan', text: string): string {
  return process.stdout.isTTY ? styleText(format, text) : text;
}

function write(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** A headline with its number. */
export function printQuestion(number: number, question: string): void {
  write(`\n${style('bold', `${number}. ${question}`)}`);
}

/** One call as the assistant makes it. */
export function printCall(tool: string, args: Record<string, unknown>): void {
  write(style('dim', `   → ${tool} ${JSON.stringify(args)}`));
}

/** A line of an answer. */
export function printLine(text = ''): void {
  write(text === '' ? '' : `   ${text}`);
}

/** A heading between the parts of the output. */
export function printHeading(text: string): void {
  write(`\n${style('cyan', text)}`);
}

function cellText(cell: PrintedCell): string {
  if (typeof cell === 'number') return formatNumber(cell, { group: true });
  return cell ?? NO_VALUE;
}

/** Rows under a header, numbers to the right, for people rather than models. */
export function printTable(header: readonly string[], rows: readonly (readonly PrintedCell[])[]): void {
  const texts = rows.map((row) => row.map(cellText));
  const widths = header.map((name, column) => Math.max(name.length, ...texts.map((row) => row[column]?.length ?? 0)));
  const isNumber = header.map((_, column) => rows.every((row) => typeof row[column] !== 'string'));
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (isNumber[column] ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0))).join('  ');
  printLine(style('dim', line(header).trimEnd()));
  for (const row of texts) printLine(line(row).trimEnd());
}

/** How a host is given the server. */
export function printHowToConnect(server: StartCommand): void {
  const json = (value: object) => JSON.stringify(value, null, 2).split('\n');
  printHeading('Connect your assistant (leave out --demo and set the WEB_ANALYTICS_… variables for your own platform)');
  printLine('Claude Code:');
  printLine(`  claude mcp add web-analytics -- ${shellWords(server)}`);
  printLine('Claude Desktop (claude_desktop_config.json), Cursor (.cursor/mcp.json) and most others:');
  for (const line of json({ mcpServers: { 'web-analytics': server } })) printLine(`  ${line}`);
  printLine('VS Code (.vscode/mcp.json):');
  for (const line of json({ servers: { 'web-analytics': { type: 'stdio', ...server } } })) printLine(`  ${line}`);
}
