import type { IncomingMessage } from 'node:http';
import { isJsonContentType } from '@modelcontextprotocol/server';
import { parseMessage } from '../read-message.ts';
import type { Refusal } from './era-handler.ts';

/** How much of bodies is taken. */
export interface BodyLimits {
  /** Largest single body. */
  readonly maxBodyBytes: number;
  /** Most of all bodies that are on their way at once. */
  readonly maxHeldBytes: number;
  /** A body up to this size is always accepted, so that the large ones of some callers do not lock out others. */
  readonly shortBodyBytes: number;
}

/** The parsed body of a request, or why it is refused; undefined where the client has gone. */
export type ReadBody = (request: IncomingMessage) => Promise<{ readonly body: unknown } | { readonly refusal: Refusal } | undefined>;

/** Makes the reader of all bodies of one server. How long a body may take is up to the server. */
export function createBodyReader({ maxBodyBytes, maxHeldBytes, shortBodyBytes }: BodyLimits): ReadBody {
  let heldBytes = 0;
  const tooLarge: Refusal = { status: 413, message: `A body may have ${maxBodyBytes} bytes; send less.` };
  const tooMany: Refusal = { status: 503, message: 'Too many requests at once; try again later.', headers: { 'retry-after': '1' } };

  async function readAll(request: IncomingMessage): Promise<Buffer | Refusal> {
    const chunks: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const chunk of request as AsyncIterable<Buffer>) {
        bytes += chunk.length;
        heldBytes += chunk.length;
        if (bytes > maxBodyBytes) return tooLarge;
        if (heldBytes > maxHeldBytes && bytes > shortBodyBytes) return tooMany;
        chunks.push(chunk);
      }
      return Buffer.concat(chunks, bytes);
    } finally {
      heldBytes -= bytes;
    }
  }

  return async (request) => {
    const { headers } = request;
    if (!isJsonContentType(headers['content-type'] ?? null)) return { refusal: { status: 415, message: 'Send application/json.' } };
    if ((headers['content-encoding'] ?? 'identity') !== 'identity')
      return { refusal: { status: 415, message: 'Send the body without a content encoding.' } };
    if (Number(headers['content-length']) > maxBodyBytes) return { refusal: tooLarge };
    let bytes: Buffer | Refusal;
    try {
      bytes = await readAll(request);
    } catch {
      return undefined; // cut off
    }
    if (!Buffer.isBuffer(bytes)) return { refusal: bytes };
    const parsed = parseMessage(bytes);
    return 'fault' in parsed ? { refusal: { status: 400, ...parsed.fault } } : { body: parsed.value };
  };
}
