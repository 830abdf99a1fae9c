import { ProtocolError, ProtocolErrorCode, ResourceNotFoundError } from '@modelcontextprotocol/server';
import { ApiError } from '../api/errors.ts';

/** A failure that concerns an address as a protocol error with words; secrets removed. */
export function protocolError(error: unknown, uri: string, redact: (text: string) => string): Error {
  if (error instanceof ProtocolError) return error;
  const due = error instanceof ApiError && error.kind === 'busy' ? error.retryAfterMs : undefined;
  const wait = due === undefined ? '' : ` Wait ${Math.ceil(due / 1000)} seconds, then read again.`;
  const words = redact(`${uri}: ${error instanceof Error ? error.message : String(error)}${wait}`);
  const kind = error instanceof ApiError ? error.kind : undefined;
  if (kind === 'missing') return new ResourceNotFoundError(uri, words);
  return new ProtocolError(kind === 'invalid' ? ProtocolErrorCode.InvalidParams : ProtocolErrorCode.InternalError, words);
}
