import { fieldOf, namesInFile } from '../query/columns.ts';
import { WorkspaceError } from '../store/disk.ts';
import type { RunManifest } from '../store/manifest.ts';

/** A cell of CSV, what is in quotes first, and what ends it. */
const CELL = /("[^"]*(?:""[^"]*)*"?)?([^,\n]*)(,|\n|$)/g;

/** Records of the beginning of a CSV text by RFC 4180, at most `limit`. */
export function csvRecords(text: string, limit: number): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  for (const { 0: whole, 1: quoted = '', 2: rest = '', 3: end, index } of text.matchAll(CELL)) {
    cells.push(quoted.slice(1).replace(/"$/, '').replaceAll('""', '"') + rest.replaceAll('\r', ''));
    if (end === ',') continue;
    // A last line needs no end.
    if (text === '' || records.push(cells) === limit || index + whole.length === text.length) break;
    cells = [];
  }
  return records;
}

/** How a CSV file begins. */
interface FirstLine {
  /** The cells of its first line. */
  readonly cells: readonly string[];
  /** The name of the file in errors. */
  readonly file: string;
}

/** The names of a file's columns, and whether its first line is a row already. */
interface Header {
  readonly names: readonly string[];
  readonly isRow: boolean;
}

/** A cell that no column is called by: nothing, a number, a date, a truth value. */
function isValue(cell: string): boolean {
  return /^$|^-?\d+([.,]\d+)?$|^\d{4}-\d{2}-\d{2}|^(true|false|null)$/i.test(cell.trim());
}

/**
 * Tells headers from rows in the first lines of files that hold the same fields. A file without a header has the columns of the others or
 * of the fields, in their order. Throws a `WorkspaceError` where there is no such order, or more than one.
 */
export function headersOf<Line extends FirstLine>(lines: readonly Line[], fields: RunManifest['fields']): (Line & Header)[] {
  const expected = namesInFile(fields);
  const isNamed = (cells: readonly string[]) =>
    fields.length > 0 ? cells.some((cell) => fieldOf(cell, fields)) : !cells.some(isValue) && new Set(cells).size === cells.length;
  const named = lines.filter(({ cells }) => isNamed(cells)).map(({ cells }) => cells);
  const [first, ...others] = lines;
  // Under names of their own, which all files have alike.
  const areRenamed =
    named.length === 0 &&
    first !== undefined &&
    !first.cells.some(isValue) &&
    (others.length > 0 || first.cells.length !== expected.length) &&
    others.every(({ cells }) => JSON.stringify(cells) === JSON.stringify(first.cells));
  return lines.map((line) => {
    const { cells, file } = line;
    if (areRenamed || isNamed(cells)) return { ...line, names: cells, isRow: false };
    const fitting = [...named, expected].filter(({ length }) => length === cells.length);
    const [names, another] = new Map(fitting.map((own) => [JSON.stringify(own), own])).values();
    if (names && !another) return { ...line, names, isRow: true };
    const why = names ? 'the columns stand in more than one order in the files and fields of the run' : 'no header has as many columns';
    const text = cells.join(',');
    const shown = text.length > 60 ? `${text.slice(0, 59)}…` : text;
    const message =
      `${file}: its first line ("${shown}") is no header, and as ${why}, it is not known what its ${cells.length} cells are. ` +
      'Download it again; if it stays so, report it.';
    throw new WorkspaceError('damaged', message);
  });
}
