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
import type { Dispatcher } from 'undici';
import { namesIn } from '../lib/sentences.ts';
import { type Connections, networkFailure, openConnections, outsideLookup, type Resolve, startIdleTimeout } from './connections.ts';
import { abortable, seconds } from './deadline.ts';
import { ApiError } from './errors.ts';
import type { Environment, Proxy } from './proxies.ts';

/** Bytes that may wait to be taken before the sender is slowed down; they are taken together. */
const MOST_WAITING_BYTES = 1024 * 1024;

/** By name in small letters. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** A request, and who hears how it goes on. */
interface StreamedRequest {
  readonly dispatcher: Dispatcher;
  readonly options: Dispatcher.DispatchOptions;
  readonly signal: AbortSignal;
  /** Called when the request is about to be written, with the response and with each chunk of it. */
  readonly onActivity: () => void;
  /** Makes the error that is thrown of the one that ended the response. */
  readonly failure: (error: unknown) => unknown;
}

/** The beginning of a response, and its bytes as they arrive. */
interface StreamedResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  readonly body: AsyncIterable<readonly Buffer[]>;
  /** Ends the response, read or not. */
  readonly abort: () => void;
}

/**
 * Sends a request and gives the chunks of its response in their order. What has arrived before a failure is given before it is thrown: a
 * stream would drop that, and a download over a bad line would never get further. Streams would also add a fifth to the processor time of
 * a large file.
 */
export function receive({ dispatcher, options, signal, onActivity, failure: failureOf }: StreamedRequest): Promise<StreamedResponse> {
  let chunks: Buffer[] = [];
  let waitingBytes = 0;
  let controller: Dispatcher.DispatchController | undefined;
  let end: { readonly error?: unknown } | undefined;
  let wake = nothing;
  let waking: NodeJS.Immediate | undefined;

  const stop = () => controller?.abort(new Error('closed'));
  function finish(how: { readonly error?: unknown }): void {
    end ??= how;
    signal.removeEventListener('abort', stop);
    wake();
  }

  async function* arriving() {
    for (;;) {
      if (chunks.length > 0) {
        const taken = chunks;
        [chunks, waitingBytes] = [[], 0];
        if (controller?.paused) controller.resume();
        yield taken;
      } else if (end) {
        if ('error' in end) throw failureOf(end.error);
        return;
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  }

  const answer = new Promise<StreamedResponse>((resolve, reject) => {
    dispatcher.dispatch(options, {
      onRequestStart(started) {
        controller = started;
        if (signal.aborted) return stop();
        signal.addEventListener('abort', stop, { once: true });
        onActivity();
      },
      onResponseStart(_controller, status, headers) {
        onActivity();
        if (status >= 200) resolve({ status, headers, body: arriving(), abort: stop });
      },
      onResponseData(from, chunk) {
        onActivity();
        chunks.push(chunk);
        waitingBytes += chunk.length;
        if (waitingBytes >= MOST_WAITING_BYTES) from.pause();
        // Once for all that this turn of the event loop reads.
        waking ??= setImmediate(() => {
          waking = undefined;
          wake();
        });
      },
      onResponseEnd: () => finish({}),
      onResponseError(_controller, error) {
        finish({ error });
        reject(error);
      },
    });
  });
  // While the connection is being opened there is nothing yet that could be aborted.
  return abortable(answer, signal);
}

function nothing(): void {}

/** Bytes as errors write them. */
function megabytes(bytes: number): string {
  const size = bytes / 1_048_576;
  return size >= 1 ? `${Number(size.toFixed(1))} MB` : `${Math.ceil(bytes / 1024)} KB`;
}

/** The refusal of an answer that is larger than this client reads. */
function tooLarge(maxBytes: number, safe: boolean): ApiError {
  return unread(`is larger than ${megabytes(maxBytes)}, the most that is read at once; ask for less`, safe);
}

/** The error of an answer that has come and is not read. */
/** An answer of which nothing was read. */
export function unread(why: string, safe: boolean): ApiError {
  return new ApiError('shape', `The answer ${why}.`, { outcomeUnknown: !safe });
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

/** How an encoding is undone, by its name: at once, and in another thread. */
const decoders: ReadonlyMap<string, readonly [(bytes: Buffer, options: ZlibOptions) => Buffer, (options: ZlibOptions) => Transform]> =
  new Map([
    ['gzip', [gunzipSync, createGunzip]],
    ['x-gzip', [gunzipSync, createGunzip]],
    ['deflate', [inflateSync, createInflate]],
    ['br', [brotliDecompressSync, createBrotliDecompress]],
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
  const [here, inThread] = decoders.get(name) ?? [];
  if (!here || !inThread) return undefined;
  if (sizeOf(pieces) <= INLINE_BYTES) return [here(Buffer.concat(pieces), { maxOutputLength, chunkSize: INLINE_PIECE_BYTES })];
  const stream = inThread({ chunkSize: PIECE_BYTES });
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
async function decompress(
  compressed: readonly Buffer[],
  encodings: string,
  { maxBytes, safe }: { maxBytes: number; safe: boolean },
): Promise<readonly Buffer[]> {
  const names = namesIn(encodings.toLowerCase()).filter((name) => name !== 'identity');
  if (names.length === 0 || compressed.length === 0) return compressed;
  if (names.length > 2) throw unread('is compressed more than twice', safe);
  let pieces = compressed;
  for (const name of names.toReversed()) {
    const maxOutputLength = Math.min(maxBytes, Math.max(ANY_RATIO_BYTES, sizeOf(pieces) * MAX_RATIO));
    let unpacked: Buffer[] | undefined;
    try {
      unpacked = await unpack(pieces, name, maxOutputLength);
    } catch (error) {
      if (error instanceof RangeError && maxOutputLength < maxBytes)
        throw unread(`decompresses to more than ${MAX_RATIO} times its size, so it was not read`, safe);
      if (error instanceof RangeError) throw tooLarge(maxBytes, safe);
      throw unread('is compressed data that is broken or cut short', safe);
    }
    if (!unpacked) throw unread('is compressed in a way that was not asked for', safe);
    pieces = unpacked;
  }
  return pieces;
}

/** A request as it leaves; `body` is complete text. */
export interface HttpRequest {
  method: 'GET' | 'POST';
  /** Whole address with path and query. */
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** False for a write: a failure then says whether it may have taken effect. */
  safe: boolean;
  /**
   * Set where the address comes from outside: it is then called in an inner network only where the name of this host leads there too.
   * Names are judged by what they resolve to as the connection is opened.
   */
  trustedHost?: string | undefined;
  /** Largest answer, both compressed and decompressed. */
  maxBytes: number;
  /** Longest idleTimeout of the service before the attempt is given up; left out: until the signal. */
  idleTimeoutMs?: number | undefined;
  /** Ends the request at once; its reason is thrown. */
  signal: AbortSignal;
}

/** The whole answer of a request, at most `maxBytes`. */
async function receiveWhole(request: StreamedRequest, { maxBytes, safe }: Pick<HttpRequest, 'maxBytes' | 'safe'>) {
  const { body, abort, ...head } = await receive(request);
  const pieces: Buffer[] = [];
  try {
    if (Number(head.headers['content-length']) > maxBytes) throw tooLarge(maxBytes, safe);
    for await (const chunks of body) {
      pieces.push(...chunks);
      if (sizeOf(pieces) > maxBytes) throw tooLarge(maxBytes, safe);
    }
  } catch (error) {
    abort();
    throw error;
  }
  return { ...head, pieces };
}

/** The error for the caller when a request ended without a whole answer. */
function failure(
  error: unknown,
  request: HttpRequest,
  { sent, expired, proxy }: { sent: boolean; expired: boolean; proxy: Proxy | undefined },
): unknown {
  const outcomeUnknown = sent && !request.safe;
  if (request.signal.aborted) {
    const { reason } = request.signal;
    return reason instanceof ApiError && outcomeUnknown ? new ApiError(reason.kind, reason.message, { outcomeUnknown }) : reason;
  }
  if (expired)
    return new ApiError('timeout', `No answer within ${seconds(request.idleTimeoutMs ?? 0)}.`, { outcomeUnknown, transient: true });
  if (error instanceof ApiError) return error;
  return networkFailure(error, { host: new URL(request.url).host, outcomeUnknown, proxy });
}

/**
 * Sends single requests over kept connections; never follows a redirect, never repeats. Throws an ApiError when there is no whole answer.
 */
export type Http = ReturnType<typeof createHttp>;
/** An answer that has been read as a whole, a large one in several pieces. */
export type HttpAnswer = Awaited<ReturnType<Http['send']>>;

/** Makes the HTTP side of the client; undici is loaded by the first request. Proxies are read from `environment`. */
export function createHttp({ environment, resolve }: { environment?: Environment; resolve?: Resolve } = {}) {
  /** By trusted host; the empty one calls anywhere. */
  const pools = new Map<string, Promise<Connections>>();
  let closed = false;

  function poolOf(trustedHost = ''): Promise<Connections> {
    const lookup = trustedHost === '' ? undefined : outsideLookup(resolve, trustedHost);
    const pool = pools.get(trustedHost) ?? openConnections({ environment, ...(lookup && { lookup }) });
    pools.set(trustedHost, pool);
    return pool;
  }

  return {
    async send(request: HttpRequest) {
      if (closed) throw new ApiError('down', 'The connections were closed; open a new session.');
      const connections = await poolOf(request.trustedHost);
      const { method, url, headers, body = null } = request;
      // A failure before the request is written is known to have sent nothing.
      let sent = false;
      const address = new URL(url);
      const { dispatcher, proxy } = connections.route(address);
      const { signal, refresh, hasExpired, stop } = startIdleTimeout(request);
      const onActivity = () => {
        sent = true;
        refresh();
      };
      try {
        signal.throwIfAborted();
        const { origin, pathname, search } = address;
        const options = { origin, path: `${pathname}${search}`, method, headers: { ...headers, 'accept-encoding': 'gzip' }, body };
        const answer = await receiveWhole({ dispatcher, options, signal, onActivity, failure: (error) => error }, request);
        const encodings = String(answer.headers['content-encoding'] ?? '');
        const pieces = encodings === '' ? answer.pieces : await abortable(decompress(answer.pieces, encodings, request), request.signal);
        const retryAfter = answer.headers['retry-after'];
        return {
          status: answer.status,
          retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
          pieces,
        };
      } catch (error) {
        throw failure(error, request, { sent, expired: hasExpired(), proxy });
      } finally {
        stop();
      }
    },
    /** Ends all connections; a request that runs or comes later fails. */
    async close() {
      closed = true;
      // Settings that kept undici from being loaded were reported by the request.
      await Promise.all([...pools.values()].map(async (pool) => (await pool.catch(() => undefined))?.close()));
    },
  };
}
