/** What went wrong, decided once from status, code and text; each kind calls for another next step. */
export type ErrorKind =
  /** The arguments break a rule; nothing was sent, or the service refused them. */
  | 'invalid'
  /** The credential or its token was refused. */
  | 'unauthorized'
  /** The credential lacks a scope or a project. */
  | 'forbidden'
  /** No such record. */
  | 'missing'
  /** Too many calls at once, or a rate limit. */
  | 'busy'
  /** The service or the way to it failed. */
  | 'down'
  /** The time for the call ran out. */
  | 'timeout'
  /** The answer has a shape that the reference does not describe. */
  | 'shape'
  /** A setting is missing or wrong. */
  | 'settings';

export interface ApiErrorDetails {
  /** HTTP status, where there was an answer. */
  status?: number | undefined;
  /** `errorCode` of the envelope, `error` of an OAuth answer, or the code of a network failure. */
  code?: string | undefined;
  /** How long the service asks to wait. */
  retryAfterMs?: number | undefined;
  /** True for a write that failed without certainty: it may have taken effect. */
  outcomeUnknown?: boolean;
  /** True where the same request may succeed a moment later. */
  transient?: boolean;
  cause?: unknown;
}

/** The only error that the client throws, aborts by the caller excepted; its message is a sentence without secrets. */
export class ApiError extends Error {
  readonly kind: ErrorKind;
  readonly status: number | undefined;
  readonly code: string | undefined;
  readonly retryAfterMs: number | undefined;
  readonly outcomeUnknown: boolean;
  readonly transient: boolean;

  constructor(kind: ErrorKind, message: string, details: ApiErrorDetails = {}) {
    super(
      details.outcomeUnknown ? `${message} It may have taken effect all the same.` : message,
      details.cause === undefined ? {} : { cause: details.cause },
    );
    this.name = 'ApiError';
    this.kind = kind;
    this.status = details.status;
    this.code = details.code;
    this.retryAfterMs = details.retryAfterMs;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.transient = details.transient ?? false;
  }
}

/** Throws that an argument cannot be used, in words that say what is wrong and what to do. */
export function refuse(message: string): never {
  throw new ApiError('invalid', message);
}
