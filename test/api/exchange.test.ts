import { expect, test } from 'vitest';
import { ApiError } from '../../src/api/errors.ts';
import { readAnswer } from '../../src/api/exchange.ts';
import type { Operation } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations/index.ts';
import { createRedactor } from '../../src/lib/redact.ts';

const SECRET = 'canary-secret-42';
const redact = createRedactor([SECRET]);

async function read(operation: Operation, status: number, body: unknown, retryAfterMs?: number): Promise<unknown> {
  const pieces = [Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))];
  return (await readAnswer({ status, retryAfter: undefined, pieces }, { operation, redact, retryAfterMs })).payload;
}

async function failure(...args: Parameters<typeof read>): Promise<ApiError> {
  const error = await read(...args).then(
    (payload) => expect.fail(`answered ${JSON.stringify(payload)}`),
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw error;
  return error;
}

const refused = (errorCode: string, errorMessage = 'No.') => ({ success: false, errorMessage, errorCode });
const { listSegments, readCredential } = operations;

test('the authentication server grants are read with and without the envelope', async () => {
  const grants = { scopes: 'metrics', permissions: { projects: [] } };
  expect(await read(readCredential, 200, grants)).toEqual(grants);
  expect(await read(readCredential, 200, { payload: grants, success: true })).toEqual(grants);
});

test('unknown members are kept and large ids stay exact', async () => {
  const payload = await read(listSegments, 200, '\uFEFF{"payload":[{"id":12345678901234567890,"name":"a","new":[1]}]}');
  expect(payload).toEqual([{ id: '12345678901234567890', name: 'a', new: [1] }]);
});

test('secrets that the service echoes are removed wherever they stand', async () => {
  const bodies = [
    refused('VALIDATION_ERROR', `client_secret=${SECRET} is wrong`),
    refused(SECRET, 'no'),
    { [SECRET]: { a: Buffer.from(SECRET).toString('base64') } },
    `<title>${SECRET}</title>`,
    `${' x'.repeat(148)} ${SECRET}`,
  ];
  for (const body of bodies) {
    for (const status of [200, 400, 401, 500]) {
      const error = await failure(listSegments, status, body);
      expect(`${error.message} ${error.code}`).not.toContain('canary');
      expect(error.cause).toBeUndefined();
    }
  }
});

test('a hostile page is read in the time that its length takes', async () => {
  const startedMs = performance.now();
  expect(await failure(listSegments, 502, `<html>${'<title '.repeat(50_000)}`)).toMatchObject({ kind: 'down' });
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});
