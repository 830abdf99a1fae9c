import type { Client } from '@modelcontextprotocol/client';
import { printCall } from './print.ts';

/** What the questions read from an answer; the tools' output schemas say the rest. */
export interface Table {
  columns: string[];
  rows: (string | number | null)[][];
}

/** Calls a tool, prints the call, and gives its structured content; throws the tool's words when it fails. */
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
