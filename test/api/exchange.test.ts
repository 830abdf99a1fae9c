import { describe, expect, test } from 'vitest';
import type { Limits } from '../../src/api/deadline.ts';
import { ApiError, type ErrorKind, kindOf, type Refusal, readRefusal } from '../../src/api/errors.ts';
import { type Exchange, exchange, readAnswer } from '../../src/api/exchange.ts';
import type { HttpAnswer, HttpRequest } from '../../src/api/http.ts';
import type { ApiEvent, Operation } from '../../src/api/operation.ts';
import { operations } from '../../src/api/operations/index.ts';
import { createRedactor } from '../../src/lib/redact.ts';
import { failure } from '../support/failure.ts';

const { listSegments, createSpeedEvent, sendEnrichments, readCredential, requestToken, getStepHar } = operations;
const plain = (words: string) => words;
const SECRET = 'canary-secret-42';
const redact = createRedactor([SECRET]);
const answer = (status: number, body: unknown, retryAfter?: string): HttpAnswer => ({
  status,
  pieces: [Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))],
  retryAfter,
});
const read = (
  status: number,
  body: unknown,
  { operation = listSegments, retryAfterMs }: { operation?: Operation; retryAfterMs?: number } = {},
) => readAnswer(answer(status, body), { operation, redact, retryAfterMs }).then(({ payload }) => payload);

const said = (errorMessage: string, errorCode?: string) => ({ success: false, errorMessage, ...(errorCode && { errorCode }) });

test.each([
  [
    400,
    said('Wrong.', 'VALIDATION_ERROR'),
    'invalid',
    'The service did not accept GET /v1/segments (400, VALIDATION_ERROR): it says "Wrong.".',
  ],
  [
    401,
    '',
    'unauthorized',
    'The service refused the token or credential of GET /v1/segments (401): the body was empty. Check client ID and secret; ' +
      'a credential expires after one year.',
  ],
  [403, said('No.'), 'forbidden', 'The service does not allow GET /v1/segments (403): it says "No.".'],
  [404, said('Gone.'), 'missing', 'The service found nothing for GET /v1/segments (404): it says "Gone.".'],
  [429, '', 'busy', 'The service is too busy for GET /v1/segments (429): the body was empty.'],
  [500, said('Oops.'), 'down', 'The service failed at GET /v1/segments (500): it says "Oops.".'],
  [408, '', 'down', 'The service failed at GET /v1/segments (408): the body was empty.'],
  [200, said('Nothing was not found'), 'missing', 'The service found nothing for GET /v1/segments (200): it says "Nothing was not found".'],
])('a refusal with %d %j', async (status, body, kind, message) => {
  expect(await failure(read(status, body))).toMatchObject({ kind, status, message });
});

test.each([
  ['the service named a time and its 503', listSegments, 503, '', 1_000, 'busy', true],
  ['it named none', listSegments, 503, '', undefined, 'down', true],
  ['it named one for another failure', listSegments, 500, '', 1_000, 'down', true],
  ['it refused with 503 for something else', listSegments, 503, said('No.', 'UNAUTHORIZED'), 1_000, 'unauthorized', false],
  ['too many calls', listSegments, 400, said('No.', 'CONCURRENT_API_CALL'), undefined, 'busy', true],
  ['a wrong argument', listSegments, 400, said('No.'), undefined, 'invalid', false],
  ['408', listSegments, 408, '', undefined, 'down', true],
  ['a token service that broke', requestToken, 500, 'oops', undefined, 'down', true],
  ['a token service that knows no such client, in its way', requestToken, 500, 'Invalid client', undefined, 'unauthorized', false],
  ['a token service that lacks the scope', requestToken, 500, said('No.', 'INVALID_SCOPE'), undefined, 'forbidden', false],
  ['a failure in the words of a 200', listSegments, 200, said('Internal trouble'), undefined, 'down', false],
] as const)('a refusal is worth a repeat or not: %s', async (_, operation, status, body, retryAfterMs, kind, transient) => {
  const error = await failure(read(status, body, { operation, ...(retryAfterMs !== undefined && { retryAfterMs }) }));
  expect(error).toMatchObject({ kind, transient, retryAfterMs, outcomeUnknown: false });
});

test.each([
  [400, said('No.'), false],
  [401, '', false],
  [429, '', false],
  [500, said('No.', 'CONCURRENT_API_CALL'), false],
  [500, said('No.', 'UNAUTHORIZED'), false],
  [500, '', true],
  [503, '', true],
  [408, '', true],
  [200, said('Unexpected error'), true],
  [200, said('No.'), false],
])('a refusal of a write by %d %j: may have taken effect, %s', async (status, body, outcomeUnknown) => {
  expect(await failure(read(status, body, { operation: createSpeedEvent }))).toMatchObject({ outcomeUnknown });
});

test.each([{ error: 'invalid_grant' }, { error: 'x', payload: undefined }])(
  'a refusal in the style of OAuth with 200: %j',
  async (body) => {
    expect(await failure(read(200, body, { operation: requestToken }))).toMatchObject({ status: 200 });
  },
);

test('a refusal is not what merely has an error among its members', async () => {
  expect(await read(200, { error: 'none', payload: [] })).toEqual([]);
  expect(await read(200, { error: { a: 1 }, payload: [], success: true })).toEqual([]);
  expect(await read(200, { error: 'x', access_token: 't' }, { operation: requestToken })).toMatchObject({ access_token: 't' });
});

describe('an answer that cannot be read', () => {
  test.each([
    ['', 'an empty body'],
    [' \n', 'an empty body'],
    ['\uFEFF', 'an empty body'],
    ['<html><title>Sign in</title>', 'an HTML page ("Sign in") instead of JSON'],
    ['{"payload":', 'JSON that is broken or cut short'],
    ['[1,', 'JSON that is broken or cut short'],
    ['hello', 'text instead of JSON: "hello"'],
    ['12', 'text instead of JSON: "12"'],
    ['null', 'text instead of JSON: "null"'],
  ])('%j', async (body, words) => {
    const { message, kind, status } = await failure(read(200, body));
    expect({ kind, status }).toEqual({ kind: 'shape', status: 200 });
    const start = 'The service answered GET /v1/segments with 200 and ';
    expect(message.slice(0, start.length)).toBe(start);
    expect(message.slice(start.length)).toBe(`${words}.`);
  });

  test.each([
    [{ payload: 'x' }, /with 200 and an unknown shape: payload is string instead of list/],
    [{ payload: [[]] }, /with 200 and an unknown shape: payload\.0 is list instead of object/],
    [{}, /with 200 and an unknown shape: payload is missing/],
  ])('%j names the member that does not fit', async (body, words) => {
    expect((await failure(read(200, body))).message).toMatch(words);
  });

  test('a redirect is not followed, and who answered is said', async () => {
    const words = 'answered POST /v1/oauth/token with 302 and a redirect, which is never followed; check the address.';
    expect((await failure(read(302, '', { operation: requestToken }))).message).toBe(`The authentication server ${words}`);
    expect((await failure(read(399, {}))).message).toContain('with 399 and a redirect');
  });

  test('of a write leaves open whether it took effect', async () => {
    expect(await failure(read(200, 'x', { operation: createSpeedEvent }))).toMatchObject({ kind: 'shape', outcomeUnknown: true });
    expect(await failure(read(200, 'x'))).toMatchObject({ outcomeUnknown: false });
  });

  test.each([
    ['', undefined],
    ['taken', 'taken'],
    ['"taken"', 'taken'],
    [{ any: 1 }, { any: 1 }],
    [{ payload: { any: 1 } }, { any: 1 }],
  ])('of enrichment every 2xx counts as taken: %j', async (body, expected) => {
    expect(await read(202, body, { operation: sendEnrichments })).toEqual(expected);
  });

  test.each(['<html>', '{"a":'])('of enrichment, %s is evidently not that of the service', async (body) => {
    expect(await failure(read(200, body, { operation: sendEnrichments }))).toMatchObject({ kind: 'shape', outcomeUnknown: true });
  });
});

describe('a request', () => {
  /** Sends over a connection that notes the request and gives the answer, or fails. */
  async function sent(changes: Partial<Exchange>, result: HttpAnswer | Error = answer(200, { payload: [] })) {
    const [requests, events, lines]: [HttpRequest[], ApiEvent[], string[]] = [[], [], []];
    let nowMs = 10_000;
    const http = {
      async send(request: HttpRequest) {
        requests.push(request);
        nowMs += 7;
        if (result instanceof Error) throw result;
        return result;
      },
      close: async () => undefined,
    };
    const limits: Limits = { deadlineMs: 13_000, signal: new AbortController().signal, waitsFor: 'answer' };
    const wiring = {
      http,
      clock: { now: () => nowMs, sleep: async () => undefined },
      redact,
      userAgent: 'test/1',
      log: (_: string, line: string) => void lines.push(line),
      observe: (event: ApiEvent) => void events.push(event),
    };
    const request: Exchange = {
      operation: listSegments,
      input: {},
      base: 'https://eu.example/x',
      encoding: 'json',
      limits,
      attempt: 1,
      ...changes,
    };
    const given = await exchange(wiring, { ...request, observe: wiring.observe }).catch((error: unknown) => error);
    return { requests, events, lines, given };
  }

  test('of a read', async () => {
    const { requests, events, lines, given } = await sent({ input: { ids: [1, 2] }, accessToken: 'secret', trustedHost: 'auth.example' });
    expect(given).toEqual({ payload: [], leftOut: [] });
    expect(requests).toEqual([
      {
        method: 'GET',
        url: 'https://eu.example/x/v1/segments?ids=1%2C2',
        headers: { accept: 'application/json', 'user-agent': 'test/1', authorization: 'Bearer secret' },
        body: undefined,
        safe: true,
        trustedHost: 'auth.example',
        maxBytes: 32 * 1_048_576,
        idleTimeoutMs: 2_000,
        signal: expect.any(AbortSignal),
      },
    ]);
    const event = { type: 'request', operation: listSegments, attempt: 1, durationMs: 7, outcome: 'ok', status: 200 };
    expect(events).toEqual([event, event]);
    expect(lines).toEqual(['GET /v1/segments attempt 1: 200, 7 ms']);
  });

  test('of a write, the last attempt of a read, and a HAR file', async () => {
    const write = (await sent({ operation: createSpeedEvent, input: { key: 'a' } })).requests[0];
    expect(write).toMatchObject({ method: 'POST', body: '{"key":"a"}', safe: false, headers: { 'content-type': 'application/json' } });
    expect(write?.headers).not.toHaveProperty('authorization');
    expect(write?.idleTimeoutMs).toBeUndefined();
    expect((await sent({ attempt: 2 })).requests[0]?.idleTimeoutMs).toBe(2_000);
    expect((await sent({ attempt: 3 })).requests[0]?.idleTimeoutMs).toBeUndefined();
    expect((await sent({ operation: getStepHar, input: { scenarioStepResultId: '1' } })).requests[0]?.maxBytes).toBe(96 * 1_048_576);
  });

  test('of enrichment travels as a form: objects as the JSON of themselves', async () => {
    const input = { projectId: 7, integrationVersion: 'a b', enrichments: [{ id: '1' }] };
    const [request] = (await sent({ operation: sendEnrichments, input, encoding: 'form' })).requests;
    expect(request?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(request?.body))).toEqual({
      projectId: '7',
      integrationVersion: 'a b',
      enrichments: '[{"id":"1"}]',
    });
  });

  test.each([
    [answer(429, '', '4'), { outcome: 'busy', status: 429 }, '429 busy', { retryAfterMs: 4_000 }],
    [answer(200, 'x'), { outcome: 'shape', status: 200 }, '200 shape', { kind: 'shape' }],
    [answer(400, said('No.', 'BAD_REQUEST')), { outcome: 'invalid', status: 400 }, '400 invalid BAD_REQUEST', { kind: 'invalid' }],
    [new ApiError('down', 'away', { code: 'ECONNREFUSED' }), { outcome: 'down', status: undefined }, 'down ECONNREFUSED', { kind: 'down' }],
    [new Error('enough'), { outcome: 'aborted' }, 'aborted', { message: 'enough' }],
  ])('that fails is told to those who watch: %j', async (result, event, outcome, error) => {
    const { events, lines, given } = await sent({}, result);
    expect(given).toMatchObject(error);
    expect(events).toEqual(
      Array.from({ length: 2 }, () => ({ type: 'request', operation: listSegments, attempt: 1, durationMs: 7, ...event })),
    );
    expect(lines).toEqual([`GET /v1/segments attempt 1: ${outcome}, 7 ms`]);
  });

  test('is not sent where no time is left', async () => {
    const limits: Limits = { deadlineMs: 10_000, signal: new AbortController().signal, waitsFor: 'answer' };
    const { requests, given } = await sent({ limits });
    expect(requests).toEqual([]);
    expect(given).toMatchObject({
      kind: 'timeout',
      message: expect.stringMatching(/^The time that one call may take was over before it had read all that it needs/),
    });
  });
});

test('the authentication server grants are read with and without the envelope', async () => {
  const grants = { scopes: 'metrics', permissions: { projects: [] } };
  expect(await read(200, grants, { operation: readCredential })).toEqual(grants);
  expect(await read(200, { payload: grants, success: true }, { operation: readCredential })).toEqual(grants);
});

test('unknown members are kept and large ids stay exact', async () => {
  const payload = await read(200, '\uFEFF{"payload":[{"id":12345678901234567890,"name":"a","new":[1]}]}');
  expect(payload).toEqual([{ id: '12345678901234567890', name: 'a', new: [1] }]);
});

test('secrets that the service echoes are removed wherever they stand', async () => {
  const bodies = [
    said(`client_secret=${SECRET} is wrong`, 'VALIDATION_ERROR'),
    said('no', SECRET),
    { [SECRET]: { a: Buffer.from(SECRET).toString('base64') } },
    `<title>${SECRET}</title>`,
    `${' x'.repeat(148)} ${SECRET}`,
  ];
  for (const body of bodies) {
    for (const status of [200, 400, 401, 500]) {
      const error = await failure(read(status, body));
      expect(`${error.message} ${error.code}`).not.toContain('canary');
      expect(error.cause).toBeUndefined();
    }
  }
});

test('a hostile page is read in the time that its length takes', async () => {
  const startedMs = performance.now();
  expect(await failure(read(502, `<html>${'<title '.repeat(50_000)}`))).toMatchObject({ kind: 'down' });
  expect(performance.now() - startedMs).toBeLessThan(1_000);
});

test.each<[unknown, Refusal]>([
  [
    { errorCode: 'A_B', errorMessage: 'No.', message: 'later' },
    { code: 'A_B', text: 'No.' },
  ],
  [
    { error: 'invalid_scope', error_description: 'Not that one.' },
    { code: 'invalid_scope', text: 'Not that one.' },
  ],
  [
    { code: 'A-1', message: 'From a gateway.' },
    { code: 'A-1', text: 'From a gateway.' },
  ],
  [
    { detail: 'In detail.', errorMessage: ' ', code: '' },
    { code: undefined, text: 'In detail.' },
  ],
  [{ error: 'It went wrong.' }, { code: undefined, text: 'It went wrong.' }],
  [{ error: { code: 'INNER', message: 'Nested.' } }, { code: 'INNER', text: 'Nested.' }],
  [
    { errorCode: 404, title: 'x' },
    { code: undefined, text: "{'errorCode':404,'title':'x'}" },
  ],
  [
    { error: 'no words, but a sentence', code: 'LAST' },
    { code: 'LAST', text: 'no words, but a sentence' },
  ],
  [{}, { code: undefined, text: '{}' }],
  ['Plain <b>words</b> of a proxy', { text: 'Plain <b>words</b> of a proxy' }],
  [' \n<html><head><TITLE lang="en">502 Bad Gateway</TITLE>', { text: '502 Bad Gateway' }],
  ['<html><body>Sign in</body>', { text: 'an HTML page' }],
  [null, { text: '' }],
  [7, { text: '' }],
])('what a body that refuses says %j', (body, refusal) => {
  expect(readRefusal(body, plain)).toEqual(refusal);
});

test('what a body that refuses says holds no secret, neither in words nor as a code', () => {
  const masked = (text: string) => text.replaceAll('canary', '-');
  expect(readRefusal({ code: 'canary_1', message: 'canary 2' }, masked)).toEqual({ code: '-_1', text: '- 2' });
});

test.each<[number, string | undefined, string, ErrorKind, ErrorKind]>([
  // status, code, words, of the service, of the authentication server
  [400, undefined, '', 'invalid', 'invalid'],
  [400, 'something_new', 'no', 'invalid', 'invalid'],
  [400, 'not_found', '', 'missing', 'missing'],
  [400, 'SERVER_ERROR', '', 'down', 'invalid'],
  [400, undefined, 'the scope x is not granted', 'invalid', 'forbidden'],
  [401, undefined, '', 'unauthorized', 'unauthorized'],
  [403, undefined, '', 'forbidden', 'forbidden'],
  [403, undefined, 'wrong secret', 'forbidden', 'unauthorized'],
  [404, undefined, '', 'missing', 'settings'],
  [410, undefined, '', 'missing', 'settings'],
  [418, undefined, '', 'invalid', 'invalid'],
  [429, 'VALIDATION_ERROR', '', 'busy', 'busy'],
  [500, undefined, '', 'down', 'down'],
  [500, undefined, 'scopes could not be read', 'down', 'down'],
  [500, 'jwt_expired', '', 'unauthorized', 'unauthorized'],
  [500, 'VALIDATION_ERROR', '', 'down', 'invalid'],
  [503, 'TEMPORARILY_UNAVAILABLE', '', 'down', 'down'],
  [503, 'SERVER_ERROR', 'client credential not found', 'down', 'unauthorized'],
  [200, undefined, 'too many of them', 'busy', 'invalid'],
  [200, undefined, 'no', 'invalid', 'invalid'],
])('the kind of a refusal %i %s "%s"', (status, code, text, ofService, ofAuthentication) => {
  expect(kindOf(status, { code, text }, false)).toBe(ofService);
  expect(kindOf(status, { code, text }, true)).toBe(ofAuthentication);
});
