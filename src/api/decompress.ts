import type { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  brotliDecompressSync,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  gunzipSync,
  inflateSync,
  type ZlibOptions,
} from 'node:zlib';
import { ApiError } from './errors.ts';

/** Bytes as errors write them. */
function megabytes(bytes: number): string {
  const size = bytes / 1_048_576;
  return size >= 1 ? `${Number(size.toFixed(1))} MB` : `${Math.ceil(bytes / 1024)} KB`;
}

/** The refusal of an answer that is larger than this client reads. */
export function tooLarge(maxBytes: number, safe: boolean): ApiError {
  return new ApiError('shape', `The answer is larger than ${megabytes(maxBytes)}, the most that is read at once; ask for less.`, {
    outcomeUnknown: !safe,
  });
}

/** Below this compressed size, handing over to another thread takes longer than decompressing. */
const INLINE_BYTES = 16_384;
const INLINE_PIECE_BYTES = 30 * INLINE_BYTES;

/**
 * The decompressor returns to the event loop after each piece: by its default of 16 KB, an answer of 2 MB would wait 120 times behind
 * whatever else runs. In pieces of megabytes the process would stay larger than it needs: once one is freed, the allocator keeps twice its
 * size for later.
 */
const PIECE_BYTES = 1_048_576;

/** By name of the encoding. */
const here: ReadonlyMap<string, (bytes: Buffer, options: ZlibOptions) => Buffer> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);
const inThread: ReadonlyMap<string, (options: ZlibOptions) => Transform> = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);

/**
 * JSON is compressed to a tenth or a thirtieth. What unpacks to more of its size than this, beyond what is small anyway, was made to fill
 * the memory.
 */
const MAX_RATIO = 250;
const ANY_RATIO_BYTES = 4 * 1_048_576;

function sizeOf(pieces: readonly Buffer[]): number {
  return pieces.reduce((sum, { length }) => sum + length, 0);
}

/** Undoes one encoding; throws a RangeError beyond `maxOutputLength`, and undefined stands for an encoding that is not known. */
async function unpack(pieces: readonly Buffer[], name: string, maxOutputLength: number): Promise<Buffer[] | undefined> {
  if (sizeOf(pieces) <= INLINE_BYTES) {
    const bytes = here.get(name)?.(Buffer.concat(pieces), { maxOutputLength, chunkSize: INLINE_PIECE_BYTES });
    return bytes && [bytes];
  }
  const stream = inThread.get(name)?.({ chunkSize: PIECE_BYTES });
  if (!stream) return undefined;
  const unpacked: Buffer[] = [];
  let size = 0;
  await pipeline([Buffer.concat(pieces)], stream, async (arriving: AsyncIterable<Buffer>) => {
    for await (const piece of arriving) {
      size += piece.length;
      if (size > maxOutputLength) throw new RangeError('more than may be unpacked');
      unpacked.push(piece);
    }
  });
  return unpacked;
}

/** Undoes the content encodings of an answer, the last applied first; never unpacks more than `maxBytes`. */
export async function decompress(
  compressed: readonly Buffer[],
  encodings: string,
  { maxBytes, safe }: { maxBytes: number; safe: boolean },
): Promise<readonly Buffer[]> {
  const names = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length === 0 || compressed.length === 0) return compressed;
  if (names.length > 2) throw new ApiError('shape', 'The answer is compressed more than twice.', { outcomeUnknown: !safe });
  let pieces = compressed;
  for (const name of names.toReversed()) {
    const maxOutputLength = Math.min(maxBytes, Math.max(ANY_RATIO_BYTES, sizeOf(pieces) * MAX_RATIO));
    let unpacked: Buffer[] | undefined;
    try {
      unpacked = await unpack(pieces, name, maxOutputLength);
    } catch (error) {
      if (error instanceof RangeError && maxOutputLength < maxBytes)
        throw new ApiError('shape', `The answer decompresses to more than ${MAX_RATIO} times its size, so it was not read.`, {
          outcomeUnknown: !safe,
        });
      if (error instanceof RangeError) throw tooLarge(maxBytes, safe);
      throw new ApiError('shape', 'The answer is compressed data that is broken or cut short.', { outcomeUnknown: !safe });
    }
    if (!unpacked) throw new ApiError('shape', 'The answer is compressed in a way that was not asked for.', { outcomeUnknown: !safe });
    pieces = unpacked;
  }
  return pieces;
}
