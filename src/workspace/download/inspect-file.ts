import type { FileHandle } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { shippedFile } from '../../lib/shipped.ts';
import { type Inspected, type Inspection, inspect } from './inspection.ts';

/** A smaller file is read faster than a thread starts. */
const THREAD_BYTES = 32 * 1024 * 1024;
/** Bytes that are read at a time: as many as stay near the processor. */
const READ_BYTES = 256 * 1024;

/** The data that the thread is started with. */
export interface ThreadData {
  /** Descriptor of the open file, which the starter closes after the thread has ended. */
  readonly fd: number;
  readonly format: string;
}

/** A message to the thread: the number of bytes so far, and whether they are all. */
export interface Grown {
  readonly bytes: number;
  readonly isWhole: boolean;
}

/** Fills a buffer from a position of the file; gives the number of bytes. */
export type Read = (buffer: Buffer, position: number) => Promise<number> | number;

/** Hands the bytes of a file to an inspection, from its beginning up to where each call says. */
export function followFile(read: Read, inspection: Inspection): (bytes: number) => Promise<void> {
  const buffer = Buffer.allocUnsafe(READ_BYTES);
  let done = 0;
  return async (bytes) => {
    while (done < bytes) {
      const taken = await read(buffer.subarray(0, Math.min(READ_BYTES, bytes - done)), done);
      if (taken === 0) throw new Error('the file became shorter while it was read');
      await inspection.add(buffer.subarray(0, taken));
      done += taken;
    }
  };
}

/** Looks at the file in a thread, which follows what is written. */
function inspectBeside({ fd }: FileHandle, format: string) {
  const workerData: ThreadData = { fd, format };
  // It needs nothing of the environment, where secrets are.
  const thread = new Worker(shippedFile('inspection.js'), { workerData, env: {}, execArgv: [] });
  const result = new Promise<Inspected>((resolve, reject) => {
    thread.on('message', resolve).on('error', reject);
    thread.on('exit', () => reject(new Error('the inspection of a file ended early')));
  });
  // A failure is thrown by `end`; a file that is given up before has none.
  result.catch(() => undefined);
  return {
    tell: (grown: Grown) => thread.postMessage(grown),
    result,
    close: async () => void (await thread.terminate()),
  };
}

/** Begins to inspect a file that is open for reading; the file must stay open until `close` has resolved. */
export function inspectFile(file: FileHandle, format: string) {
  let bytes = 0;
  let beside: ReturnType<typeof inspectBeside> | undefined;

  async function inspectHere(): Promise<Inspected> {
    const inspection = inspect(format);
    try {
      const read: Read = async (buffer, position) => (await file.read(buffer, 0, buffer.length, position)).bytesRead;
      await followFile(read, inspection)(bytes);
      return await inspection.end();
    } finally {
      inspection.close();
    }
  }

  return {
    /** Tells how many bytes of the file are on the disk by now. */
    grown(now: number): void {
      bytes = now;
      if (bytes >= THREAD_BYTES) beside ??= inspectBeside(file, format);
      beside?.tell({ bytes, isWhole: false });
    },
    /** Describes the file up to the byte of the last `grown`. */
    end(): Promise<Inspected> {
      if (!beside) return inspectHere();
      beside.tell({ bytes, isWhole: true });
      return beside.result;
    },
    /** Resolves once the file is no longer read. */
    close: async () => beside?.close(),
  };
}
