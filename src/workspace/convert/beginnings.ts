import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { csvRecords } from './csv-records.ts';

/** Bytes of a file that are looked at; a first line that is longer is looked for in the larger part. */
const LOOKS_BYTES = [16 * 1024, 1024 * 1024] as const;
/** The most that a look gives for each byte that it reads; zeros would give a thousand. */
const MAX_RATIO = 32;
const ROWS = 40;

/** The beginning of a file: its column names and some values. */
export interface Beginning {
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

function beginning(names: readonly string[], rows: readonly ((name: string, index: number) => unknown)[], isEmpty: boolean): Beginning {
  return { names, samples: names.map((name, index) => rows.map((read) => read(name, index))), isEmpty };
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
    rows.map((row) => (_, index) => row[index]),
    rows.length === 0 && !head.cut,
  );
}

/** Reads the beginning of a downloaded file; only in a separate process, because its decompressed size is not known. */
export async function beginningOf(path: string, { gzip, format }: { readonly gzip: boolean; readonly format: string }): Promise<Beginning> {
  const read = format === 'CSV' ? csvBeginning : jsonBeginning;
  for (const bytes of LOOKS_BYTES) {
    const head = await headOf(path, gzip, bytes);
    const found = read(head);
    if (found.names.length > 0 || !head.cut) return found;
  }
  return NOTHING;
}
