import type { Cell } from './session-row.ts';

/** How rows become text: what stands before the first row, and one row with its line end. */
interface Writer {
  readonly head: string;
  readonly line: (cells: readonly Cell[]) => string;
}

/** A cell as JSON text; a 64-bit integer keeps all its digits, unquoted. */
function jsonOf(cell: Cell): string {
  if (typeof cell === 'bigint') return cell.toString();
  if (typeof cell === 'object' && cell !== null) return `[${cell.map(jsonOf).join(',')}]`;
  return JSON.stringify(cell);
}

/** One JSON object a line. */
export function jsonLines(names: readonly string[]): Writer {
  const keys = names.map((name, index) => `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`);
  return { head: '', line: (cells) => `${cells.map((cell, index) => `${keys[index] ?? ''}${jsonOf(cell)}`).join('')}}\n` };
}

/** A cell by RFC 4180; null is empty, an array its JSON text. */
function csvOf(cell: Cell): string {
  if (cell === null) return '';
  const text = typeof cell === 'object' ? jsonOf(cell) : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function csvLine(cells: readonly Cell[]): string {
  return `${cells.map(csvOf).join(',')}\r\n`;
}

/** Comma-separated values by RFC 4180 with a header row. */
export function csv(names: readonly string[]): Writer {
  return { head: csvLine(names), line: csvLine };
}
