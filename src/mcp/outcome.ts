import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { HarError } from '../analysis/har/har-error.ts';
import { ApiError } from '../api/errors.ts';
import type { CallOutcome } from '../telemetry/call-watch.ts';
import { WorkspaceError } from '../workspace/workspace-error.ts';
import { RATE_LIMITED } from './rate-limit.ts';

const INTERNAL: number = ProtocolErrorCode.InternalError;

/** How a call failed, in one word for whoever counts. */
export function outcomeOf(error: unknown, signal: AbortSignal): CallOutcome {
  if (signal.aborted) return 'cancelled';
  if (error instanceof ApiError) return error.code === RATE_LIMITED ? 'limited' : error.kind;
  if (error instanceof HarError) return 'shape';
  if (error instanceof WorkspaceError) return 'workspace';
  if (error instanceof ProtocolError) return error.code === INTERNAL ? 'fault' : 'invalid';
  return 'fault';
}
