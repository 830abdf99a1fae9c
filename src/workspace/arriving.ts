import type { Readable } from 'node:stream';

/** Bytes that may wait to be taken before the sender is slowed down. */
const MOST_WAITING_BYTES = 512 * 1024;

interface Watch {
  readonly heard: () => void;
  /** Makes the error that is thrown of the one that ended the stream. */
  readonly failure: (error: unknown) => unknown;
}

/**
 * The chunks of a stream in their order. What has arrived before a failure is given before it is thrown; an iteration over the
 * stream itself would drop that, and a download over a bad line would never get further.
 */
export function arriving(stream: Readable, { heard, failure }: Watch): AsyncIterable<Buffer> {
  const chunks: Buffer[] = [];
  let waitingBytes = 0;
  let end: { readonly error?: unknown } | undefined;
  let wake = nothing;
  stream.on('data', (chunk: Buffer) => {
    heard();
    chunks.push(chunk);
    waitingBytes += chunk.length;
    if (waitingBytes >= MOST_WAITING_BYTES) stream.pause();
    wake();
  });
  const ended = (how: { readonly error?: unknown }) => {
    end ??= how;
    wake();
  };
  stream.on('end', () => ended({}));
  stream.on('error', (error: unknown) => ended({ error }));
  stream.on('close', () => ended({ error: new Error('closed') }));

  async function next(): Promise<Buffer | undefined> {
    for (;;) {
      const chunk = chunks.shift();
      if (chunk) {
        waitingBytes -= chunk.length;
        if (waitingBytes < MOST_WAITING_BYTES / 2 && stream.isPaused()) stream.resume();
        return chunk;
      }
      if (end && 'error' in end) throw failure(end.error);
      if (end) return undefined;
      await new Promise<void>((resolve) => {
        wake = resolve;
      });
    }
  }

  return {
    async *[Symbol.asyncIterator]() {
      for (let chunk = await next(); chunk; chunk = await next()) yield chunk;
    },
  };
}

function nothing(): void {}
