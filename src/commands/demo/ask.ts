import { styleText } from 'node:util';
import type { Client } from '@modelcontextprotocol/client';
import { nth } from '../../lib/nth.ts';
import { formatNumber, NO_VALUE } from '../../lib/number-text.ts';

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
function printCall(tool: string, args: Record<string, unknown>): void {
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
    cells.map((cell, column) => (isNumber[column] ? cell.padStart(nth(widths, column)) : cell.padEnd(nth(widths, column)))).join('  ');
  printLine(style('dim', line(header).trimEnd()));
  for (const row of texts) printLine(line(row).trimEnd());
}

/** The members that the questions read; the tools' output schemas describe the rest. */
export interface Table {
  columns: string[];
  rows: (string | number | null)[][];
}

/** Calls a tool, prints the call, and returns its structured content; throws the tool's message when it fails. */
export type AskTool = <T>(tool: string, args: Record<string, unknown>) => Promise<T>;

/** Counts and prints each call of a connected client. */
export function createAsk(client: Client): { ask: AskTool; calls: () => number } {
  let calls = 0;
  return {
    calls: () => calls,
    async ask<T>(name: string, args: Record<string, unknown>): Promise<T> {
      calls += 1;
      printCall(name, args);
      const { isError, content, structuredContent } = await client.callTool({ name, arguments: args });
      const [first] = content;
      if (isError) throw new Error(`${name}: ${first?.type === 'text' ? first.text : 'failed'}`);
      return structuredContent as T; // the shape is the tool's output schema, which the client has checked
    },
  };
}

/** The number in a named column of a row. */
export function numberIn(table: Table, column: string, row = 0): number | null {
  const value = table.rows[row]?.[table.columns.indexOf(column)];
  return typeof value === 'number' ? value : null;
}

/** All numbers of a named column. */
export function seriesOf(table: Table, column: string): (number | null)[] {
  return table.rows.map((_, row) => numberIn(table, column, row));
}

/** The named columns of all rows, in that order. */
export function rowsOf(table: Table, columns: readonly string[]): (string | number | null)[][] {
  return table.rows.map((row) => columns.map((column) => row[table.columns.indexOf(column)] ?? null));
}
