import { describe, expect, test } from 'vitest';
import * as z from 'zod';
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
const { listSegments, createExportJob, requestToken, readCredential, sendEnrichments, getSiteVisits } = operations;

describe('answers that refuse', () => {
  test.each([
    [400, refused('VALIDATION_ERROR', 'startDate: wrong'), 'invalid'],
    [422, refused('SOMETHING_NEW'), 'invalid'],
    [401, refused('JWT_EXPIRED'), 'unauthorized'],
    [401, refused('JWT_INVALID'), 'unauthorized'],
    [401, '', 'unauthorized'],
    [403, refused('FORBIDDEN'), 'forbidden'],
    [403, '<html><title>403 Forbidden</title></html>', 'forbidden'],
    [404, refused('NOT_FOUND'), 'missing'],
    [410, {}, 'missing'],
    [408, '', 'down'],
    [429, refused('SLOW_DOWN'), 'busy'],
    [200, refused('CONCURRENT_API_CALL'), 'busy'],
    [400, refused('CONCURRENT_API_CALL'), 'busy'],
    [500, refused('CONCURRENT_API_CALL'), 'busy'],
    [500, refused('VALIDATION_ERROR'), 'down'],
    [502, '<html><head><title>502 Bad Gateway</title></head></html>', 'down'],
    [503, '', 'down'],
    [200, refused('VALIDATION_ERROR'), 'invalid'],
    [200, refused('NOT_FOUND'), 'missing'],
    [200, refused('WHATEVER', 'Segment 12 does not exist'), 'missing'],
    [200, refused('WHATEVER', 'Internal error, try again'), 'down'],
    [200, refused('WHATEVER', 'You have no permission'), 'forbidden'],
    [200, { success: false }, 'invalid'],
    [200, { error: 'invalid_token', error_description: 'revoked' }, 'unauthorized'],
    [400, { error: { code: 'NOT_FOUND', message: 'nested' } }, 'missing'],
  ])('%i %j is %s', async (status, body, kind) => {
    const error = await failure(listSegments, status, body);
    expect(error).toMatchObject({ kind, status, outcomeUnknown: false });
    expect(error.message).toMatch(/^The service .*GET \/v1\/segments/);
  });

  test('code and words of the service are quoted as its own', async () => {
    const error = await failure(getSiteVisits, 400, refused('VALIDATION_ERROR', 'endDate:\n"later"\u202E'));
    expect(error.message).toBe(
      `The service did not accept GET /v1/metrics/site/visits (400, VALIDATION_ERROR): it says "endDate: 'later'".`,
    );
    expect(error.code).toBe('VALIDATION_ERROR');
  });

  test('a service that names the time to come back is busy', async () => {
    expect(await failure(listSegments, 503, '', 2000)).toMatchObject({ kind: 'busy', retryAfterMs: 2000, transient: true });
    expect(await failure(createExportJob, 503, '', 2000)).toMatchObject({ kind: 'busy', outcomeUnknown: true });
  });
});

describe('the authentication server', () => {
  test.each([
    [401, { error: 'invalid_client', error_description: 'Client authentication failed' }, 'unauthorized'],
    [400, { error: 'invalid_client' }, 'unauthorized'],
    [500, { success: false, errorMessage: 'Wrong client credentials' }, 'unauthorized'],
    [500, 'Invalid client secret', 'unauthorized'],
    [403, 'credential expired', 'unauthorized'],
    [400, { error: 'invalid_scope', error_description: 'The credential lacks the scope metrics' }, 'forbidden'],
    [400, refused('BAD', 'scope metrics is not granted'), 'forbidden'],
    [403, { error: 'access_denied' }, 'forbidden'],
    [400, { error: 'invalid_request', error_description: 'project_id is required' }, 'invalid'],
    [404, '<html>', 'settings'],
    [500, refused('INTERNAL'), 'down'],
    [503, { error: 'temporarily_unavailable' }, 'down'],
    [429, '', 'busy'],
    [200, '<html><title>Sign in</title></html>', 'shape'],
    [200, { token: 'x' }, 'shape'],
  ])('%i %j is %s', async (status, body, kind) => {
    expect(await failure(requestToken, status, body)).toMatchObject({ kind, status });
  });

  test('a wrong credential is not asked again, whatever the status; a broken server is', async () => {
    expect((await failure(requestToken, 500, 'Invalid client secret')).transient).toBe(false);
    expect((await failure(requestToken, 500, 'oops')).transient).toBe(true);
  });

  test('grants are read with and without the envelope', async () => {
    const grants = { scopes: 'metrics', permissions: { projects: [] } };
    expect(await read(readCredential, 200, grants)).toEqual(grants);
    expect(await read(readCredential, 200, { payload: grants, success: true })).toEqual(grants);
  });
});

describe('answers that cannot be read', () => {
  test.each([
    ['an empty body', ''],
    ['an empty body', ' \n'],
    ['an HTML page ("Sign in")', '<!doctype html><title>Sign in</title>'],
    ['JSON that is broken or cut short', '{"payload":[{"id":1'],
    ['text instead of JSON: "fine"', '"fine"'],
    ['text instead of JSON: "all good"', 'all good'],
    ['an unknown shape: payload', { success: true }],
    ['an unknown shape: payload is string instead of list', { payload: 'later', success: true }],
    ['an unknown shape: payload.0 is number instead of object', { payload: [1], success: true }],
    ['an unknown shape: payload', []],
  ])('%s', async (words, body) => {
    const error = await failure(listSegments, 200, body);
    expect(error).toMatchObject({ kind: 'shape', status: 200, transient: false, outcomeUnknown: false });
    expect(error.message).toContain(words);
    expect(await failure(createExportJob, 200, body)).toMatchObject({ kind: 'shape', outcomeUnknown: true });
  });

  test('a redirect is not followed', async () => {
    expect((await failure(listSegments, 302, '')).message).toContain('redirect, which is never followed');
  });
});

test('unknown members are kept and large ids stay exact', async () => {
  const payload = await read(listSegments, 200, '\uFEFF{"payload":[{"id":12345678901234567890,"name":"a","new":[1]}]}');
  expect(payload).toEqual([{ id: '12345678901234567890', name: 'a', new: [1] }]);
});

test.each([
  ['', undefined],
  ['accepted', 'accepted'],
  [{ success: true, payload: { received: 2 } }, { received: 2 }],
  [{ received: 2 }, { received: 2 }],
])('enrichment hands back whatever a 2xx carries: %j', async (body, expected) => {
  expect(await read(sendEnrichments, 202, body)).toEqual(expected);
});

test('an enrichment answer that is evidently not the service is refused', async () => {
  expect(await failure(sendEnrichments, 200, '<html><title>Sign in')).toMatchObject({ kind: 'shape', outcomeUnknown: true });
  expect(await failure(sendEnrichments, 200, refused('VALIDATION_ERROR'))).toMatchObject({ kind: 'invalid', outcomeUnknown: false });
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

test('an operation may declare any payload', async () => {
  const operation: Operation = { ...listSegments, payload: z.strictObject({ a: z.literal('x') }) };
  expect((await failure(operation, 200, { payload: { a: 'y' } })).message).toContain('payload.a');
});
