import { checkInput } from '../api/check-input.ts';
import type { Operation } from '../api/operation.ts';
import { encodeRequest } from '../api/wire.ts';
import type { WriteRequest } from './confirmation.ts';

/** What a write would send, after the checks that the client makes anyway. */
export function previewOf(operation: Operation, input: Record<string, unknown>, project: number | undefined): WriteRequest {
  const { target, body } = encodeRequest(operation, checkInput(operation, input, project));
  return { method: operation.method, path: target, ...(project !== undefined && { project }), ...(body && { body }) };
}
