import * as z from 'zod';
import { checkInput } from './check-input.ts';
import type { Operation } from './operation.ts';
import { encodeRequest } from './wire.ts';

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
export type WritePreview = z.output<typeof writeRequest>;
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
