import type * as z from 'zod';
import type { ErrorKind } from './errors.ts';

/** Scope names that a token may carry (section 5); `enrichment` is never combined with another. */
export const scopes = ['speed-analysis', 'data-export', 'metrics', 'session-replay', 'symbolicator', 'enrichment'] as const;
/** A scope of tokens, as the reference spells it. */
export type Scope = (typeof scopes)[number];

/** One documented operation of the REST interface: all that client, tools, emulator and documents need to know of it. */
export interface Operation<Input extends z.ZodObject = z.ZodObject, Payload extends z.ZodType = z.ZodType> {
  readonly method: 'GET' | 'POST';
  /** Path below the base address; `{jobId}` stands for the input of that name. */
  readonly path: `/v1/${string}`;
  /** Which address the path is joined to: the authentication server, the `endpoint` of a service token, or that of an enrichment token. */
  readonly base: 'auth' | 'service' | 'enrichment';
  /** Scope that the token must carry; the two OAuth operations need none. */
  readonly scope?: Scope;
  /** Section of the reference that documents it. */
  readonly section: string;
  /** Names and rules as on the wire; unknown names are refused. */
  readonly input: Input;
  /** Schema of `payload` in the envelope; unknown members are kept. */
  readonly payload: Payload;
  /** True when repeating it changes nothing: it may then be sent again after a failure. */
  readonly safe: boolean;
  /**
   * How long an answer may be given again to the same caller, in ms, as long as this server writes nothing for them: infinite where it
   * never changes; left out: each question is asked.
   */
  readonly keepMs?: number | ((input: Readonly<Record<string, unknown>>, nowMs: number) => number);
}

/** Lists change now and then, and callers of one team ask for them at the same time: so old they may be. */
export const LIST_KEEP_MS = 10_000;

/** The input of an operation as callers write it, before defaults. */
export type InputOf<O extends Operation> = z.input<O['input']>;
/** The payload of an operation once it was read. */
export type PayloadOf<O extends Operation> = z.output<O['payload']>;

/** Returns the operation unchanged, with its literal types. */
export function defineOperation<const Input extends z.ZodObject, const Payload extends z.ZodType>(
  operation: Operation<Input, Payload>,
): Operation<Input, Payload> {
  return operation;
}

/** Declares operations that have these members in common. */
export function operationsWith(common: Omit<Operation, 'path' | 'input' | 'payload'>) {
  return <const Input extends z.ZodObject, const Payload extends z.ZodType>(path: Operation['path'], input: Input, payload: Payload) =>
    defineOperation({ ...common, path, input, payload });
}

/** The schema inside `optional`, `default` and other wrappers; with `isFound` the first of them that it accepts. */
export function unwrap(schema: z.core.$ZodType, isFound: (schema: z.core.$ZodType) => boolean = () => false): z.core.$ZodType {
  const { def } = schema._zod;
  // Each wrapper of zod holds a schema here, which its common type does not say.
  return 'innerType' in def && !isFound(schema) ? unwrap(def.innerType as z.core.$ZodType, isFound) : schema;
}

/** One thing that happened on the way to the platform; nothing in it is secret, or names a record or a person. */
export type ApiEvent =
  /** A request has ended; from the second `attempt` on it was a repeat. */
  | {
      readonly type: 'request';
      readonly operation: Operation;
      readonly attempt: number;
      readonly outcome: 'ok' | 'aborted' | ErrorKind;
      /** HTTP status, where there was an answer. */
      readonly status?: number | undefined;
      readonly durationMs: number;
    }
  /** A call has its token: one that was kept, or one that was asked for. */
  | { readonly type: 'token'; readonly kept: boolean; readonly durationMs: number }
  /** A call left the queue of its project. */
  | { readonly type: 'slot'; readonly durationMs: number };

/** Called with each event when it is over; must not throw. */
export type Observer = (event: ApiEvent) => void;
