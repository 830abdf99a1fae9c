import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { grouped } from '../../lib/grouped.ts';
import { isRecord } from '../../lib/is-record.ts';
import { type FileColumn, fileColumns, keyedColumns } from '../query/columns.ts';
import { identifier, literal, literals } from '../query/view-sql.ts';
import type { RunFile, RunManifest } from '../store/manifest.ts';
import { headersOf } from './csv-headers.ts';
import { csvRecords } from './csv-records.ts';

/** Bytes of a file that are looked at; a first line that is longer is looked for in the larger part. */
const LOOKS_BYTES = [16 * 1024, 1024 * 1024] as const;
/** The most that a look gives for each byte that it reads; zeros would give a thousand. */
const MAX_RATIO = 32;
const ROWS = 40;

/** The beginning of a file: its column names and some values. */
interface Beginning {
  /** In the order of the file; those of JSON in the order of their appearance. */
  readonly names: readonly string[];
  /** Values of the first rows by column, in the order of the names. */
  readonly samples: readonly (readonly unknown[])[];
  /** No row, as far as the beginning shows. */
  readonly isEmpty: boolean;
}

const NOTHING: Beginning = { names: [], samples: [], isEmpty: true };

/** The text of a beginning; `cut` where more follows. */
interface Head {
  readonly text: string;
  readonly cut: boolean;
}

/** The beginning of a file as text, decompressed up to a limit. */
async function headOf(path: string, gzip: boolean, bytes: number): Promise<Head> {
  const raw = createReadStream(path, { end: bytes - 1 });
  const { size } = await stat(path);
  const maxBytes = gzip ? bytes * MAX_RATIO : bytes;
  const chunks: Buffer[] = [];
  let length = 0;
  const plain = gzip ? pipeline(raw, createGunzip({ finishFlush: constants.Z_SYNC_FLUSH }), () => undefined) : raw;
  // Without an encoding a stream yields buffers.
  for await (const chunk of plain as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length >= maxBytes) break;
  }
  const text = Buffer.concat(chunks)
    .subarray(0, maxBytes)
    .toString('utf8')
    .replace(/^\uFEFF/, '');
  return { text, cut: size > bytes || (gzip && length >= maxBytes) };
}

function jsonRows({ text, cut }: Head): Readonly<Record<string, unknown>>[] {
  const lines = text.split('\n', ROWS + 1);
  // The last line ends where the look ends; whether all of it is there is not known.
  const whole = cut || lines.length > ROWS ? lines.slice(0, -1) : lines;
  return whole.flatMap((line) => {
    if (line.trim() === '') return [];
    try {
      const row: unknown = JSON.parse(line);
      return isRecord(row) ? [row] : [];
    } catch {
      return []; // the query names the line
    }
  });
}

function jsonBeginning(head: Head): Beginning {
  const rows = jsonRows(head);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return { names, samples: names.map((name) => rows.map((row) => row[name])), isEmpty: head.text.trim() === '' };
}

function csvBeginning(head: Head): Beginning {
  const [names, ...rows] = csvRecords(head.text, { limit: ROWS, cut: head.cut });
  if (!names) return NOTHING;
  return { names, samples: names.map((_, index) => rows.map((row) => row[index])), isEmpty: rows.length === 0 && !head.cut };
}

/** Reads the beginning of a downloaded file; only in a separate process, because its decompressed size is not known. */
async function beginningOf(path: string, { gzip, format }: { readonly gzip: boolean; readonly format: string }): Promise<Beginning> {
  const read = format === 'CSV' ? csvBeginning : jsonBeginning;
  for (const bytes of LOOKS_BYTES) {
    const head = await headOf(path, gzip, bytes);
    const found = read(head);
    if (found.names.length > 0 || !head.cut) return found;
  }
  return NOTHING;
}

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

/** A file of JSON from the beginning, the middle and the end of a run: together they show keys that the list of fields does not have. */
function spread(files: readonly RawFile[]): RawFile[] {
  return [...new Set([0, files.length >> 1, files.length - 1])].flatMap((at) => files[at] ?? []);
}

const look = (files: readonly RawFile[], format: string) =>
  Promise.all(files.map(({ file: { gzip }, path }) => beginningOf(path, { gzip, format })));

const samplesIn = (seen: readonly Beginning[]) => (name: string) =>
  seen.flatMap(({ names, samples }) => samples[names.indexOf(name)] ?? []);

async function jsonFiles(files: readonly RawFile[], { fields }: RunManifest): Promise<RawFiles[]> {
  const seen = await look(spread(files), 'JSONL');
  const columns = keyedColumns([...new Set(seen.flatMap(({ names }) => names))], fields, samplesIn(seen));
  return [...grouped(files, ({ file }) => file.gzip)].map(([gzip, own]) => {
    return { format: 'JSONL', gzip, paths: own.map(({ path }) => path), columns, headers: [], isHeaderless: false };
  });
}

/** The order of the columns matters, so the first line of each is read; a file without rows is left out. */
async function csvFiles(files: readonly RawFile[], { fields, runId }: RunManifest): Promise<RawFiles[]> {
  const found = await look(files, 'CSV');
  const looks = files.flatMap((raw, index) => {
    const seen = found[index];
    return seen && seen.names.length > 0 ? [{ ...raw, seen }] : [];
  });
  const lines = looks.map(({ file, seen }) => ({ cells: seen.names, file: `File ${file.name} of run ${runId}` }));
  const headers = headersOf(lines, fields);
  const all = looks.map((raw, index) => {
    const { names = [], isRow = false } = headers[index] ?? {};
    const { seen } = raw;
    // A first line that is a row has values too.
    const samples = isRow ? names.map((_, at) => [seen.names[at], ...(seen.samples[at] ?? [])]) : seen.samples;
    return { ...raw, names, isRow, seen: { names, samples, isEmpty: seen.isEmpty && !isRow } };
  });
  return [...grouped(all, ({ file, names, isRow }) => JSON.stringify([names, isRow, file.gzip])).values()].flatMap((alike) => {
    const [first] = alike;
    if (!first) return [];
    const columns = fileColumns(first.names, fields, samplesIn(alike.map(({ seen }) => seen)));
    const paths = alike.flatMap(({ path, seen }) => (seen.isEmpty ? [] : [path]));
    return [{ format: 'CSV', gzip: first.file.gzip, paths, columns, headers: first.names, isHeaderless: first.isRow }];
  });
}

/** The files of a run by how they are read, with what their beginnings show; throws a `WorkspaceError` where no header can be told. */
export function rawFilesOf(run: RunManifest, directory: string): Promise<RawFiles[]> {
  const files = run.files.filter(({ bytes }) => bytes > 0).map((file) => ({ file, path: `${directory}/${file.name}` }));
  return run.format.toUpperCase() === 'CSV' ? csvFiles(files, run) : jsonFiles(files, run);
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

const compressionOf = ({ gzip }: RawFiles) => `compression = ${gzip ? "'gzip'" : "'uncompressed'"}`;
const isSpelledTwice = ({ columns }: RawFiles) => columns.some(({ inFile }) => inFile.length > 1);

/** Lines of JSON, which are parsed by the statement: mended ones, and those whose keys differ in case, which no reader tells apart. */
function linesOf(files: RawFiles, isMended: boolean): string {
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
