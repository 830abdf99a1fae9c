import { expect } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';

/** The ApiError that a call fails with; any other outcome fails the test. */
export async function failure(call: Promise<unknown>): Promise<ApiError> {
  const reason: unknown = await call.then(
    (value) => expect.fail(`answered ${JSON.stringify(value)}`),
    (error: unknown) => error,
  );
  if (!(reason instanceof ApiError)) throw reason;
  return reason;
}
