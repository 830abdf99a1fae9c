import { createHash } from 'node:crypto';
import { createGunzip, type Gunzip } from 'node:zlib';

const LINE_END = 0x0a;
const QUOTE = 0x22;

/** Counts records while bytes go by. */
export interface RowCounter {
  add(chunk: Uint8Array): void;
  /** Records so far, the header of CSV not counted; a last line needs no end. */
  rows(): number;
}

function lineEndsIn(chunk: Uint8Array): number {
  let found = 0;
  for (let at = chunk.indexOf(LINE_END); at !== -1; at = chunk.indexOf(LINE_END, at + 1)) found += 1;
  return found;
}

/** Counts the records of JSON lines or CSV; undefined for a format whose records cannot be counted. */
function createRowCounter(format: string): RowCounter | undefined {
  const isCsv = format.toUpperCase() === 'CSV';
  if (!isCsv && format.toUpperCase() !== 'JSONL') return undefined;
  let [ends, last, isQuoted] = [0, LINE_END, false];
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
    add(chunk) {
      ends += isCsv ? unquotedEndsIn(chunk) : lineEndsIn(chunk);
      last = chunk.at(-1) ?? last;
    },
    rows: () => Math.max(0, ends + (last === LINE_END ? 0 : 1) - (isCsv ? 1 : 0)),
  };
}

/** What the bytes of a file are, once all of them went by. */
export interface Inspected {
  readonly sha256: string;
  /** Recognised by the first two bytes; names and headers are not reliable. */
  readonly gzip: boolean;
  /** Decompressed size. */
  readonly plainBytes: number;
  readonly rows?: number;
  /** Why it is not a complete gzip file. */
  readonly fault?: string;
}

/** Looks at the bytes of a file while they arrive, in order. */
export interface Inspection {
  /** Resolves when more may come; the chunk itself is the caller's again at once. */
  add(chunk: Buffer): Promise<void> | void;
  end(): Promise<Inspected>;
  /** Lets go of everything; for a file that is given up. */
  close(): void;
}

/** Large, because each decompressed chunk takes a turn of the event loop. */
const UNPACKED_CHUNK_BYTES = 256 * 1024;

/** No export unpacks to more than this many times its size; zeros do to a thousand. */
const MAX_RATIO = 250;
/** Small files may be as repetitive as they like. */
const FREE_BYTES = 64 * 1024 * 1024;

function nothing(): void {}

/** Begins to look at a file of this format (JSONL, CSV …). */
export function inspect(format: string): Inspection {
  const hash = createHash('sha256');
  const counter = createRowCounter(format);
  let start = Buffer.alloc(0);
  let gunzip: Gunzip | undefined;
  let isKnown = false;
  let plainBytes = 0;
  let fault: string | undefined;

  let compressedBytes = 0;

  function plain(chunk: Buffer): void {
    plainBytes += chunk.length;
    if (fault === undefined) counter?.add(chunk);
    if (gunzip && plainBytes > FREE_BYTES && plainBytes > MAX_RATIO * compressedBytes) {
      fault ??= `it decompresses to more than ${MAX_RATIO} times its size`;
      gunzip.destroy();
    }
  }

  let [isOver, wake, end] = [false, nothing, nothing];
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  const ended = () => {
    isOver = true;
    end();
    wake();
  };

  function unpacking(): Gunzip {
    const stream = createGunzip({ chunkSize: UNPACKED_CHUNK_BYTES });
    stream
      .on('data', plain)
      .on('drain', () => wake())
      .on('end', ended)
      .on('close', ended);
    return stream.on('error', (error) => {
      fault ??= error.message;
      ended();
    });
  }

  function feed(chunk: Buffer): Promise<void> | void {
    if (!gunzip) return plain(chunk);
    // A stream that broke, or that met its end before this, takes nothing more; the rest of the file is still hashed.
    if (isOver || gunzip.write(Buffer.from(chunk))) return undefined;
    return new Promise((resolve) => {
      wake = resolve;
    });
  }

  return {
    add(chunk) {
      hash.update(chunk);
      compressedBytes += chunk.length;
      if (isKnown) return feed(chunk);
      start = Buffer.concat([start, chunk]);
      if (start.length < 2) return undefined;
      isKnown = true;
      if (start[0] === 0x1f && start[1] === 0x8b) gunzip = unpacking();
      return feed(start);
    },
    async end() {
      if (!isKnown) plain(start);
      gunzip?.end();
      if (gunzip) await over;
      const rows = fault === undefined ? counter?.rows() : undefined;
      return {
        sha256: hash.digest('hex'),
        gzip: gunzip !== undefined,
        plainBytes,
        ...(rows !== undefined && { rows }),
        ...(fault !== undefined && { fault }),
      };
    },
    close: () => void gunzip?.destroy(),
  };
}
