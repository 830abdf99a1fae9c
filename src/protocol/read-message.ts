import {
  CLIENT_CAPABILITIES_META_KEY,
  DEFAULT_NEGOTIATED_PROTOCOL_VERSION,
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  PROTOCOL_VERSION_META_KEY,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { valueAt } from '../api/check-input.ts';
import { outlineOf } from '../api/json.ts';
import { isRecord } from '../lib/is-record.ts';

/** A JSON-RPC error that answers bytes which are not a message. */
export interface MessageFault {
  readonly code: number;
  readonly message: string;
  /** Of the message, where it could be read. */
  readonly id?: string | number;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const METHOD_NOT_FOUND = -32_601;
const INVALID_PARAMS = -32_602;

/** MessageMembers of `params` that are text, by method: the SDK refuses other values with an internal error and the words of its schema. */
const REQUIRED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'resources/subscribe': 'uri',
  'resources/unsubscribe': 'uri',
};
/**
 * The protocol's names of requests whose params the SDK otherwise refuses in the words of its schema library, some as an internal error.
 */
const REQUEST_TYPES = {
  initialize: 'InitializeRequest',
  ping: 'PingRequest',
  'tools/list': 'ListToolsRequest',
  'tools/call': 'CallToolRequest',
  'prompts/list': 'ListPromptsRequest',
  'prompts/get': 'GetPromptRequest',
  'resources/list': 'ListResourcesRequest',
  'resources/templates/list': 'ListResourceTemplatesRequest',
  'resources/read': 'ReadResourceRequest',
  'resources/subscribe': 'SubscribeRequest',
  'resources/unsubscribe': 'UnsubscribeRequest',
  'completion/complete': 'CompleteRequest',
} as const;
/** Methods that the 2026-07-28 era does not have; over HTTP the SDK says so. */
const REMOVED_IN_2026 = new Set(['resources/subscribe', 'resources/unsubscribe']);
/** Longest name of a member that an error repeats. */
const LONGEST_NAME = 60;
const LISTS = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']);
/** Stands for a host that does not say who it is: this server acts by neither. */
const UNKNOWN_HOST = { name: 'unknown', version: 'unknown' };
/** MessageMembers of params that describe the host: what does not fit them is as absent, because nothing that is asked depends on it. */
const OF_THE_HOST = new Set<PropertyKey | undefined>(['capabilities', 'clientInfo', '_meta']);
/** A member that was taken out can show that another is wrong, but no host sends so many. */
const MOST_ROUNDS = 8;

/** No message of the protocol comes near; what walks a value does so with its stack. */
const LIMITS = { maxDepth: 64, maxContainers: 500_000 };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses the bytes of a body or a line, or says why not; what would overwhelm the parser is refused before. */
export function parseMessage(bytes: Uint8Array): { readonly value: unknown } | { readonly fault: MessageFault } {
  const { excess } = outlineOf([bytes], LIMITS);
  if (excess === 'depth')
    return { fault: { code: INVALID_REQUEST, message: `Invalid Request: nested more than ${LIMITS.maxDepth} levels deep.` } };
  if (excess === 'containers')
    return { fault: { code: INVALID_REQUEST, message: `Invalid Request: more than ${LIMITS.maxContainers} lists and objects.` } };
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    return { value };
  } catch {
    return { fault: { code: PARSE_ERROR, message: 'Parse error: not valid JSON in UTF-8.' } };
  }
}

/** The id that an answer to this message bears; undefined where it has none that one could. */
export function messageId(value: unknown): string | number | undefined {
  const id = isRecord(value) ? value['id'] : undefined;
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : undefined;
}

type MessageMembers = Record<string, unknown>;

function dropNulls(members: unknown): void {
  if (isRecord(members)) for (const name of Object.keys(members)) if (members[name] === null) Reflect.deleteProperty(members, name);
}

/** A message without what its host writes null for, at the root and one level below; the id of a request stays. */
function withoutVoid(message: MessageMembers): MessageMembers {
  const { method, id, result } = message;
  if (method === undefined && result === null && !isRecord(message['error'])) message['result'] = {};
  for (const name of ['params', 'result', 'error']) {
    if (message[name] === null) Reflect.deleteProperty(message, name);
    dropNulls(message[name]);
  }
  if (id === null && typeof method === 'string' && method.startsWith('notifications/')) Reflect.deleteProperty(message, 'id');
  return message;
}

/** Arguments as the object that a text holds as JSON, which some hosts send in its place. */
function unpackArguments(params: MessageMembers): void {
  const { arguments: given } = params;
  if (typeof given !== 'string') return;
  const read = parseMessage(Buffer.from(given.trim() || '{}'));
  if ('value' in read) params['arguments'] = read.value ?? {};
}

/** Fills in what an introduction lacks. */
function introduce(params: MessageMembers): void {
  params['protocolVersion'] ??= DEFAULT_NEGOTIATED_PROTOCOL_VERSION;
  params['capabilities'] ??= {};
  params['clientInfo'] ??= {};
  const { clientInfo } = params;
  if (isRecord(clientInfo)) for (const [name, words] of Object.entries(UNKNOWN_HOST)) clientInfo[name] ??= words;
}

/** Deletes the members at these paths that are as absent; false where there was none. */
function takeOut(request: object, paths: readonly (readonly PropertyKey[])[]): boolean {
  const taken = paths.filter((path) => {
    const name = path.at(-1);
    const parent = valueAt(request, path.slice(0, -1));
    if (name === undefined || typeof parent !== 'object' || parent === null || !Object.hasOwn(parent, name)) return false;
    const isOfHost = OF_THE_HOST.has(path[1]) && path.length > 2;
    return (Reflect.get(parent, name) === null || isOfHost) && Reflect.deleteProperty(parent, name);
  });
  return taken.length > 0;
}

/**
 * Changes the params of a request to what its host means: null for absent, flags of capabilities that the protocol does not know, an
 * introduction without a version, arguments as JSON in a text. Gives the paths that do not fit the protocol even so.
 */
function understand(request: { readonly method: string; readonly params: MessageMembers }): PropertyKey[][] {
  const { method, params } = request;
  unpackArguments(params);
  if (params['cursor'] === '') Reflect.deleteProperty(params, 'cursor');
  let issues: PropertyKey[][] = [];
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    if (method === 'initialize') introduce(params);
    issues = issuesOf(request);
    if (!takeOut(request, issues)) break;
  }
  return issues;
}

/** Why a parsed value is not a JSON-RPC message that the SDK accepts; undefined for one that is, which is then as its host means it. */
export function messageFault(value: unknown): MessageFault | undefined {
  // First: what it takes out would not fit the message either.
  const fault = paramsFault(value);
  if (isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value)) return removedMethod(value) ?? fault;
  const id = messageId(value);
  const message = 'Invalid Request: expected jsonrpc "2.0", a method and params as an object, or an answer with an id.';
  return { code: INVALID_REQUEST, message, ...(id !== undefined && { id }) };
}

/** Whether the params carry the protocol version, as each request of the 2026-07-28 era does. */
function isOf2026({ _meta: meta }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(meta) && Object.hasOwn(meta, PROTOCOL_VERSION_META_KEY);
}

/** Over stdio the SDK would take these methods in the 2026-07-28 era too, and fail inside where their params are wrong. */
function removedMethod(value: object): MessageFault | undefined {
  const id = messageId(value);
  if (id === undefined || !('method' in value && 'params' in value && isRecord(value.params) && isOf2026(value.params))) return undefined;
  const { method } = value;
  if (typeof method !== 'string' || !REMOVED_IN_2026.has(method)) return undefined;
  return { code: METHOD_NOT_FOUND, message: `Method not found: the 2026-07-28 revision has no ${method}.`, id };
}

/**
 * Why the params of a request cannot be used, whatever its era; undefined where they can, or where the SDK says it in words. They are then
 * as their host means them.
 */
export function paramsFault(value: unknown): MessageFault | undefined {
  if (Array.isArray(value)) return value.map(paramsFault).find((fault) => fault !== undefined);
  if (!isRecord(value)) return undefined;
  const id = messageId(withoutVoid(value));
  const { method } = value;
  if (id === undefined || typeof method !== 'string') return undefined;
  if (method === 'initialize') value['params'] ??= {};
  const params = isRecord(value['params']) ? value['params'] : {};
  const misshapen = understand({ method, params });
  if (REMOVED_IN_2026.has(method) && isOf2026(params)) return undefined;
  const words = faultWords({ method, params }, misshapen);
  return words === undefined ? undefined : { code: INVALID_PARAMS, message: `Invalid params: ${words}`, id };
}

function faultWords(
  { method, params }: { readonly method: string; readonly params: MessageMembers },
  [misshapen]: readonly PropertyKey[][],
) {
  const required = Object.hasOwn(REQUIRED, method) ? REQUIRED[method] : undefined;
  if (required !== undefined && typeof params[required] !== 'string') return `${required} is required (string).`;
  if (LISTS.has(method) && params['cursor'] !== undefined) return 'cursor is not known; this list has one page, so leave it out.';
  // Two names at most: further down stand names that the caller made up.
  const member = misshapen?.slice(1, 3).map((name) => String(name).slice(0, LONGEST_NAME));
  return member && `${member.join('.')} is not of the form that the protocol describes for ${method}.`;
}

/** Where params do not fit the protocol's schema of the request, and the capabilities of the 2026-07-28 era theirs. */
function issuesOf(request: { readonly method: string; readonly params: MessageMembers }): PropertyKey[][] {
  const { method, params } = request;
  // Found above, which the type of the name does not show.
  const type = Object.hasOwn(REQUEST_TYPES, method) ? REQUEST_TYPES[method as keyof typeof REQUEST_TYPES] : undefined;
  const capabilities = isRecord(params['_meta']) ? params['_meta'][CLIENT_CAPABILITIES_META_KEY] : undefined;
  const within = ['params', '_meta', CLIENT_CAPABILITIES_META_KEY];
  return [
    ...(type === undefined ? [] : pathsOf(specTypeSchemas[type], request)),
    ...(isRecord(capabilities) ? pathsOf(specTypeSchemas.ClientCapabilities, capabilities).map((path) => [...within, ...path]) : []),
  ];
}

type SpecSchema = (typeof specTypeSchemas)[keyof typeof specTypeSchemas];

function pathsOf(schema: SpecSchema, value: unknown): PropertyKey[][] {
  const checked = schema['~standard'].validate(value);
  const issues = ('issues' in checked ? checked.issues : undefined) ?? [];
  return issues.map(({ path = [] }) => path.map((segment) => (typeof segment === 'object' ? segment.key : segment)));
}
