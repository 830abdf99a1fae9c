import { isJSONRPCNotification, isJSONRPCRequest, isJSONRPCResponse, PROTOCOL_VERSION_META_KEY } from '@modelcontextprotocol/server';
import { jsonExcess } from '../api/json.ts';

/** A JSON-RPC error that answers bytes which are not a message. */
export interface MessageFault {
  readonly code: number;
  readonly message: string;
  /** Of the message, where it could be read. */
  readonly id?: string | number;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
const INVALID_PARAMS = -32_602;

/** Members of `params` that are text, by method: the SDK refuses other values with an internal error and the words of its schema. */
const REQUIRED: Readonly<Record<string, string>> = {
  'tools/call': 'name',
  'prompts/get': 'name',
  'resources/read': 'uri',
  'resources/subscribe': 'uri',
  'resources/unsubscribe': 'uri',
};
/** Methods that the 2026-07-28 era does not have; the SDK says so. */
const REMOVED_IN_2026 = new Set(['resources/subscribe', 'resources/unsubscribe']);
const LISTS = new Set(['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list']);

/** No message of the protocol comes near; what walks a value does so with its stack. */
const LIMITS = { maxDepth: 64, maxContainers: 500_000 };

/** Parses the bytes of a body or a line, or says why not; what would overwhelm the parser is refused before. */
export function parseMessage(bytes: Uint8Array): { readonly value: unknown } | { readonly fault: MessageFault } {
  const excess = jsonExcess(bytes, LIMITS);
  if (excess === 'depth')
    return { fault: { code: INVALID_REQUEST, message: `Invalid Request: nested more than ${LIMITS.maxDepth} levels deep.` } };
  if (excess === 'containers')
    return { fault: { code: INVALID_REQUEST, message: `Invalid Request: more than ${LIMITS.maxContainers} lists and objects.` } };
  try {
    return { value: JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes)) as unknown };
  } catch {
    return { fault: { code: PARSE_ERROR, message: 'Parse error: not valid JSON in UTF-8.' } };
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The id that an answer to this message bears; undefined where it has none that one could. */
export function messageId(value: unknown): string | number | undefined {
  const id = isObject(value) ? value['id'] : undefined;
  return typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id)) ? id : undefined;
}

/** Why a parsed value is not a JSON-RPC message that the SDK accepts; undefined for one that is. */
export function messageFault(value: unknown): MessageFault | undefined {
  if (isJSONRPCRequest(value) || isJSONRPCNotification(value) || isJSONRPCResponse(value)) return paramsFault(value);
  const id = messageId(value);
  const message = 'Invalid Request: expected jsonrpc "2.0", a method and params as an object, or an answer with an id.';
  return { code: INVALID_REQUEST, message, ...(id !== undefined && { id }) };
}

/** Whether the params carry the protocol version, as each request of the 2026-07-28 era does. */
function isOf2026({ _meta: meta }: Readonly<Record<string, unknown>>): boolean {
  return isObject(meta) && Object.hasOwn(meta, PROTOCOL_VERSION_META_KEY);
}

/** Why the params of a request cannot be used, whatever its era; undefined where they can, or where the SDK says it in words. */
export function paramsFault(value: unknown): MessageFault | undefined {
  const id = messageId(value);
  if (!isObject(value) || id === undefined || typeof value['method'] !== 'string') return undefined;
  const { method } = value;
  const params = isObject(value['params']) ? value['params'] : {};
  if (REMOVED_IN_2026.has(method) && isOf2026(params)) return undefined;
  const required = Object.hasOwn(REQUIRED, method) ? REQUIRED[method] : undefined;
  if (required !== undefined && typeof params[required] !== 'string')
    return { code: INVALID_PARAMS, message: `Invalid params: ${required} is required (string).`, id };
  if (LISTS.has(method) && params['cursor'] !== undefined)
    return { code: INVALID_PARAMS, message: 'Invalid params: cursor is not known; this list has one page, so leave it out.', id };
  return undefined;
}
