import { formatNumber, NO_VALUE } from './number-text.ts';

/** A table in Markdown; bars in cells are escaped, line ends become spaces. */
export function markdownTable(header: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')).join(' | ')} |`;
  return [line(header), line(header.map(() => '---')), ...rows.map(line)].join('\n');
}

/** A cell of a table; null and undefined are "no value". */
export type Cell = string | number | boolean | null | undefined;

function cellText(cell: Cell): string {
  if (cell === null || cell === undefined) return NO_VALUE;
  if (typeof cell === 'number') return formatNumber(cell);
  // Tabs and line ends would be read as the next cell or row.
  return String(cell)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim();
}

/**
 * A table for a model: the header once, then a line for each row, cells apart by a tab; none is cut short, as an address that is cut is
 * worth nothing. Tabs cost the fewest tokens (14 % below ` | `, 40 % below JSON) and need no escaping of commas and bars in names.
 */
export function textTable(rows: readonly Readonly<Record<string, Cell>>[], columns: readonly string[]): string {
  const lines = rows.map((row) => columns.map((column) => row[column]));
  return [columns, ...lines].map((cells) => cells.map(cellText).join('\t')).join('\n');
}

const BARS = '▁▂▃▄▅▆▇█';

/** A series as one line of bars from its minimum to its maximum; a gap for each missing value, the middle where all are equal. */
export function sparkline(values: readonly (number | null)[]): string {
  const numbers = values.flatMap((value) => (value !== null && Number.isFinite(value) ? [value] : []));
  const min = numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const max = numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
  const bar = (value: number | null) => {
    if (value === null || !Number.isFinite(value)) return ' ';
    if (min === max) return '▄';
    // Halved, because the distance of two numbers may exceed the largest one.
    const height = (value / 2 - min / 2) / (max / 2 - min / 2);
    return BARS.charAt(Math.min(BARS.length - 1, Math.floor(height * BARS.length)));
  };
  return values.map(bar).join('');
}
