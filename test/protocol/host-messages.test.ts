import { describe, expect, it } from 'vitest';
import { checkedLines } from '../../src/protocol/stdio.ts';
import { HEADERS, INITIALIZE, openRawSession, post, post2026, request2026, send, sharedService } from '../support/http.ts';

const service = sharedService();

/** What stdio delivers of a message, or answers to it. */
function overStdio(message: object): unknown {
  const out: unknown[] = [];
  const stream = checkedLines(
    (line) => void out.push(JSON.parse(line)),
    (delivered) => void out.push(delivered),
  );
  stream.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  return out[0];
}

const GOALS = { structuredContent: { goals: expect.any(Array) } };
const REFUSED = { isError: true };

/** Requests as hosts write them, with what both eras answer and the params that are left. */
const requests: readonly (readonly [what: string, method: string, params: unknown, result: object, left: object | undefined])[] = [
  ['params null', 'tools/list', null, { tools: expect.any(Array) }, undefined],
  ['_meta null', 'tools/list', { _meta: null }, { tools: expect.any(Array) }, {}],
  ['cursor null', 'prompts/list', { cursor: null }, { prompts: expect.any(Array) }, {}],
  ['an empty cursor', 'resources/list', { cursor: '' }, { resources: expect.any(Array) }, {}],
  ['arguments null', 'tools/call', { name: 'list_goals', arguments: null }, GOALS, { name: 'list_goals' }],
  ['arguments as JSON', 'tools/call', { name: 'list_goals', arguments: '{"type":null}' }, GOALS, { arguments: { type: null } }],
  ['arguments as no text', 'tools/call', { name: 'list_goals', arguments: ' ' }, GOALS, { arguments: {} }],
  ['arguments as JSON null', 'tools/call', { name: 'list_goals', arguments: 'null' }, GOALS, { arguments: {} }],
  ['a null among arguments', 'tools/call', { name: 'list_goals', arguments: { type: null } }, GOALS, { arguments: { type: null } }],
  ['a progress token null', 'tools/call', { name: 'list_goals', _meta: { progressToken: null } }, GOALS, { _meta: {} }],
  ['a progress token that is none', 'tools/call', { name: 'list_goals', _meta: { progressToken: {} } }, GOALS, { _meta: {} }],
  ['a task null', 'tools/call', { name: 'list_goals', task: null }, GOALS, { name: 'list_goals' }],
  ['answers null', 'tools/call', { name: 'list_goals', inputResponses: null, requestState: null }, GOALS, { name: 'list_goals' }],
  ['wrong arguments as JSON', 'tools/call', { name: 'list_goals', arguments: '{"kind":1}' }, REFUSED, { arguments: { kind: 1 } }],
  [
    'a null among the arguments of a prompt',
    'prompts/get',
    { name: 'speed_review', arguments: { scenario: null } },
    { messages: expect.any(Array) },
    { arguments: {} },
  ],
];

it.each(requests)('a request with %s is served in both eras and over stdio', async (_, method, params, result, left) => {
  const { url } = service();
  const session = await openRawSession(url);
  expect((await post(url, { id: 'h', method, params }, session)).message).toMatchObject({ id: 'h', result });
  // A request of the 2026-07-28 era has its metadata.
  const { _meta, ...rest } = (params ?? {}) as { _meta?: object | null };
  expect((await post2026(url, method, { ...rest, ...(_meta && { _meta }) })).message).toMatchObject({ id: 1, result });
  const delivered = overStdio({ id: 3, method, params }) as { params?: object };
  expect(delivered).toMatchObject({ id: 3, method });
  expect({ params: 'absent', ...delivered }).toMatchObject({ params: left ?? 'absent' });
  expect(JSON.stringify(delivered.params ?? {}).replace('{"type":null}', '')).not.toContain('null');
});

it.each([
  ['sampling null', { sampling: null, elicitation: null }],
  ['a flag under experimental', { experimental: { flag: true, other: {} } }],
  ['a flag for an object', { elicitation: true, tasks: false }],
])('a client of the 2026-07-28 era with %s among its capabilities is served', async (_, capabilities) => {
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': capabilities };
  const params = { name: 'list_goals', arguments: {}, _meta };
  expect((await post2026(service().url, 'tools/call', params)).message).toMatchObject({ result: GOALS });
  const { body } = request2026('tools/call', params);
  const delivered = overStdio(JSON.parse(body)) as { params: { _meta: Record<string, object> } };
  expect(delivered).toMatchObject({ id: 1 });
  expect(JSON.stringify(delivered.params._meta)).not.toMatch(/null|true|false/);
});

const { params: usual } = INITIALIZE;

it.each<[string, object | null, string]>([
  ['params null', null, '2025-03-26'],
  ['nothing', {}, '2025-03-26'],
  ['a version null', { ...usual, protocolVersion: null }, '2025-03-26'],
  ['an unknown version', { ...usual, protocolVersion: '1.0' }, '2025-11-25'],
  ['an old version', { ...usual, protocolVersion: '2024-11-05' }, '2024-11-05'],
  ['capabilities null', { ...usual, capabilities: null }, '2025-11-25'],
  ['sampling null', { ...usual, capabilities: { sampling: null, roots: { listChanged: null } } }, '2025-11-25'],
  ['a flag under experimental', { ...usual, capabilities: { experimental: { flag: true, list: [1], other: {} } } }, '2025-11-25'],
  ['flags for objects', { ...usual, capabilities: { elicitation: true, roots: false, tasks: 1 } }, '2025-11-25'],
  ['experimental as a list', { ...usual, capabilities: { experimental: [] } }, '2025-11-25'],
  ['a host without a version', { ...usual, clientInfo: { name: 'host' } }, '2025-11-25'],
  ['a version that is a number', { ...usual, clientInfo: { name: 'host', version: 2, title: null, icons: 'none' } }, '2025-11-25'],
  ['no host', { ...usual, clientInfo: null }, '2025-11-25'],
  ['metadata null', { ...usual, _meta: null }, '2025-11-25'],
])('an introduction with %s opens a session', async (_, params, protocolVersion) => {
  const { url } = service();
  const { status, headers, message } = await post(url, { id: 0, method: 'initialize', params });
  expect([status, message]).toEqual([200, expect.objectContaining({ result: expect.objectContaining({ protocolVersion }) })]);
  const session = { 'mcp-session-id': String(headers.get('mcp-session-id')) };
  // Hosts write what is without an answer with an id too.
  const begun = await post(url, { id: null, method: 'notifications/initialized', params: null }, session);
  expect(begun.status).toBe(202);
  const goals = { id: 1, method: 'tools/call', params: { name: 'list_goals' } };
  expect((await post(url, goals, session)).message).toMatchObject({ result: GOALS });
  expect(overStdio({ id: 0, method: 'initialize', params })).toMatchObject({ params: { protocolVersion: expect.any(String) } });
});

it.each<[string, object, object]>([
  ['content null', { result: { action: 'cancel', content: null } }, { result: { action: 'cancel' } }],
  ['an error null beside it', { result: { action: 'decline' }, error: null }, { result: { action: 'decline' } }],
  ['a result null', { result: null }, { result: {} }],
  ['a result null beside an error', { result: null, error: { code: -32_601, message: 'no' } }, { error: { code: -32_601, message: 'no' } }],
])('an answer of a client with %s is heard', (_, message, heard) => {
  expect(overStdio({ id: 5, ...message })).toEqual({ jsonrpc: '2.0', id: 5, ...heard });
});

const ACCEPTS: readonly (readonly [accept: string | undefined, type: string])[] = [
  ['text/event-stream', 'text/event-stream'],
  ['application/json', 'application/json'],
  ['application/json;q=0.9, text/plain', 'application/json'],
  ['*/*', 'application/json'],
  [undefined, 'application/json'],
];

describe('a session of the 2025 era of a client that accepts', () => {
  /** Sends with these headers alone: fetch would add an Accept of its own. */
  async function sendBare(url: string, message: object, headers: Record<string, string>) {
    const { request } = await import('node:http');
    return new Promise<{ status: number | undefined; type: string; text: string; session: string }>((resolve, reject) => {
      const sending = request(
        url,
        { method: 'POST', headers: { 'content-type': 'application/json; charset=utf-8', ...headers } },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (part: string) => (text += part));
          answer.on('end', () => {
            const { 'content-type': type = '', 'mcp-session-id': session } = answer.headers;
            resolve({ status: answer.statusCode, type, text, session: String(session) });
          });
        },
      );
      sending.on('error', reject).end(JSON.stringify({ jsonrpc: '2.0', ...message }));
    });
  }

  it.each(ACCEPTS)('%s has all answers as %s, with a slash behind the address too', { tags: 'nightly' }, async (accept, type) => {
    const url = `${service().url}/`;
    const accepting: Record<string, string> = accept === undefined ? {} : { accept };
    const opened = await sendBare(url, INITIALIZE, accepting);
    expect(opened).toMatchObject({ status: 200, type, text: expect.stringContaining('serverInfo') });
    const headers = { ...accepting, 'mcp-session-id': opened.session };
    expect(await sendBare(url, { method: 'notifications/initialized' }, headers)).toMatchObject({ status: 202 });
    expect(await sendBare(url, { id: 1, method: 'tools/list' }, headers)).toMatchObject({ status: 200, type });
    // With progress, which a client without streams cannot have.
    const params = { name: 'find_objects', arguments: { text: 'cart' }, _meta: { progressToken: 'p' } };
    const called = await sendBare(url, { id: 2, method: 'tools/call', params }, headers);
    expect(called).toMatchObject({ status: 200, type, text: expect.stringContaining('structuredContent') });
    expect(called.text.includes('notifications/progress')).toBe(type === 'text/event-stream');
    // In a session that was opened with both too.
    const other = { ...(await openRawSession(url)), ...accepting };
    for (const method of ['tools/list', 'ping'])
      expect(await sendBare(url, { id: method, method }, other)).toMatchObject({ status: 200, type });
  });

  it('anything has its stream, and one that wants a page has none', async () => {
    const { url } = service();
    const session = await openRawSession(url);
    const over = new AbortController();
    const stream = await fetch(url, { headers: { ...session, accept: '*/*' }, signal: over.signal });
    expect([stream.status, stream.headers.get('content-type')]).toEqual([200, 'text/event-stream']);
    over.abort();
    expect((await send(url, { headers: { ...session, accept: 'application/json' } })).status).toBe(406);
  });

  it('is served in a batch of the version that has them, and ends by DELETE', async () => {
    const url = `${service().url}/`;
    const session = { ...(await openRawSession(url)), 'mcp-protocol-version': '2025-03-26' };
    const batch = JSON.stringify(
      [1, 2].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: { name: 'list_goals', arguments: null } })),
    );
    const answer = await send(url, { method: 'POST', headers: { ...HEADERS, ...session }, body: `\uFEFF${batch}` });
    expect(answer).toMatchObject({ status: 200, message: { result: GOALS } });
    expect((await send(url, { method: 'DELETE', headers: session })).status).toBe(200);
  });
});
