import { type FileHandle, open } from 'node:fs/promises';
import * as z from 'zod';
import { abortable } from '../../api/deadline.ts';
import { diskFailure, FILE_MODE, WorkspaceError } from '../store/disk.ts';
import { runFile } from '../store/manifest.ts';
import type { Quota, Room } from '../store/quota.ts';
import { inspectFile } from './inspect-file.ts';
import type { Inspected } from './inspection.ts';

/** A file that has arrived, before it is known whether its first line is a header. */
const arrivedFile = runFile.extend({ firstLine: z.array(z.string()).exactOptional() });
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

/** Bytes that are gathered before they are written; the next are received and hashed meanwhile. */
const BLOCK_BYTES = 1024 * 1024;
/** Bytes after which the file is flushed to disk, so that a large file does not leave everything for the end. */
const SYNC_BYTES = 64 * 1024 * 1024;

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

/** Room that is kept for the record beside a part, whose bytes are not counted when it is written. */
const RECORD_BYTES = 512;

/** Writes bytes behind one another, a block while the next is gathered. */
function createBlockWriter(file: FileHandle, room: Room, onWritten: (end: number) => void) {
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

  const writer = {
    /** Bytes taken so far, written or not. */
    offset: 0,
    async take(chunks: readonly Buffer[]): Promise<void> {
      const bytes = chunks.reduce((sum, { length }) => sum + length, 0);
      pending.push(...chunks);
      pendingBytes += bytes;
      writer.offset += bytes;
      if (pendingBytes >= BLOCK_BYTES) await send();
    },
    /** Waits until all bytes taken are written. */
    async flush(): Promise<void> {
      if (pendingBytes > 0) await send();
      await writing;
    },
    /** Waits until nothing is being written, or flushed to the disk in between. */
    async settled(): Promise<void> {
      await writing.catch(() => undefined);
      await syncing;
    },
  };
  return writer;
}

/**
 * Opens the file of a part, with what it holds already; failures of the disk are a `WorkspaceError`. It is inspected from the disk, so what
 * is described is what is there.
 */
export async function openPartFile(path: string, { format, quota, keep, signal }: PartFileOptions) {
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
    /** Bytes taken so far; the next byte of the part belongs there. */
    get offset() {
      return writer.offset;
    },
    /** Reserves room for this many more bytes. */
    announce: (bytes: number) => room.need(bytes + RECORD_BYTES),
    take: (chunks: readonly Buffer[]) => worded(writer.take(chunks)),
    /** Flushes the received bytes to the disk. */
    flush,
    /** Forgets all bytes. */
    async restart(): Promise<void> {
      await flush();
      await inspection.close();
      await worded(file.truncate(0));
      room.release();
      inspection = inspectFile(file, format);
      writer.offset = 0;
    },
    /** Flushes and closes the file, and describes its content. */
    async finish(): Promise<Inspected> {
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
    async close(): Promise<void> {
      await writer.settled();
      await inspection.close();
      // The record stays until the run is whole.
      room.written(RECORD_BYTES);
      room.release();
      await file.close();
    },
  };
}

/** A part during its download. */
export type PartFile = Awaited<ReturnType<typeof openPartFile>>;
