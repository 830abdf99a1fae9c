import { open } from 'node:fs/promises';
import * as z from 'zod';
import { abortable } from '../../api/deadline.ts';
import { FILE_MODE, WorkspaceError } from '../store/disk.ts';
import { runFile } from '../store/manifest.ts';
import type { Quota } from '../store/quota.ts';
import { type Inspected, inspect } from './inspection.ts';

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
    async finish(): Promise<Inspected> {
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
