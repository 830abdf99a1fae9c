import { looseAmountOf } from './member.ts';

/** Reads the value of a member below an entry as an amount, reporting one that is none. */
export type ReadAmount = (value: unknown, member: string) => number | null;

/** Bytes of a response, null where the file does not know them. */
export interface Sizes {
  transferBytes: number | null;
  contentBytes: number | null;
  /** The recorder wrote 0 for a body that it did not see. */
  bodyLost: boolean;
}

/**
 * Transferred: `_transferSize`, else headers and body; the body alone where the recorder gives no header size (usual for HTTP/2).
 * Some recorders write 0 for bodies they did not see (WebPagetest for SPDY): a success with a Content-Length above 0 gives them away,
 * and their own count (`_bytesIn`) is the best there is.
 */
export function readSizes(
  raw: Record<string, unknown>,
  response: Record<string, unknown>,
  content: Record<string, unknown>,
  contentLength: string | null,
  amount: ReadAmount,
): Sizes {
  const transferSize = amount(response._transferSize, '.response._transferSize');
  const bodySize = amount(response.bodySize, '.response.bodySize');
  const headersSize = amount(response.headersSize, '.response.headersSize');
  const contentSize = amount(content.size, '.response.content.size');
  const bodyLost =
    bodySize === 0 && transferSize === null && contentLength !== null && response.status === 200 && Number(contentLength) > 0;
  if (bodyLost) return { transferBytes: looseAmountOf(raw._bytesIn) || null, contentBytes: contentSize || null, bodyLost };
  const bodyAndHeaders = bodySize === null ? null : bodySize + (headersSize ?? 0);
  return { transferBytes: transferSize ?? bodyAndHeaders, contentBytes: contentSize, bodyLost };
}
