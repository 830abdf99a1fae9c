import type { DuckDBConnection } from '@duckdb/node-api';
import { grouped } from '../../lib/grouped.ts';
import { isRecord } from '../../lib/is-record.ts';
import { type FileColumn, fileColumns, keyedColumns } from '../query/columns.ts';
import { rowsOf } from '../query/database.ts';
import { identifier, literal, literals } from '../query/view-sql.ts';
import type { RunFile, RunManifest } from '../store/manifest.ts';
import { headersOf } from './csv-headers.ts';
import { csvRecords } from './csv-records.ts';

/** Lines of a file that are looked at. */
const LOOKED_AT = 40;

/** Downloaded files of a run that are read alike. */
export interface RawFiles {
  readonly format: 'JSONL' | 'CSV';
  readonly gzip: boolean;
  /** Paths relative to the directory of the process. */
  readonly paths: readonly string[];
  readonly columns: readonly FileColumn[];
  /** The headers of CSV in their order, which is all that tells its columns apart. */
  readonly headers: readonly string[];
  /** Whether CSV begins with a row. */
  readonly isHeaderless: boolean;
}

interface RawFile {
  readonly file: RunFile;
  readonly path: string;
}

/** The first lines of a file as they are written. */
async function firstLines(connection: DuckDBConnection, { file: { gzip }, path }: RawFile): Promise<string[]> {
  const rows = await rowsOf(connection, `SELECT coalesce(line, '') FROM ${linesOf({ paths: [path], gzip }, false)} LIMIT ${LOOKED_AT}`);
  return rows.map(([line]) => String(line));
}

function recordIn(line: string): Readonly<Record<string, unknown>> {
  try {
    const row: unknown = JSON.parse(line);
    return isRecord(row) ? row : {};
  } catch {
    return {}; // the conversion names the line
  }
}

/** The first, the middle and the last file show keys that the list of fields does not have. */
async function jsonFiles(connection: DuckDBConnection, files: readonly RawFile[], { fields }: RunManifest): Promise<RawFiles[]> {
  const rows: Readonly<Record<string, unknown>>[] = [];
  for (const at of new Set([0, files.length >> 1, files.length - 1])) {
    const file = files[at];
    if (file) rows.push(...(await firstLines(connection, file)).map(recordIn));
  }
  const values = ({ inFile }: FileColumn) => inFile.flatMap((name) => rows.map((row) => row[name] ?? [])).flat();
  const columns = keyedColumns([...new Set(rows.flatMap((row) => Object.keys(row)))], fields).map((column) => {
    const own = values(column);
    return { ...column, areNumbers: own.length > 0 && own.every((value) => typeof value === 'number') };
  });
  return [...grouped(files, ({ file }) => file.gzip)].map(([gzip, own]) => {
    return { format: 'JSONL', gzip, paths: own.map(({ path }) => path), columns, headers: [], isHeaderless: false };
  });
}

/** The order of the columns matters, so the first line of each file is read; a file without rows is left out. */
async function csvFiles(connection: DuckDBConnection, files: readonly RawFile[], { fields, runId }: RunManifest): Promise<RawFiles[]> {
  const looks: (RawFile & { readonly cells: readonly string[]; readonly isShort: boolean })[] = [];
  for (const raw of files) {
    const [cells, second] = csvRecords((await firstLines(connection, raw)).join('\n'), 2);
    if (cells) looks.push({ ...raw, cells, isShort: second === undefined });
  }
  const headers = headersOf(
    looks.map(({ file, cells }) => ({ cells, file: `File ${file.name} of run ${runId}` })),
    fields,
  );
  const all = looks.map((raw, index) => ({ ...raw, ...(headers[index] ?? { names: [], isRow: false }) }));
  return [...grouped(all, ({ file, names, isRow }) => JSON.stringify([names, isRow, file.gzip])).values()].flatMap((alike) => {
    const [first] = alike;
    if (!first) return [];
    const { names, isRow, file } = first;
    const paths = alike.flatMap(({ path, isShort }) => (isShort && !isRow ? [] : [path]));
    return [{ format: 'CSV', gzip: file.gzip, paths, columns: fileColumns(names, fields), headers: names, isHeaderless: isRow }];
  });
}

/** The files of a run by how they are read; throws a `WorkspaceError` where no header can be told. */
export function rawFilesOf(connection: DuckDBConnection, run: RunManifest, directory: string): Promise<RawFiles[]> {
  const files = run.files.filter(({ bytes }) => bytes > 0).map((file) => ({ file, path: `${directory}/${file.name}` }));
  return run.format.toUpperCase() === 'CSV' ? csvFiles(connection, files, run) : jsonFiles(connection, files, run);
}

/** A row may be as long as this; each thread holds two of them. */
const MAX_ROW_BYTES = 16 * 1024 * 1024;

/** A line with U+FFFD for each escape of half a character, which no reader accepts; whole pairs and written backslashes stay. */
function mendedLine(): string {
  // Control characters stand for what stays: a line of JSON holds none.
  const pair = String.raw`'\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})'`;
  const kept = String.raw`regexp_replace(replace(line, '\\', chr(1)), ${pair}, chr(2) || '\1' || chr(3) || '\2', 'g')`;
  const halves = String.raw`regexp_replace(${kept}, '\\u[dD][89a-fA-F][0-9a-fA-F]{2}', '\\ufffd', 'g')`;
  return String.raw`replace(replace(replace(${halves}, chr(2), '\u'), chr(3), '\u'), chr(1), '\\')`;
}

const compressionOf = ({ gzip }: Pick<RawFiles, 'gzip'>) => `compression = ${gzip ? "'gzip'" : "'uncompressed'"}`;
const isSpelledTwice = ({ columns }: RawFiles) => columns.some(({ inFile }) => inFile.length > 1);

/** Lines of JSON, which are parsed by the statement: mended ones, and those whose keys differ in case, which no reader tells apart. */
function linesOf(files: Pick<RawFiles, 'paths' | 'gzip'>, isMended: boolean): string {
  const options = [
    literals(files.paths),
    "columns = {'line': 'VARCHAR'}",
    compressionOf(files),
    `header = false, auto_detect = false, delim = '\x1f', quote = '', escape = ''`,
    `max_line_size = ${MAX_ROW_BYTES}, buffer_size = ${2 * MAX_ROW_BYTES}`,
  ];
  const line = isMended ? mendedLine() : 'line';
  return `(SELECT ${line} AS line FROM read_csv(${options.join(', ')}))`;
}

function csvReader(files: RawFiles): string {
  const columns = files.headers.map((_, index) => `'c${index}': 'VARCHAR'`);
  const options = [
    literals(files.paths),
    `columns = {${columns.join(', ')}}`,
    compressionOf(files),
    `header = ${!files.isHeaderless}`,
    `auto_detect = false, delim = ',', quote = '"', escape = '"', nullstr = '', allow_quoted_nulls = false`,
    `max_line_size = ${MAX_ROW_BYTES}, buffer_size = ${2 * MAX_ROW_BYTES}`,
  ];
  return `read_csv(${options.join(', ')})`;
}

function jsonReader(files: RawFiles): string {
  const columns = files.columns.flatMap(({ inFile }) => inFile.map((name) => `${literal(name)}: 'VARCHAR'`));
  // That lines are records is said, because a single column would be taken for bare values.
  const options = [
    literals(files.paths),
    `columns = {${columns.join(', ')}}`,
    compressionOf(files),
    `format = 'newline_delimited', records = true, auto_detect = false, maximum_object_size = ${MAX_ROW_BYTES}`,
  ];
  return `read_json(${options.join(', ')})`;
}

/** Rows of files as a relation, and each column of it as an expression of text, exactly as it is written; null where it is absent. */
export function textsOf(files: RawFiles, isMended: boolean): { from: string; text: (column: FileColumn) => string } {
  const first = (texts: readonly string[]) => (texts.length === 1 ? (texts[0] ?? 'NULL') : `coalesce(${texts.join(', ')})`);
  if (files.format === 'CSV') {
    const text = ({ inFile }: FileColumn) => first(files.headers.flatMap((name, index) => (inFile.includes(name) ? [`c${index}`] : [])));
    return { from: csvReader(files), text };
  }
  if (!isMended && !isSpelledTwice(files)) return { from: jsonReader(files), text: ({ inFile }) => first(inFile.map(identifier)) };
  const member = (name: string) => `json_extract_string(line, ${literal(`$.${JSON.stringify(name)}`)})`;
  return { from: linesOf(files, isMended), text: ({ inFile }) => first(inFile.map(member)) };
}
