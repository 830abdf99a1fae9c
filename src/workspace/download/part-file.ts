import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { abortable } from '../../api/deadline.ts';
import { formatBytes } from '../../lib/number-text.ts';
import { csvRecords } from '../convert/csv-headers.ts';
import { FILE_MODE, WorkspaceError } from '../store/disk.ts';
import { runFile } from '../store/manifest.ts';
import type { Quota } from '../store/quota.ts';

const LINE_END = 0x0a;
const QUOTE = 0x22;

/** A first line is not longer. */
const BEGINNING_BYTES = 64 * 1024;

function lineEndsIn(chunk: Uint8Array): number {
  let found = 0;
  for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, at + 1)) found += 1;
  return found;
}

/** Counts the records of JSON lines or CSV; undefined for a format whose records cannot be counted. */
function createRowCounter(format: string) {
  const isCsv = format.toUpperCase() === 'CSV';
  if (!isCsv && format.toUpperCase() !== 'JSONL') return undefined;
  let [ends, last, isQuoted] = [0, LINE_END, false];
  let start = Buffer.alloc(0);
  let inRow = 0;
  /** A quoted cell of CSV may hold line ends. */
  function unquotedEndsIn(chunk: Uint8Array): number {
    let found = 0;
    for (const byte of chunk) {
      if (byte === QUOTE) isQuoted = !isQuoted;
      else if (byte === LINE_END && !isQuoted) found += 1;
    }
    return found;
  }
  return {
    add(chunk: Uint8Array): void {
      ends += isCsv ? unquotedEndsIn(chunk) : lineEndsIn(chunk);
      last = chunk.at(-1) ?? last;
      const lastEnd = chunk.lastIndexOf(LINE_END);
      inRow = lastEnd === -1 ? inRow + chunk.length : chunk.length - lastEnd - 1;
      if (isCsv && start.length < BEGINNING_BYTES) start = Buffer.concat([start, chunk.subarray(0, BEGINNING_BYTES - start.length)]);
    },
    /** Records so far, the header of CSV not counted; a last line needs no end. */
    rows: () => Math.max(0, ends + (last === LINE_END ? 0 : 1) - (isCsv ? 1 : 0)),
    /** Bytes since the last line end. */
    inRow: () => inRow,
    /** The beginning of CSV, where its first line is; empty for other formats. */
    beginning: () => start.toString('utf8').replace(/^\uFEFF/, ''),
  };
}

/** Large, because each decompressed chunk takes a turn of the event loop. */
const UNPACKED_CHUNK_BYTES = 256 * 1024;

/** Exports rarely unpack to more than this many times their size; a million equal rows do to several hundred, zeros to a thousand. */
const USUAL_RATIO = 250;
/** Small files may be as repetitive as they like. */
const FREE_BYTES = 64 * 1024 * 1024;
/** So may rows up to this size: inspecting them takes some seconds. */
const REGULAR_BYTES = 2 * 1024 ** 3;
/** Of a row; a query reads none that is longer. */
const ROW_BYTES = 16 * 1024 * 1024;

/** Why this many bytes out of that few are no export; `inRow` are those after the last line end. */
function bombWords(plainBytes: number, { compressedBytes, inRow }: { compressedBytes: number; inRow: number }): string | undefined {
  if (plainBytes <= FREE_BYTES || plainBytes <= USUAL_RATIO * compressedBytes) return undefined;
  if (plainBytes <= REGULAR_BYTES && inRow <= ROW_BYTES) return undefined;
  const more = inRow > ROW_BYTES ? `, the last ${formatBytes(inRow)} without the end of a row` : '';
  return `is a packed bomb, no export: its first ${formatBytes(compressedBytes)} unpack to ${formatBytes(plainBytes)}${more}`;
}

/** Unpacks gzip while it arrives. */
function createUnpacker(onPlain: (chunk: Buffer) => void, onBroken: (error: Error) => void) {
  const stream = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES });
  let isOver = false;
  const over = new Promise<void>((resolve) => {
    const ended = () => {
      isOver = true;
      resolve();
    };
    stream.on('data', onPlain).on('error', onBroken).on('end', ended).on('close', ended);
  });
  return {
    /** Resolves when more may come. */
    async write(chunk: Buffer): Promise<void> {
      // A stream that broke, or that met its end before this, takes nothing more; the rest of the file is still hashed.
      if (isOver) return;
      const taken = new Promise<void>((resolve) => stream.write(chunk, () => resolve()));
      await Promise.race([taken, over]);
    },
    /** Resolves when the last of it is unpacked. */
    async end(): Promise<void> {
      stream.end();
      await over;
    },
    destroy: () => void stream.destroy(),
  };
}

/** Begins to look at the bytes of a file of this format (JSONL, CSV …) while they arrive, in order. */
export function inspect(format: string) {
  const hash = createHash('sha256');
  const counter = createRowCounter(format);
  let start = Buffer.alloc(0);
  let unpacker: ReturnType<typeof createUnpacker> | undefined;
  let isKnown = false;
  let plainBytes = 0;
  let compressedBytes = 0;
  let fault: string | undefined;

  function plain(chunk: Buffer): void {
    plainBytes += chunk.length;
    if (fault === undefined) counter?.add(chunk);
    const bomb = unpacker && bombWords(plainBytes, { compressedBytes, inRow: counter?.inRow() ?? plainBytes });
    if (bomb === undefined) return;
    fault ??= bomb;
    unpacker?.destroy();
  }

  function broken({ message }: Error): void {
    fault ??= `is not a complete gzip file (${message})`;
  }

  const feed = (chunk: Buffer) => (unpacker ? unpacker.write(chunk) : plain(chunk));

  return {
    /** Resolves when more may come. */
    add(chunk: Buffer): Promise<void> | void {
      hash.update(chunk);
      compressedBytes += chunk.length;
      if (isKnown) return feed(chunk);
      start = Buffer.concat([start, chunk]);
      if (start.length < 2) return undefined;
      isKnown = true;
      if (start[0] === 0x1f && start[1] === 0x8b) unpacker = createUnpacker(plain, broken);
      return feed(start);
    },
    /** Ends when the last byte is looked at. */
    async end() {
      if (!isKnown) plain(start);
      await unpacker?.end();
      const rows = fault === undefined ? counter?.rows() : undefined;
      return {
        sha256: hash.digest('hex'),
        /** Recognised by the first two bytes; names and headers are not reliable. */
        gzip: unpacker !== undefined,
        /** Decompressed size. */
        plainBytes,
        rows,
        /** The cells of the first line of CSV. */
        firstLine: rows === undefined ? undefined : csvRecords(counter?.beginning() ?? '', 1)[0],
        /** As the rest of a sentence about the file. */
        fault,
      };
    },
    /** Lets go of everything; for a file that is given up. */
    close: () => unpacker?.destroy(),
  };
}

/** Facts about the bytes of a file, once all of them went by. */
export type Inspected = Awaited<ReturnType<ReturnType<typeof inspect>['end']>>;

/** A file that has arrived, before it is known whether its first line is a header. */
const arrivedFile = runFile.extend({ firstLine: z.array(z.string()).optional() });
/** A file that has arrived whole. */
export type ArrivedFile = z.output<typeof arrivedFile>;

/** The state of a part that is not yet in a manifest, stored next to it so that another process can continue. */
export const partRecord = z.object({
  /** Strong tag of the file that the bytes on disk are of. */
  etag: z.string().optional(),
  totalBytes: z.number().optional(),
  /** Set once all bytes are on the disk and were checked. */
  done: arrivedFile.optional(),
});
/** The state of a part that is not yet in a manifest. */
export type PartRecord = z.output<typeof partRecord>;

/** Format, quota and state of a part's file. */
interface PartFileOptions {
  readonly format: string;
  readonly quota: Quota;
  /** Whether the bytes on the disk belong to the requested file. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
}

/** Room that is kept for the record beside a part, whose bytes are not counted when it is written. */
const RECORD_BYTES = 512;
/** Bytes that are read at a time. */
const READ_BYTES = 256 * 1024;

/** Opens the file of a part, and inspects what it holds already. */
export async function openPartFile(path: string, { format, quota, keep, signal }: PartFileOptions) {
  const room = quota.room();
  // For appending, so that bytes go to the end also after the file was cut to nothing.
  const file = await open(path, 'a+', FILE_MODE);
  let inspection = inspect(format);
  let offset = 0;

  async function inspectAll(chunks: readonly Buffer[]): Promise<void> {
    for (const chunk of chunks) await inspection.add(chunk);
  }

  async function write(chunks: readonly Buffer[], bytes: number): Promise<void> {
    const { bytesWritten } = await file.writev(chunks);
    // The system may take less than it was given.
    if (bytesWritten < bytes) await file.appendFile(Buffer.concat(chunks).subarray(bytesWritten));
    room.written(bytes);
  }

  async function begin(): Promise<void> {
    if (!keep) return file.truncate(0);
    const there = file.createReadStream({ start: 0, autoClose: false, highWaterMark: READ_BYTES });
    // Without an encoding a stream yields buffers.
    for await (const chunk of there as AsyncIterable<Buffer>) {
      await inspection.add(chunk);
      offset += chunk.length;
    }
  }

  const part = {
    /** Bytes that are there; the next byte of the part belongs behind them. */
    get offset() {
      return offset;
    },
    /** Reserves room for this many more bytes. */
    announce: (bytes: number) => room.need(bytes + RECORD_BYTES),
    /** Writes bytes behind the others, and inspects them meanwhile. */
    async take(chunks: readonly Buffer[]): Promise<void> {
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      await part.announce(bytes);
      await Promise.all([write(chunks, bytes), inspectAll(chunks)]);
      offset += bytes;
    },
    /** Forgets all bytes. */
    async restart(): Promise<void> {
      inspection.close();
      await file.truncate(0);
      room.release();
      inspection = inspect(format);
      offset = 0;
    },
    /** Flushes the file to the disk, and describes its content. */
    async finish() {
      await file.sync();
      const { size } = await file.stat();
      if (size !== offset) throw new WorkspaceError('disk', `${path} has ${size} bytes instead of ${offset}: another process writes it.`);
      return abortable(inspection.end(), signal);
    },
    async close(): Promise<void> {
      inspection.close();
      // The record stays until the run is whole.
      room.written(RECORD_BYTES);
      room.release();
      await file.close();
    },
  };
  try {
    await begin();
    return part;
  } catch (error) {
    await part.close();
    throw error;
  }
}

/** A part during its download. */
export type PartFile = Awaited<ReturnType<typeof openPartFile>>;
