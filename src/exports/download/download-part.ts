import { createHash } from 'node:crypto';
import { open, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createGunzip } from 'node:zlib';
import * as z from 'zod';
import { abortable, retryAfterMs } from '../../api/deadline.ts';
import { ApiError } from '../../api/errors.ts';
import type { Clock } from '../../lib/clock.ts';
import { hint } from '../../lib/hint.ts';
import { formatBytes } from '../../lib/number-text.ts';
import { csvRecords } from '../convert/csv-headers.ts';
import { diskFailure, FILE_MODE, readJson, statOf, WorkspaceError, writeDurably } from '../store/disk.ts';
import { runFile } from '../store/manifest.ts';
import type { Quota } from '../store/quota.ts';
import type { FileAnswer, FileStore } from './file-store.ts';

const LINE_END = 0x0a;
const QUOTE = 0x22;

/** A first line is not longer. */
const BEGINNING_BYTES = 64 * 1024;

/** Counts the records of JSON lines or CSV; undefined for a format whose records cannot be counted. */
function createRowCounter(format: string) {
  const isCsv = format.toUpperCase() === 'CSV';
  if (!isCsv && format.toUpperCase() !== 'JSONL') return undefined;
  let [ends, last, isQuoted] = [0, LINE_END, false];
  let start = Buffer.alloc(0);
  let inRow = 0;
  return {
    add(chunk: Uint8Array): void {
      // A quoted cell of CSV may hold line ends.
      if (isCsv)
        for (const byte of chunk) {
          if (byte === QUOTE) isQuoted = !isQuoted;
          else if (byte === LINE_END && !isQuoted) ends += 1;
        }
      else for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, at + 1)) ends += 1;
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
  const unpack = async () => {
    for await (const chunk of stream as AsyncIterable<Buffer>) onPlain(chunk); // without an encoding a stream yields buffers
  };
  const over = unpack()
    .catch(onBroken)
    .finally(() => (isOver = true));
  return {
    /** Resolves when more may come. */
    async write(chunk: Buffer): Promise<void> {
      // A stream that broke, or that met its end before this, takes nothing more; the rest of the file is still hashed.
      if (isOver) return;
      const taken = new Promise<void>((resolve) => stream.write(chunk, () => resolve()));
      await Promise.race([taken, over]);
    },
    /** Resolves when the last of it is unpacked. */
    async end() {
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
const partRecord = z.object({
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
async function openPartFile(path: string, { format, quota, keep, signal }: PartFileOptions) {
  const room = quota.room();
  // For appending, so that bytes go to the end also after the file was cut to nothing.
  const file = await open(path, 'a+', FILE_MODE);
  let inspection = inspect(format);
  let offset = 0;

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
      const all = Buffer.concat(chunks);
      await part.announce(all.length);
      await Promise.all([file.appendFile(all), inspection.add(all)]);
      room.written(all.length);
      offset += all.length;
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

/** A part that is wanted. */
export interface WantedPart {
  /** Names its files, `part-00001` for 1. */
  readonly number: number;
  readonly url: string;
  /** The size that the run announced: compressed or plain. */
  readonly fileSize: number | undefined;
  /** When the platform removes it, ms since 1970; NaN where it does not say. */
  readonly expiresAtMs: number;
}

/** Parts that all parts of a run share. */
export interface PartContext {
  /** Of the run, locked for this process. */
  readonly directory: string;
  readonly format: string;
  readonly store: FileStore;
  readonly quota: Quota;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  /** A new address of a part, for one that the store refuses; undefined where the run has none. */
  readonly refresh: (number: number) => Promise<string | undefined>;
  /** Hears how many bytes of the part are there. */
  readonly onBytes: (number: number, bytes: number, totalBytes: number | undefined) => void;
}

/** Tries that bring no byte, one after the other. */
const MAX_FRUITLESS = 5;
const MAX_REFRESHES = 2;
const MAX_CHANGES = 2;
/** A file that arrives damaged is fetched so often. */
const MAX_ARRIVALS = 2;
const FIRST_BACKOFF_MS = 400;
const LONGEST_BACKOFF_MS = 10_000;

function pathsOf(directory: string, number: number) {
  const stem = `part-${String(number).padStart(5, '0')}`;
  return { stem, record: join(directory, `${stem}.json`), arriving: join(directory, `${stem}.part`) };
}

/** Name of a complete part, by its content and not by its original name. */
function nameOf(stem: string, format: string, gzip: boolean): string {
  const ending = /^[a-z0-9]{1,10}$/i.test(format) ? `.${format.toLowerCase()}` : '';
  return `${stem}${ending}${gzip ? '.gz' : ''}`;
}

const sizeOf = async (path: string) => (await statOf(path))?.size;

/** The part of a `done` record, in its place; undefined where it is not there as recorded. */
async function finished(directory: string, arriving: string, { done }: PartRecord): Promise<ArrivedFile | undefined> {
  if (!done) return undefined;
  const path = join(directory, done.name);
  if ((await sizeOf(path)) === done.bytes) return done;
  if ((await sizeOf(arriving)) !== done.bytes) return undefined;
  // The process ended between the record and the renaming.
  await rename(arriving, path);
  return done;
}

/** Why the bytes are not the announced file; undefined where they are. */
function faultOf({ fault, gzip, plainBytes }: Inspected, bytes: number, fileSize: number | undefined): string | undefined {
  if (fault !== undefined) return fault;
  if (fileSize === undefined || fileSize === bytes || fileSize === plainBytes) return undefined;
  const decompressed = gzip ? `, ${formatBytes(plainBytes)} decompressed` : '';
  return `has ${bytes} bytes${decompressed}, but the run announced ${fileSize}`;
}

/** A part during its download. */
interface Arrival {
  readonly number: number;
  url: string;
  readonly file: PartFile;
  record: PartRecord;
  refreshes: number;
  changes: number;
}

/** Downloads one part, or the rest of it, until its file is complete, checked and in place; throws where that is not possible. */
export async function downloadPart({ number, url, fileSize }: WantedPart, context: PartContext): Promise<ArrivedFile> {
  const { directory, format, quota, signal } = context;
  const { stem, record: recordPath, arriving } = pathsOf(directory, number);
  const record = (await readJson(recordPath, partRecord)) ?? {};
  const there = await finished(directory, arriving, record);
  if (there) {
    context.onBytes(number, there.bytes, there.bytes);
    return there;
  }
  // Without a strong tag it is unknown whether the rest would be of the same file.
  const keep = record.etag !== undefined && record.done === undefined && (await sizeOf(arriving)) !== undefined;
  let file: PartFile | undefined;
  try {
    file = await openPartFile(arriving, { format, quota, keep, signal });
    const arrival: Arrival = { number, url, file, record: keep ? record : {}, refreshes: 0, changes: 0 };
    for (let arrivals = 1; ; arrivals += 1) {
      await fetchAll(arrival, context);
      const inspected = await file.finish();
      const fault = faultOf(inspected, file.offset, fileSize);
      if (fault === undefined) {
        const { sha256, gzip, rows, firstLine } = inspected;
        const done = { name: nameOf(stem, format, gzip), bytes: file.offset, sha256, gzip, rows, firstLine };
        await writeDurably(recordPath, JSON.stringify({ ...arrival.record, done }));
        await rename(arriving, join(directory, done.name));
        return done;
      }
      await file.restart();
      await rm(recordPath, { force: true });
      Object.assign(arrival, { record: {}, refreshes: 0, changes: 0 });
      const words = `File ${number} ${fault}. Nothing of it was kept; call again, and if it stays so, report it.`;
      if (arrivals >= MAX_ARRIVALS) throw new WorkspaceError('damaged', words);
    }
  } catch (error) {
    throw signal.aborted ? signal.reason : diskFailure(error, arriving);
  } finally {
    await file?.close();
  }
}

/** Takes bytes until the store has no more; over cuts, refusals and changes of the file. */
async function fetchAll(arrival: Arrival, context: PartContext): Promise<void> {
  const { clock, random, signal } = context;
  const { file } = arrival;
  let isWhole = file.offset === arrival.record.totalBytes;
  for (let fruitless = 0; !isWhole; ) {
    const before = file.offset;
    try {
      isWhole = await fetchMore(arrival, context);
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof ApiError) || !error.transient) throw error;
      fruitless = file.offset > before ? 1 : fruitless + 1;
      if (fruitless > MAX_FRUITLESS) {
        const next = `Given up after ${MAX_FRUITLESS + 1} tries; what has arrived is kept: call again to go on.`;
        throw new WorkspaceError('store', `${error.message} ${next}`, { cause: error });
      }
      const backoffMs = random() * Math.min(LONGEST_BACKOFF_MS, FIRST_BACKOFF_MS * 2 ** (fruitless - 1));
      await clock.sleep(Math.max(error.retryAfterMs ?? 0, backoffMs), signal);
    }
  }
}

/** One request for what is missing: whether the store has no more of it; throws a transient ApiError where it may be repeated. */
async function fetchMore(arrival: Arrival, context: PartContext): Promise<boolean> {
  const { number, file } = arrival;
  const { store, signal, onBytes, directory } = context;
  if (file.offset > 0 && arrival.record.etag === undefined) await file.restart();
  onBytes(number, file.offset, arrival.record.totalBytes);
  const answer = await store.open({ url: arrival.url, offset: file.offset, etag: arrival.record.etag, signal });
  try {
    const { status, totalBytes } = answer;
    if (status !== 200 && status !== 206) return await afterRefusal(answer, arrival, context);
    if (!(await fitsOn(answer, arrival, directory))) return false;
    await file.announce((totalBytes ?? file.offset) - file.offset);
    for await (const chunks of answer.body) {
      await file.take(chunks);
      onBytes(number, file.offset, totalBytes);
    }
    // Without a length the end of the answer is the end of the file.
    if (totalBytes === undefined || file.offset === totalBytes) return true;
    const broken = `The file store broke off after ${formatBytes(file.offset)} of ${formatBytes(totalBytes)}.`;
    throw new ApiError('down', broken, { transient: true });
  } finally {
    answer.close();
  }
}

/** Goes on after an answer without bytes: from a new address, or anew where the file is another one; throws where nothing helps. */
async function afterRefusal({ status, totalBytes, retryAfter }: FileAnswer, arrival: Arrival, { clock, refresh }: PartContext) {
  const { number, file } = arrival;
  if (status === 416) {
    if (totalBytes === file.offset) return true;
    // The local part is longer than the file: it is from another file.
    await restart(arrival);
    return false;
  }
  if (![400, 401, 403, 404, 410].includes(status)) {
    const transient = status === 408 || status === 429 || status >= 500;
    const waitMs = retryAfterMs(retryAfter, clock.now());
    const message = `The file store answered ${status}.`;
    throw new ApiError('down', message, { status, transient, retryAfterMs: waitMs });
  }
  if (arrival.refreshes >= MAX_REFRESHES)
    throw new WorkspaceError(
      'store',
      `The file store refuses file ${number} (${status}) at a fresh address too. ` +
        'Call again later; files are kept until their expirationDate.',
    );
  arrival.refreshes += 1;
  arrival.url = (await refresh(number)) ?? gone(number);
  return false;
}

/** Keeps tag and size of the file with its beginning; false where the answer is the rest of a file whose beginning is not here. */
async function fitsOn({ etag, totalBytes, offset }: FileAnswer, arrival: Arrival, directory: string): Promise<boolean> {
  const { number, file, record } = arrival;
  if (file.offset > 0 && etag !== record.etag) await restart(arrival);
  else if (offset !== file.offset) await file.restart();
  // The rest of a file is worth nothing without its beginning.
  if (offset !== file.offset) return false;
  if (etag !== arrival.record.etag || totalBytes !== arrival.record.totalBytes) {
    arrival.record = { etag, totalBytes };
    await writeDurably(pathsOf(directory, number).record, JSON.stringify(arrival.record));
  }
  return true;
}

/** Drops the bytes of a file that has changed; gives up where it changes repeatedly. */
async function restart(arrival: Arrival): Promise<void> {
  arrival.changes += 1;
  if (arrival.changes > MAX_CHANGES)
    throw new WorkspaceError('store', `File ${arrival.number} changes again and again while it is fetched. Call again later.`);
  arrival.record = {};
  await arrival.file.restart();
}

function gone(number: number): never {
  throw new WorkspaceError(
    'gone',
    `The run has no file ${number} any more: its expirationDate has passed.` +
      hint('find_export_gaps', ' find_export_gaps plans an export of the same range.'),
  );
}
