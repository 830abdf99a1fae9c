import type { ErrorKind } from './errors.ts';
import type { Operation } from './operation.ts';

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
