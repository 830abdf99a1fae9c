import * as z from 'zod';
import { checkInput } from './check-input.ts';
import { ApiError } from './errors.ts';
import { type Operation, unwrap } from './operation.ts';

/** Where the parts of an input travel: below the base address, in the query, in a JSON body. */
interface WireRequest {
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

/** Exactly what a write would send; the bearer token aside. */
export const writeRequest = z.object({
  method: z.string(),
  path: z.string(),
  project: z.number().optional(),
  /** A warning for the person who is asked to agree; not sent. */
  warning: z.string().optional(),
  /** Of enrichments: `form` sends each member of `body` as a field, lists as JSON. */
  encoding: z.enum(['form', 'json']).optional(),
  body: z.record(z.string(), z.unknown()).optional(),
  /** Of several requests: what each has beside `body`, which they share. */
  each: z.array(z.record(z.string(), z.unknown())).optional(),
});
/** A write without the words that ask for it. */
type WritePreview = z.output<typeof writeRequest>;
/** A write as a person is asked about it. */
export interface WriteRequest extends WritePreview {
  /** Its first line says what is done and what cannot be undone, the others what matters of the body; not sent. */
  readonly question: string;
}

/** The request that a write would send, after the checks that the client makes anyway. */
export function previewOf(
  operation: Operation,
  input: Record<string, unknown>,
  project: number | undefined,
  encoding?: WritePreview['encoding'],
): WritePreview {
  const { target, body } = encodeRequest(operation, checkInput(operation, input, project));
  return {
    method: operation.method,
    path: target,
    ...(project !== undefined && { project }),
    ...(encoding && { encoding }),
    ...(body && { body }),
  };
}

type BodyMembers = Readonly<Record<string, unknown>>;

/** Several bodies with their common members written once; a single body stays unchanged. */
export function sharedMembers(bodies: readonly BodyMembers[]): { body: Record<string, unknown>; each?: Record<string, unknown>[] } {
  const [first = {}, ...others] = bodies;
  if (others.length === 0) return { body: { ...first } };
  const isShared = (name: string, value: unknown) => others.every((other) => JSON.stringify(other[name]) === JSON.stringify(value));
  const shared = Object.fromEntries(Object.entries(first).filter(([name, value]) => isShared(name, value)));
  const rest = (body: BodyMembers) => Object.fromEntries(Object.entries(body).filter(([name]) => !Object.hasOwn(shared, name)));
  return { body: shared, each: bodies.map(rest) };
}

/** Several writes of one operation as one thing to consent to. */
export function joinedPreview(requests: readonly [WritePreview, ...WritePreview[]]): WritePreview {
  const [{ body: _, ...first }] = requests;
  return { ...first, ...sharedMembers(requests.map(({ body = {} }) => body)) };
}
