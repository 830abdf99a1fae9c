import { open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { constants, gunzip } from 'node:zlib';
import { parseJson } from '../../api/json.ts';
import type { RunManifest } from '../store/manifest.ts';
import { columnsOf } from './columns.ts';

/** Records of the beginning of a CSV text by RFC 4180, at most `limit`; the last one is left out where the text is `cut` in it. */
function csvRecords(text: string, { limit, cut }: { limit: number; cut: boolean }): string[][] {
  const records: string[][] = [];
  let cells: string[] = [];
  let cell = '';
  let quoted = false;
  let begun = false;
  const endCell = (): void => {
    cells.push(cell);
    cell = '';
  };
  for (let at = 0; at < text.length && records.length < limit; at += 1) {
    const sign = text.charAt(at);
    begun = true;
    if (quoted) {
      if (sign !== '"') cell += sign;
      else if (text.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else quoted = false;
    } else if (sign === '"' && cell === '') quoted = true;
    else if (sign === ',') endCell();
    else if (sign === '\n') {
      endCell();
      records.push(cells);
      cells = [];
      begun = false;
    } else if (sign !== '\r') cell += sign;
  }
  if (begun && !cut && records.length < limit) {
    endCell();
    records.push(cells);
  }
  return records;
}

const unpack = promisify(gunzip);
/** Bytes of a file that are looked at; a first line that is longer is looked for in the larger part. */
const LOOKS_BYTES = [16 * 1024, 1024 * 1024] as const;
const ROWS = 40;

/** The beginning of a file: what its columns are called, and some values. */
export interface Beginning {
  /** In the order of the file; those of JSON in the order of their appearance. */
  readonly names: readonly string[];
  /** Values of the first rows by column. */
  readonly samples: ReadonlyMap<string, readonly unknown[]>;
  /** No row, as far as the beginning shows. */
  readonly isEmpty: boolean;
}

const NOTHING: Beginning = { names: [], samples: new Map(), isEmpty: true };

/** The beginning of a file as text. */
export interface Head {
  readonly text: string;
  /** More follows. */
  readonly cut: boolean;
}

/** Reads the first bytes of a file and unpacks them. */
async function headOf(path: string, gzip: boolean, bytes: number): Promise<Head> {
  const file = await open(path);
  try {
    const buffer = Buffer.alloc(bytes);
    const { bytesRead } = await file.read(buffer, 0, bytes, 0);
    const read = buffer.subarray(0, bytesRead);
    if (bytesRead === 0) return { text: '', cut: false };
    const plain = gzip ? await unpack(read, { finishFlush: constants.Z_SYNC_FLUSH }) : read;
    return { text: plain.toString('utf8').replace(/^\uFEFF/, ''), cut: bytesRead === bytes };
  } finally {
    await file.close();
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
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

function beginning(names: readonly string[], rows: readonly ((name: string) => unknown)[], isEmpty: boolean): Beginning {
  return { names, samples: new Map(names.map((name) => [name, rows.map((read) => read(name))])), isEmpty };
}

function jsonBeginning(head: Head): Beginning {
  const rows = jsonRows(head);
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  return beginning(
    names,
    rows.map((row) => (name) => row[name]),
    head.text.trim() === '',
  );
}

function csvBeginning(head: Head): Beginning {
  const [names, ...rows] = csvRecords(head.text, { limit: ROWS, cut: head.cut });
  if (!names) return NOTHING;
  return beginning(
    names,
    rows.map((row) => (name) => row[names.indexOf(name)]),
    rows.length === 0 && !head.cut,
  );
}

/** Reads the beginning of a downloaded file. */
export async function sniff(path: string, { gzip, format }: { gzip: boolean; format: string }): Promise<Beginning> {
  const read = format === 'CSV' ? csvBeginning : jsonBeginning;
  for (const bytes of LOOKS_BYTES) {
    const head = await headOf(path, gzip, bytes);
    const found = read(head);
    if (found.names.length > 0 || !head.cut) return found;
  }
  return NOTHING;
}

const SHOWN_ROWS = 10;
const HEAD_BYTES = 64 * 1024;

/** Columns of a run as query_export names and types them, and its first rows as the file holds them. */
export interface FirstRows {
  readonly columns: readonly { readonly name: string; readonly type: string; readonly unit?: string; readonly from?: string }[];
  readonly rows: readonly unknown[];
}

/** Reads the beginning of the first file that holds a row; `pathOf` gives the path of a file. */
export async function firstRows(run: RunManifest, pathOf: (file: RunManifest['files'][number]) => string): Promise<FirstRows> {
  const format = run.format.toUpperCase();
  if (format !== 'JSONL' && format !== 'CSV') return { columns: [], rows: [] };
  for (const file of run.files) {
    const path = pathOf(file);
    const { names, samples, isEmpty } = await sniff(path, { gzip: file.gzip, format });
    if (isEmpty) continue;
    const { text, cut } = await headOf(path, file.gzip, HEAD_BYTES);
    const rows = format === 'CSV' ? shownCsvRows(text, cut) : await shownJsonRows(text, cut);
    return { columns: columnsOf([{ names, samples, fields: run.fields }]), rows };
  }
  return { columns: [], rows: [] };
}

async function shownJsonRows(text: string, cut: boolean): Promise<unknown[]> {
  const lines = text.split('\n', SHOWN_ROWS + 1);
  const whole = cut || lines.length > SHOWN_ROWS ? lines.slice(0, -1) : lines;
  // Ids beyond 2^53 stay as they are written.
  return Promise.all(whole.filter((line) => line.trim() !== '').map((line) => parseJson(line).catch(() => line)));
}

function shownCsvRows(text: string, cut: boolean): Record<string, string | undefined>[] {
  const [names = [], ...records] = csvRecords(text, { limit: SHOWN_ROWS + 1, cut });
  return records.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index]])));
}
