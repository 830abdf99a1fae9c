import type * as z from 'zod';
import { ApiError } from './errors.ts';
import { type Operation, unwrap } from './operation.ts';

/** Where the parts of an input travel: below the base address, in the query, in a JSON body. */
export interface WireRequest {
  /** Path and query, beginning with a slash. */
  target: string;
  body?: Record<string, unknown>;
}

const PLACEHOLDER = /\{(\w+)\}/g;

/** Names of the placeholders of a path, in order. */
export function pathNames(path: string): string[] {
  return [...path.matchAll(PLACEHOLDER)].map((match) => match[1] ?? '');
}

/** Percent-encodes one value; a text that is not valid Unicode is refused. */
function encode(name: string, text: string): string {
  try {
    return encodeURIComponent(text);
  } catch {
    throw new ApiError('invalid', `${name}: the text is not valid Unicode`);
  }
}

/** Percent-encodes one path segment; refuses what a server would resolve to another one. */
function segment(name: string, value: unknown): string {
  const text = String(value);
  if (/^\.{0,2}$/.test(text) || /[/\\]/.test(text))
    throw new ApiError('invalid', `${name}: "${text}" cannot be part of a path; expected an id`);
  return encode(name, text);
}

/** Splits a checked input over path, query and body; arrays in a query become comma lists, `+` becomes `%2B`. */
export function encodeRequest(operation: Operation, input: Record<string, unknown>): WireRequest {
  const inPath = pathNames(operation.path);
  const path = operation.path.replace(PLACEHOLDER, (_, name: string) => segment(name, input[name]));
  const rest = Object.entries(input).filter(([name, value]) => value !== undefined && !inPath.includes(name));
  if (operation.method === 'POST') return { target: path, body: Object.fromEntries(rest) };
  const query = rest.map(([name, value]) => `${name}=${encode(name, Array.isArray(value) ? value.join(',') : String(value))}`);
  return { target: query.length > 0 ? `${path}?${query.join('&')}` : path };
}

/** The innermost type of a field: `number`, `array`, `string`, `enum` … */
function typeOf(schema: z.core.$ZodType): string {
  return unwrap(schema)._zod.def.type;
}

function decodeText(value: string, type: string): unknown {
  if (type === 'array') return value.split(',').map((item) => decodeText(item, 'number'));
  if (type === 'number' && value.trim() !== '' && Number.isFinite(Number(value))) return Number(value);
  return value;
}

/** The reverse of `encodeRequest` for a server: texts become numbers and arrays where the operation's input says so; unchecked. */
export function decodeRequest(
  operation: Operation,
  params: Record<string, string>,
  query: Record<string, string>,
  body: Record<string, unknown> = {},
): Record<string, unknown> {
  const shape: Record<string, z.core.$ZodType> = operation.input.shape;
  const texts = Object.entries({ ...query, ...params }).map(([name, value]) => {
    const field = shape[name];
    return [name, field ? decodeText(value, typeOf(field)) : value];
  });
  return { ...body, ...Object.fromEntries(texts) };
}
