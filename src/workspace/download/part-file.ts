import { type FileHandle, open, readFile } from 'node:fs/promises';
import * as z from 'zod';
import { abortable } from '../../api/deadline.ts';
import { diskFailure, FILE_MODE, WorkspaceError, writeDurably } from '../store/disk.ts';
import { runFile } from '../store/manifest.ts';
import type { Quota, Room } from '../store/quota.ts';
import { inspectFile } from './inspect-file.ts';
import type { Inspected } from './inspection.ts';

/** A file that has arrived, before it is known whether its first line is a header. */
const arrivedFile = runFile.extend({ firstLine: z.array(z.string()).exactOptional() });
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

/** Reads the record of a part; an empty one where there is none that can be read. */
export async function readPartRecord(path: string): Promise<PartRecord> {
  const text = await readFile(path, 'utf8').catch(() => '{}');
  try {
    return partRecord.parse(JSON.parse(text));
  } catch {
    return {};
  }
}

/** Replaces the record of a part in one step, so that a kill leaves the old or the new one. */
export function writePartRecord(path: string, record: PartRecord): Promise<void> {
  return writeDurably(path, JSON.stringify(record));
}

/** Bytes that are gathered before they are written; the next are received and hashed meanwhile. */
const BLOCK_BYTES = 1024 * 1024;
/** Bytes after which the file is flushed to disk, so that a large file does not leave everything for the end. */
const SYNC_BYTES = 64 * 1024 * 1024;

/** A part during its download; it is inspected from the disk, so what is described is what is there. */
export interface PartFile {
  /** Bytes taken so far; the next byte of the part belongs there. */
  readonly offset: number;
  /** Reserves room for this many more bytes. */
  announce(bytes: number): Promise<void>;
  take(chunks: readonly Buffer[]): Promise<void>;
  /** Flushes the received bytes to the disk. */
  flush(): Promise<void>;
  /** Forgets all bytes. */
  restart(): Promise<void>;
  /** Flushes and closes the file, and describes its content. */
  finish(): Promise<Inspected>;
  close(): Promise<void>;
}

async function writeAll(file: FileHandle, chunks: Buffer[], bytes: number): Promise<void> {
  const { bytesWritten } = await file.writev(chunks);
  // The system may take less than it was given.
  if (bytesWritten < bytes) await file.appendFile(Buffer.concat(chunks).subarray(bytesWritten));
}

/** Format, quota and state of a part's file. */
export interface PartFileOptions {
  readonly format: string;
  readonly quota: Quota;
  /** Whether the bytes on the disk belong to the requested file. */
  readonly keep: boolean;
  readonly signal: AbortSignal;
}

/** Writes bytes behind one another, a block while the next is gathered. */
interface BlockWriter {
  /** Bytes taken so far, written or not. */
  offset: number;
  take(chunks: readonly Buffer[]): Promise<void>;
  /** Waits until all bytes taken are written. */
  flush(): Promise<void>;
  /** Waits until nothing is being written, or flushed to the disk in between. */
  settled(): Promise<void>;
}

/** Room that is kept for the record beside a part, whose bytes are not counted when it is written. */
const RECORD_BYTES = 512;

function createBlockWriter(file: FileHandle, room: Room, onWritten: (end: number) => void): BlockWriter {
  let pending: Buffer[] = [];
  let pendingBytes = 0;
  let writing: Promise<void> = Promise.resolve();
  let syncing: Promise<void> | undefined;
  let unsynced = 0;

  /** Writes a block whose last byte is the one before `end`. */
  async function write(chunks: Buffer[], bytes: number, end: number): Promise<void> {
    await writeAll(file, chunks, bytes);
    room.written(bytes);
    onWritten(end);
  }

  async function send(): Promise<void> {
    const [chunks, bytes, end] = [pending, pendingBytes, writer.offset];
    [pending, pendingBytes] = [[], 0];
    await writing;
    await room.need(bytes + RECORD_BYTES);
    writing = write(chunks, bytes, end);
    // Thrown by the next wait for it.
    writing.catch(() => undefined);
    unsynced += bytes;
    if (unsynced < SYNC_BYTES || syncing) return;
    unsynced = 0;
    // A failure is thrown again with the last chunk.
    syncing = file
      .datasync()
      .catch(() => undefined)
      .finally(() => {
        syncing = undefined;
      });
  }

  const writer: BlockWriter = {
    offset: 0,
    async take(chunks) {
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      pending.push(...chunks);
      pendingBytes += bytes;
      writer.offset += bytes;
      if (pendingBytes >= BLOCK_BYTES) await send();
    },
    async flush() {
      if (pendingBytes > 0) await send();
      await writing;
    },
    async settled() {
      await writing.catch(() => undefined);
      await syncing;
    },
  };
  return writer;
}

/** Opens the file of a part, with what it holds already; failures of the disk are a `WorkspaceError`. */
export async function openPartFile(path: string, { format, quota, keep, signal }: PartFileOptions): Promise<PartFile> {
  const room = quota.room();
  const worded = async <T>(task: Promise<T>): Promise<T> => {
    try {
      return await task;
    } catch (error) {
      throw signal.aborted ? signal.reason : diskFailure(error, path);
    }
  };
  // For appending, so that bytes go to the end also after the file was cut to nothing.
  const file = await worded(open(path, 'a+', FILE_MODE));
  let inspection = inspectFile(file, format);
  const writer = createBlockWriter(file, room, (end) => inspection.grown(end));
  try {
    if (!keep) await worded(file.truncate(0));
    writer.offset = (await worded(file.stat())).size;
    inspection.grown(writer.offset);
  } catch (error) {
    await file.close();
    throw error;
  }
  const flush = () => worded(writer.flush());

  return {
    get offset() {
      return writer.offset;
    },
    announce: (bytes) => room.need(bytes + RECORD_BYTES),
    take: (chunks) => worded(writer.take(chunks)),
    flush,
    async restart() {
      await flush();
      await inspection.close();
      await worded(file.truncate(0));
      room.release();
      inspection = inspectFile(file, format);
      writer.offset = 0;
    },
    async finish() {
      await flush();
      const inspected = inspection.end();
      // Thrown below, after what explains it.
      inspected.catch(() => undefined);
      await writer.settled();
      await worded(file.sync());
      const { size } = await worded(file.stat());
      const { offset } = writer;
      if (size !== offset) throw new WorkspaceError('disk', `${path} has ${size} bytes instead of ${offset}: another process writes it.`);
      return worded(abortable(inspected, signal));
    },
    async close() {
      await writer.settled();
      await inspection.close();
      // The record stays until the run is whole.
      room.written(RECORD_BYTES);
      room.release();
      await file.close();
    },
  };
}
