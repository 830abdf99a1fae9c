import { describe, expect, it, onTestFinished } from 'vitest';
import { checkedLines } from '../../src/protocol/stdio.ts';
import { HEADERS, openRawSession, post, post2026, request2026, send, sharedService } from '../support/http.ts';
import { startServer } from '../support/stdio.ts';

function notAMessage(message: unknown): never {
  throw new Error(`delivered: ${JSON.stringify(message)}`);
}

const service = sharedService();
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;
const callWith = (args: string, id = '7') =>
  `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"send_enrichments","arguments":{"enrichments":${args}}}}`;

describe('over HTTP', () => {
  const postText = async (text: string) =>
    send(service().url, { method: 'POST', headers: { ...HEADERS, ...(await openRawSession(service().url)) }, body: text });

  /** What both eras answer to a request. */
  const answersTo = async (method: string, params: Record<string, unknown>) => [
    (await post(service().url, { id: 'p', method, params }, await openRawSession(service().url))).message,
    (await post2026(service().url, method, params)).message,
  ];

  it.each<[string, unknown]>([
    ['an object', {}],
    ['an object with a toString of its own', { toString: 'x', valueOf: 1 }],
    ['a list', []],
    ['a number', 5],
    ['null', null],
    ['left out', undefined],
  ])('a tool name that is %s is an invalid request in both eras, not a fault of the server', async (_, name) => {
    const session = await openRawSession(service().url);
    const message = { id: 'mine', method: 'tools/call', params: { name, arguments: {} } };
    expect(await post(service().url, message, session)).toMatchObject({
      status: 200,
      message: { id: 'mine', error: { code: -32_602, message: 'Invalid params: name is required (string).' } },
    });
    expect(await post2026(service().url, 'tools/call', { name, arguments: {} })).toMatchObject({
      status: 200,
      message: { id: 1, error: { code: -32_602 } },
    });
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['resources/read', {}, 'uri is required (string).'],
    ['resources/read', { uri: { a: 1 } }, 'uri is required (string).'],
    ['resources/subscribe', {}, 'uri is required (string).'],
    ['prompts/get', {}, 'name is required (string).'],
    ['tools/list', { cursor: 'made up' }, 'cursor is not known; this list has one page, so leave it out.'],
    ['resources/list', { cursor: 5 }, 'cursor is not known; this list has one page, so leave it out.'],
    ['resources/templates/list', { cursor: {} }, 'cursor is not known; this list has one page, so leave it out.'],
    ['prompts/list', { cursor: [null] }, 'cursor is not known; this list has one page, so leave it out.'],
    ['initialize', { clientInfo: 'host' }, 'clientInfo is not of the form that the protocol describes for initialize.'],
    ['initialize', { capabilities: [] }, 'capabilities is not of the form that the protocol describes for initialize.'],
    ['initialize', { protocolVersion: 2025 }, 'protocolVersion is not of the form that the protocol describes for initialize.'],
  ])('%s with %j is refused in words, in both eras and over stdio', async (method, params, words) => {
    const error = { code: -32_602, message: `Invalid params: ${words}` };
    const of2026 = method === 'resources/subscribe' ? { code: -32_601 } : error; // that era has no such method
    expect(await answersTo(method, params)).toMatchObject([
      { id: 'p', error },
      { id: 1, error: of2026 },
    ]);
    const answers: unknown[] = [];
    const stream = checkedLines((line) => void answers.push(JSON.parse(line)), notAMessage);
    stream.write(`${JSON.stringify({ jsonrpc: '2.0', id: 3, method, params })}\n`);
    expect(answers).toMatchObject([{ id: 3, error }]);
  });

  it.each<[string, Record<string, unknown>, string]>([
    ['tools/call', { name: 'list_goals', arguments: [] }, 'arguments'],
    ['prompts/get', { name: 'speed_review', arguments: 'x' }, 'arguments'],
    ['prompts/get', { name: 'speed_review', arguments: { scenario: {} } }, 'arguments.scenario'],
    ['completion/complete', {}, 'ref'],
    [
      'completion/complete',
      { ref: { type: 'ref/prompt', name: 'speed_review' }, argument: { name: 'scenario', value: 5 } },
      'argument.value',
    ],
  ])('%s with %j is refused in words, in both eras, and never as an internal error', async (method, params, member) => {
    const error = { code: -32_602, message: `Invalid params: ${member} is not of the form that the protocol describes for ${method}.` };
    expect(await answersTo(method, params)).toMatchObject([
      { id: 'p', error },
      { id: 1, error },
    ]);
  });

  it.each([65, 3_000, 1_000_000])('a body nested %i levels deep is refused before it is parsed', async (levels) => {
    expect(await postText(callWith(nested(levels)))).toMatchObject({
      status: 400,
      message: { id: null, error: { code: -32_600, message: 'Invalid Request: nested more than 64 levels deep.' } },
    });
  });

  it('brackets in texts do not count', async () => {
    const { message } = await postText(callWith(JSON.stringify(`\\"${nested(3_000)}`)));
    expect(message).toMatchObject({ id: 7, result: { isError: true } });
  });

  it('a body of more lists than any message has is refused', async () => {
    expect(await postText(callWith(`[${'[],'.repeat(500_000)}1]`))).toMatchObject({ status: 400, message: { error: { code: -32_600 } } });
  });
});

describe('over stdio', () => {
  /** What comes through, and what is answered. */
  function passed(...chunks: (string | Buffer)[]): { lines: string[]; answers: unknown[] } {
    const answers: unknown[] = [];
    const lines: string[] = [];
    const stream = checkedLines(
      (line) => void answers.push(JSON.parse(line)),
      (message) => void lines.push(JSON.stringify(message)),
    );
    for (const chunk of chunks) stream.write(chunk);
    return { lines, answers };
  }

  it.each<[string, string, object]>([
    ['is no JSON', '{"jsonrpc":', { id: null, error: { code: -32_700 } }],
    ['is words', 'hello', { id: null, error: { code: -32_700 } }],
    ['is nested 3,000 levels deep', callWith(nested(3_000)), { id: null, error: { code: -32_600 } }],
    ['has a method that is a number', '{"jsonrpc":"2.0","id":4,"method":5}', { id: 4, error: { code: -32_600 } }],
    ['has params as a list', '{"jsonrpc":"2.0","id":"a","method":"tools/list","params":[1]}', { id: 'a', error: { code: -32_600 } }],
    ['has another version', '{"jsonrpc":"1.0","id":4,"method":"tools/list"}', { id: 4, error: { code: -32_600 } }],
    ['is a batch', '[{"jsonrpc":"2.0","id":4,"method":"tools/list"}]', { id: null, error: { code: -32_600 } }],
    ['is null', 'null', { id: null, error: { code: -32_600 } }],
  ])('a line that %s is answered with an error', (_, line, answer) => {
    const { lines, answers } = passed(`${line}\n`);
    expect(lines).toEqual([]);
    expect(answers).toMatchObject([{ jsonrpc: '2.0', ...answer }]);
  });

  it.each(['resources/subscribe', 'resources/unsubscribe'])('%s is no method of the 2026-07-28 era, whatever its params', (method) => {
    const { lines, answers } = passed(
      `${request2026(method).body}\n`,
      `${request2026(method, { uri: 'analytics://1201/exports' }).body}\n`,
    );
    expect(lines).toEqual([]);
    expect(answers).toMatchObject([{ error: { code: -32_601 } }, { error: { code: -32_601 } }]);
  });

  it('a line that is no UTF-8, or longer than 8 MB, is answered with an error, and the next one passes', () => {
    const next = '{"jsonrpc":"2.0","id":2,"method":"ping"}';
    expect(passed(Buffer.from([0x22, 0xff, 0x22, 0x0a]), `${next}\n`)).toMatchObject({
      lines: [next],
      answers: [{ error: { code: -32_700 } }],
    });
    const { lines, answers } = passed('"', 'x'.repeat(5 << 20), 'x'.repeat(5 << 20), `"\n${next}\n`);
    expect({ lines, answers }).toMatchObject({ lines: [next], answers: [{ id: null, error: { code: -32_600 } }] });
  });

  it('messages pass as they are, in pieces too, and empty lines are nothing', () => {
    const message = '{"jsonrpc":"2.0","method":"notifications/initialized","params":{"ü":1}}';
    const bytes = Buffer.from(`\r\n${message}\r\n\n`);
    const { lines, answers } = passed(...[...bytes].map((byte) => Buffer.from([byte])));
    expect(lines.map((line) => line.trim())).toEqual([message]);
    expect(answers).toEqual([]);
  });

  it('the server answers them and goes on', async () => {
    const server = await startServer();
    onTestFinished(async () => void (await server.stop()));
    server.write('{"jsonrpc":');
    server.write('{"jsonrpc":"2.0","id":"wrong","method":5}');
    expect(await server.answerTo('wrong')).toMatchObject({ error: { code: -32_600 } });
    server.write('{"jsonrpc":"2.0","id":"p","method":"ping"}');
    await server.answerTo('p');
    expect(server.lines.map((line) => JSON.parse(line) as unknown)).toContainEqual(
      expect.objectContaining({ id: null, error: expect.objectContaining({ code: -32_700 }) }),
    );
  });
});
