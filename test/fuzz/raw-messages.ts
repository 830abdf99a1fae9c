import type { SpecTypeName } from '@modelcontextprotocol/client';
import * as fc from 'fast-check';
import { hostileName, hostileValue } from './hostile-values.ts';

/** A line or body: a request that must be answered under an id of the sender's, or bytes that may be anything. */
export type Raw = { readonly method: unknown; readonly params?: unknown } | { readonly bytes: string };

/** What the protocol calls the results of its methods. */
export const RESULT_TYPES: Readonly<Record<string, SpecTypeName>> = {
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
export function rawMessage(): fc.Arbitrary<Raw> {
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
