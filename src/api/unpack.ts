import { promisify } from 'node:util';
import { brotliDecompress, brotliDecompressSync, gunzip, gunzipSync, inflate, inflateSync } from 'node:zlib';
import { ApiError } from './errors.ts';

/** Bytes in words of an error. */
function megabytes(bytes: number): string {
  const size = bytes / 1_048_576;
  return size >= 1 ? `${Number(size.toFixed(1))} MB` : `${Math.ceil(bytes / 1024)} KB`;
}

/** The refusal of an answer that is larger than this client reads. */
export function tooLarge(maxBytes: number, safe: boolean): ApiError {
  return new ApiError('shape', `The answer is larger than ${megabytes(maxBytes)}, the most that is read at once; ask for less.`, {
    mayHaveHappened: !safe,
  });
}

/** Reads all chunks of an answer, at most `maxBytes` as they travel; calls `onChunk` for each. */
export async function readBytes(
  body: AsyncIterable<Buffer>,
  { maxBytes, safe, onChunk }: { maxBytes: number; safe: boolean; onChunk: () => void },
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    onChunk();
    size += chunk.length;
    if (size > maxBytes) throw tooLarge(maxBytes, safe);
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, size);
}

/** Below this packed size the way to another thread and back takes longer than the unpacking. */
const INLINE_BYTES = 16_384;

type Unpacker = (bytes: Buffer, options: { maxOutputLength: number }) => Buffer | Promise<Buffer>;

/** By name of the encoding. */
const here: ReadonlyMap<string, Unpacker> = new Map([
  ['gzip', gunzipSync],
  ['x-gzip', gunzipSync],
  ['deflate', inflateSync],
  ['br', brotliDecompressSync],
]);
const inThread: ReadonlyMap<string, Unpacker> = new Map([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  ['deflate', promisify(inflate)],
  ['br', promisify(brotliDecompress)],
]);

/** Undoes the content encodings of an answer, the last applied first; never unpacks more than `maxBytes`. */
export async function unpack(packed: Buffer, encodings: string, { maxBytes, safe }: { maxBytes: number; safe: boolean }): Promise<Buffer> {
  const names = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity');
  if (names.length === 0 || packed.length === 0) return packed;
  if (names.length > 2) throw new ApiError('shape', 'The answer is packed more than twice.', { mayHaveHappened: !safe });
  const unpackers = packed.length <= INLINE_BYTES ? here : inThread;
  let bytes = packed;
  for (const name of names.toReversed()) {
    const unpacker = unpackers.get(name);
    if (!unpacker) throw new ApiError('shape', 'The answer is packed in a way that was not asked for.', { mayHaveHappened: !safe });
    try {
      bytes = await unpacker(bytes, { maxOutputLength: maxBytes });
    } catch (error) {
      if (error instanceof RangeError) throw tooLarge(maxBytes, safe);
      throw new ApiError('shape', 'The answer is packed data that is broken or cut short.', { mayHaveHappened: !safe });
    }
  }
  return bytes;
}
