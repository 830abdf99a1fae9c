import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  isJSONRPCResponse,
  PROTOCOL_VERSION_META_KEY,
  specTypeSchemas,
} from '@modelcontextprotocol/server';
import { jsonExcess } from '../api/json.ts';
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

/** Members of `params` that are text, by method: the SDK refuses other values with an internal error and the words of its schema. */
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
  'tools/call': 'CallToolRequest',
  'prompts/get': 'GetPromptRequest',
  'resources/read': 'ReadResourceRequest',
  'completion/complete': 'CompleteRequest',
} as const;
/** Methods that the 2026-07-28 era does not have; over HTTP the SDK says so. */
const REMOVED_IN_2026 = new Set(['resources/subscribe', 'resources/unsubscribe']);
/** Longest name of a member that an error repeats. */
const LONGEST_NAME = 60;
const LISTS = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']);

/** No message of the protocol comes near; what walks a value does so with its stack. */
const LIMITS = { maxDepth: 64, maxContainers: 500_000 };

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Parses the bytes of a body or a line, or says why not; what would overwhelm the parser is refused before. */
export function parseMessage(bytes: Uint8Array): { readonly value: unknown } | { readonly fault: MessageFault } {
  const excess = jsonExcess([bytes], LIMITS);
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

/** Why a parsed value is not a JSON-RPC message that the SDK accepts; undefined for one that is. */
export function messageFault(value: unknown): MessageFault | undefined {
  if (isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value))
    return removedMethod(value) ?? paramsFault(value);
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

/** Why the params of a request cannot be used, whatever its era; undefined where they can, or where the SDK says it in words. */
export function paramsFault(value: unknown): MessageFault | undefined {
  if (Array.isArray(value)) return value.map(paramsFault).find((fault) => fault !== undefined);
  const id = messageId(value);
  if (!isRecord(value) || id === undefined || typeof value['method'] !== 'string') return undefined;
  const { method } = value;
  const params = isRecord(value['params']) ? value['params'] : {};
  if (REMOVED_IN_2026.has(method) && isOf2026(params)) return undefined;
  const required = Object.hasOwn(REQUIRED, method) ? REQUIRED[method] : undefined;
  if (required !== undefined && typeof params[required] !== 'string')
    return { code: INVALID_PARAMS, message: `Invalid params: ${required} is required (string).`, id };
  if (LISTS.has(method) && params['cursor'] !== undefined)
    return { code: INVALID_PARAMS, message: 'Invalid params: cursor is not known; this list has one page, so leave it out.', id };
  const misshapen = misshapenParams({ method, params });
  if (misshapen !== undefined)
    return {
      code: INVALID_PARAMS,
      message: `Invalid params: ${misshapen} is not of the form that the protocol describes for ${method}.`,
      id,
    };
  return undefined;
}

/** The first member of the params that does not fit the protocol's schema of the request; undefined where all do. */
function misshapenParams(request: { readonly method: string; readonly params: object }): string | undefined {
  const { method } = request;
  if (!Object.hasOwn(REQUEST_TYPES, method)) return undefined;
  // Found above, which the type of the name does not show.
  const checked = specTypeSchemas[REQUEST_TYPES[method as keyof typeof REQUEST_TYPES]]['~standard'].validate(request);
  const [issue] = ('issues' in checked ? checked.issues : undefined) ?? [];
  // Two names at most: further down stand names that the caller made up.
  return issue?.path?.slice(1, 3).map(nameOf).join('.');
}

function nameOf(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment).slice(0, LONGEST_NAME);
}
