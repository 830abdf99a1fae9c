import type { SpecTypeName } from '@modelcontextprotocol/client';
import * as fc from 'fast-check';
import { HEADERS, openRawSession, post, post2026, request2026 } from '../support/http.ts';
import { hostileName, hostileValue } from './hostile-values.ts';
import { briefly, type Finding, type Round, type Tally } from './tool-fuzz.ts';
import { messageViolations } from './violations.ts';

/** A line or body: a request that must be answered under an id of the sender's, or bytes that may be anything. */
type Raw = { readonly method: unknown; readonly params?: unknown } | { readonly bytes: string };

/** What the protocol calls the results of its methods. */
const RESULT_TYPES: Readonly<Record<string, SpecTypeName>> = {
  'tools/call': 'CallToolResult',
  'tools/list': 'ListToolsResult',
  'resources/list': 'ListResourcesResult',
  'resources/templates/list': 'ListResourceTemplatesResult',
  'resources/read': 'ReadResourceResult',
  'prompts/list': 'ListPromptsResult',
  'prompts/get': 'GetPromptResult',
  'completion/complete': 'CompleteResult',
  'server/discover': 'DiscoverResult',
};

const OTHER_METHODS = [
  'ping',
  'logging/setLevel',
  'resources/subscribe',
  'resources/unsubscribe',
  'tasks/get',
  'tasks/cancel',
  'tasks/update',
  'sampling/createMessage',
  'elicitation/create',
  'roots/list',
  'rpc.discover',
  'notifications/cancelled',
  'tools/call\u0000',
  'TOOLS/LIST',
];

const METHODS = [...Object.keys(RESULT_TYPES), ...OTHER_METHODS];

const URIS = [
  'analytics://reference/metrics',
  'analytics://reference/fields',
  'analytics://1201/scenarios',
  'analytics://1201/scenarios/4101',
  'analytics://1201/exports',
  'analytics://__proto__/scenarios',
  'analytics://1201/scenarios/../../exports',
  'analytics://1201/scenarios/%2e%2e',
  'analytics://1201/steps/%00/har',
  'analytics://user:pass@1201/exports',
  'ui://web-analytics-mcp/chart.html',
  'file:///etc/passwd',
  'http://127.0.0.1/',
  'not an address',
  '',
];
const PROMPTS = ['weekly_kpi_report', 'speed_review', 'explain_change', 'set_up_export', '__proto__', 'constructor', ''];
const TOOLS = ['list_goals', 'list_segments', 'get_credential', 'authenticate', 'no_such_tool', '__proto__', 'constructor', ''];

/** Parameters of the form that the methods expect, with members that need not be right. */
function shaped(value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  const args = fc.option(fc.dictionary(hostileName, value, { maxKeys: 3 }), { nil: undefined });
  const ref = fc.oneof(
    fc.record({ type: fc.constant('ref/prompt'), name: fc.oneof(fc.constantFrom(...PROMPTS), value) }),
    fc.record({ type: fc.constant('ref/resource'), uri: fc.oneof(fc.constantFrom('analytics://{projectId}/scenarios', ...URIS), value) }),
    value,
  );
  const argument = fc.oneof(fc.record({ name: fc.oneof(fc.constantFrom('scenario', 'projectId', '__proto__'), value), value }), value);
  return fc.oneof(
    fc.record({ name: fc.oneof(fc.constantFrom(...TOOLS), value), arguments: fc.oneof(args, value) }, { requiredKeys: ['name'] }),
    fc.record({ name: fc.oneof(fc.constantFrom(...PROMPTS), value), arguments: fc.oneof(args, value) }, { requiredKeys: ['name'] }),
    fc.record({ uri: fc.oneof(fc.constantFrom(...URIS), value) }),
    fc.record(
      { ref, argument, context: fc.oneof(fc.constant({ arguments: { projectId: '1201' } }), value) },
      { requiredKeys: ['ref', 'argument'] },
    ),
    fc.record({ level: fc.oneof(fc.constantFrom('debug', 'loud'), value) }),
    fc.record({ taskId: value }),
    fc.record({ requestId: value, reason: value }),
  );
}

/** What may stand in `_meta` beside what an era needs there. */
function meta(value: fc.Arbitrary<unknown>): fc.Arbitrary<Record<string, unknown>> {
  return fc.record({ progressToken: fc.oneof(fc.constantFrom('p', 1), value), traceparent: value }, { requiredKeys: [] });
}

/** Bytes that are no request: broken JSON, other versions, batches, answers that nothing asked for, ids of every kind. */
function odd(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const whole = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_goals","arguments":{}}}';
  return fc.oneof(
    fc.constantFrom(
      '',
      ' ',
      'null',
      '5',
      '"text"',
      '[]',
      '{}',
      '[[[[',
      `[${whole}]`,
      `[${whole},${whole}]`,
      whole.replace('2.0', '1.0'),
      whole.replace('"id":1', '"id":1e999'),
      whole.replace('"id":1', '"id":{"a":1}'),
      whole.replace('"id":1', '"id":1.5'),
      whole.replace('"id":1', '"id":[1]'),
      whole.replace('"id":1', '"id":null'),
      whole.replace('"id":1', '"id":true'),
      whole.replace('"id":1', '"id":1,"id":2'),
      whole.replace('list_goals', '\uD800'),
      whole.replace('{}', '{"__proto__":{"a":1}}'),
      whole.replace('{}', `${'['.repeat(3_000)}${']'.repeat(3_000)}`),
      whole.replace('{}', `[${'{},'.repeat(20_000)}{}]`),
      `${whole}${whole}`,
      `\uFEFF${whole}`,
      '{"jsonrpc":"2.0","id":7,"result":{}}',
      '{"jsonrpc":"2.0","id":"x","error":{"code":"a","message":5}}',
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"p","progress":"much"}}',
      '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{"a":1}}}',
      '{"jsonrpc":"2.0","method":5}',
    ),
    fc.nat({ max: whole.length }).map((length) => whole.slice(0, length)),
    fc
      .tuple(fc.nat({ max: whole.length }), fc.string({ unit: 'binary', maxLength: 3 }))
      .map(([at, text]) => whole.slice(0, at) + text + whole.slice(at + 1)),
    value.map((each) => JSON.stringify(each)),
    fc.dictionary(fc.constantFrom('jsonrpc', 'id', 'method', 'params', 'result', 'error'), value).map((each) => JSON.stringify(each)),
    fc.tuple(fc.constantFrom(...METHODS), value).map(([method, params]) => JSON.stringify({ jsonrpc: '2.0', method, params })),
  );
}

/** Messages of every kind. They hold no secrets: the SDK quotes methods, names and headers to the one who sent them. */
function rawMessage(): fc.Arbitrary<Raw> {
  const value = hostileValue();
  const method = fc.oneof({ weight: 8, arbitrary: fc.constantFrom(...METHODS) }, { weight: 1, arbitrary: value });
  const params = fc.oneof(
    { weight: 1, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constant({}) },
    { weight: 6, arbitrary: fc.tuple(shaped(value), meta(value)).map(([own, extra]) => ({ ...own, _meta: extra })) },
    { weight: 3, arbitrary: shaped(value) },
    { weight: 2, arbitrary: value },
  );
  return fc.oneof(
    { weight: 3, arbitrary: fc.record({ method, params }) },
    { weight: 1, arbitrary: odd(value).map((bytes) => ({ bytes })) },
  );
}

/** The two eras of the protocol, by what a client of theirs sends. */
export type Era = '2025' | '2026';

/** One HTTP request. */
interface Sent {
  readonly headers: Record<string, string>;
  readonly body: string;
  /** The method, where the body is a request. */
  readonly method?: unknown;
}

/** Visible ASCII without line ends, as header values are. */
function headerText(value: unknown): string {
  return briefly(value)
    .replaceAll(/[^\x20-\x7e]/g, '?')
    .slice(0, 200);
}

function requestOf(raw: Raw, era: Era, session: Record<string, string>): Sent {
  const own = era === '2025' ? { ...HEADERS, ...session } : { ...HEADERS, 'mcp-protocol-version': '2026-07-28' };
  if ('bytes' in raw) return { headers: own, body: raw.bytes };
  const { method, params } = raw;
  const isPlain = typeof params === 'object' && params !== null && !Array.isArray(params);
  if (era === '2026' && isPlain && typeof method === 'string') {
    const { headers, body } = request2026(method, params as Record<string, unknown>);
    const shown = Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, headerText(text)]));
    return { headers: shown, body, method };
  }
  return { headers: own, body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), method };
}

/** Headers that contradict the body, in one request of five. */
const SPOILT = [
  'mcp-protocol-version',
  'mcp-session-id',
  'mcp-method',
  'mcp-name',
  'accept',
  'content-type',
  'traceparent',
  'last-event-id',
];

function spoiltHeaders(): fc.Arbitrary<Record<string, string>> {
  const one = fc.tuple(fc.constantFrom(...SPOILT), hostileValue()).map(([name, value]) => ({ [name]: headerText(value) }));
  return fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: one });
}

/** The messages of an answer; of a stream that stays open, those up to the first that ends or opens something. */
async function messagesOf(response: Response): Promise<string[]> {
  if (!(response.headers.get('content-type') ?? '').startsWith('text/event-stream')) {
    const text = await response.text();
    return text === '' ? [] : [text];
  }
  const found: string[] = [];
  let rest = '';
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  for (let next = await reader?.read(); next && !next.done; next = await reader?.read()) {
    const lines = (rest + next.value).split('\n');
    rest = lines.pop() ?? '';
    found.push(...lines.filter((line) => line.startsWith('data: {')).map((line) => line.slice(6)));
    if (found.some((line) => /"(result|error)":|acknowledged/.test(line))) break;
  }
  await reader?.cancel();
  return found;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const isFault = (status: number) => status >= 500 && status !== 503;

async function violationsOf(url: string, { headers, body, method }: Sent, { rules, settle }: Round): Promise<string[]> {
  const response = await settle(fetch(url, { method: 'POST', headers, body }));
  const messages = await settle(messagesOf(response));
  const type = typeof method === 'string' && Object.hasOwn(RESULT_TYPES, method) ? RESULT_TYPES[method] : undefined;
  return [
    ...(isFault(response.status) ? [`is HTTP ${response.status}`] : []),
    ...messages.flatMap((text) => messageViolations(parsed(text), rules, type)),
  ];
}

/** Sends so many bodies in one era, then asks whether the server still answers in both. */
export async function fuzzHttp(url: string, era: Era, { runs, ...round }: Round & { runs: number }): Promise<Tally> {
  const session = await openRawSession(url);
  const all = fc.sample(fc.tuple(rawMessage(), spoiltHeaders()), { numRuns: runs, seed: round.seed });
  const findings: Finding[] = [];
  for (const [raw, spoilt] of all) {
    const sent = requestOf(raw, era, session);
    const violations = await violationsOf(url, { ...sent, headers: { ...sent.headers, ...spoilt } }, round);
    if (violations.length > 0) findings.push({ sent: `${era} ${briefly(sent.body)} ${briefly(spoilt)}`, violations });
  }
  const call = { name: 'list_goals', arguments: {} };
  const last = await openRawSession(url);
  const answers = [
    await round.settle(post(url, { id: 'end', method: 'tools/call', params: call }, last)),
    await round.settle(post2026(url, 'tools/call', call)),
  ];
  for (const { message } of answers)
    if (!message || !('result' in message))
      findings.push({ sent: `list_goals after ${era}`, violations: [`is not answered: ${briefly(message)}`] });
  // One of them may have been closed by what was sent.
  for (const headers of [session, last]) await fetch(url, { method: 'DELETE', headers });
  return { messages: all.length + answers.length, findings };
}
