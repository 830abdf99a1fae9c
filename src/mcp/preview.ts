import { checkInput } from '../api/client.ts';
import type { InputOf, Operation } from '../api/operation.ts';
import { encodeRequest } from '../api/wire.ts';
import type { WriteRequest } from './confirmation.ts';

/** What a write would send, after the checks that the client makes anyway. */
export function checkedRequest<O extends Operation>(operation: O, input: InputOf<O>, project: number | undefined): WriteRequest {
  const { target, body } = encodeRequest(operation, checkInput(operation, input));
  return { method: operation.method, path: target, ...(project !== undefined && { project }), ...(body && { body }) };
}
