import { quote, type Redactor } from '../lib/redact.ts';

/** Kinds of errors, decided once from status, code and text; each calls for another next step. */
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

/** Facts about a failure beside its kind and words. */
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
  /** True where the message itself says where else to look, so that no list of what exists is named after it. */
  saysWayOn?: boolean;
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
  readonly saysWayOn: boolean;
  /** The message, one complaint a line; a line break within a complaint comes from outside and is removed. */
  readonly lines: readonly string[];

  constructor(kind: ErrorKind, message: string | readonly string[], details: ApiErrorDetails = {}) {
    const lines = [message].flat();
    if (details.outcomeUnknown) lines.push(`${lines.pop()} It may have taken effect all the same.`);
    super(lines.join('\n'), details.cause === undefined ? {} : { cause: details.cause });
    this.lines = lines;
    this.name = 'ApiError';
    this.kind = kind;
    this.status = details.status;
    this.code = details.code;
    this.retryAfterMs = details.retryAfterMs;
    this.outcomeUnknown = details.outcomeUnknown ?? false;
    this.transient = details.transient ?? false;
    this.saysWayOn = details.saysWayOn ?? false;
  }
}

/** The same error in other words, with some of its facts changed; whether a write may have taken effect stands in the words. */
export function reworded(error: ApiError, message: string, changes: ApiErrorDetails = {}): ApiError {
  const { kind, status, code, retryAfterMs, transient, saysWayOn } = error;
  return new ApiError(kind, message, { status, code, retryAfterMs, transient, saysWayOn, cause: error, ...changes });
}

/** Throws that an argument cannot be used, in words that say what is wrong and what to do. */
export function refuse(message: string | readonly string[]): never {
  throw new ApiError('invalid', message);
}

/** The error as a refusing body states it, in any of the forms seen: envelope, OAuth, plain. Cleaned of secrets. */
export interface Refusal {
  code?: string | undefined;
  /** Upstream's words, ready to be quoted. */
  text: string;
}

const KIND_OF_CODE: Readonly<Record<string, ErrorKind>> = {
  JWT_EXPIRED: 'unauthorized',
  UNAUTHORIZED: 'unauthorized',
  INVALID_CLIENT: 'unauthorized',
  INVALID_GRANT: 'unauthorized',
  INVALID_TOKEN: 'unauthorized',
  UNAUTHORIZED_CLIENT: 'unauthorized',
  CONCURRENT_API_CALL: 'busy',
  TOO_MANY_REQUESTS: 'busy',
  RATE_LIMIT_EXCEEDED: 'busy',
  INVALID_SCOPE: 'forbidden',
  INSUFFICIENT_SCOPE: 'forbidden',
  ACCESS_DENIED: 'forbidden',
  FORBIDDEN: 'forbidden',
  NOT_FOUND: 'missing',
  INVALID_REQUEST: 'invalid',
  VALIDATION_ERROR: 'invalid',
  BAD_REQUEST: 'invalid',
  UNSUPPORTED_GRANT_TYPE: 'invalid',
  SERVER_ERROR: 'down',
  INTERNAL_ERROR: 'down',
  INTERNAL_SERVER_ERROR: 'down',
  SERVICE_UNAVAILABLE: 'down',
  TEMPORARILY_UNAVAILABLE: 'down',
};

const KIND_OF_STATUS: Readonly<Record<number, ErrorKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'missing',
  408: 'down',
  410: 'missing',
  429: 'busy',
};

const KIND_OF_TEXT: readonly (readonly [RegExp, ErrorKind])[] = [
  [/concurrent|too many|rate.?limit|quota/i, 'busy'],
  [/internal|unavailable|unexpected error|timed? ?out|try again|server error/i, 'down'],
  [/not found|does not exist|no such|unknown/i, 'missing'],
  [/scope|permission|forbidden|not allowed|access denied|not entitled/i, 'forbidden'],
  [/token|unauthori[sz]ed|credential/i, 'unauthorized'],
];

const OF_CREDENTIALS = '(client|credential|secret)';
const WRONG = 'invalid|wrong|unknown|bad|incorrect|expired';
/** The token endpoint may answer a wrong credential with any status, even 500; then only its text shows the reason. */
const WRONG_CREDENTIAL = new RegExp(
  `${OF_CREDENTIALS}.*(${WRONG}|denied|fail|not found|mismatch)|(${WRONG}).*${OF_CREDENTIALS}|unauthori[sz]ed`,
  'i',
);

/** True where the text looks like one of the machine's names, not like a sentence. */
const CODE = /^[\w.-]{2,64}$/;

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined;
}

/** Reads code and words from the body of a refusal; `body` is parsed JSON or the text itself. */
export function readRefusal(body: unknown, redact: Redactor): Refusal {
  if (typeof body !== 'object' || body === null) {
    const text = typeof body === 'string' ? body : '';
    const title = /^\s*</.test(text) ? (/<title[^<>]*>([^<]*)/i.exec(text)?.[1] ?? 'an HTML page') : text;
    return { text: quote(title, redact) };
  }
  const members: Record<string, unknown> = { ...body };
  const inner: Record<string, unknown> = typeof members['error'] === 'object' ? { ...members['error'] } : {};
  const code = [members['errorCode'], members['error'], members['code'], inner['code']].map(textOf).find((text) => text && CODE.test(text));
  const words = ['errorMessage', 'error_description', 'message', 'detail', 'error'].map((name) => textOf(members[name])).find(Boolean);
  const text = words ?? textOf(inner['message']) ?? JSON.stringify(body);
  return { code: code === undefined ? undefined : redact(code), text: quote(text, redact) };
}

/** Which kind of error a refusal is; a code decides before the status, except where the service itself broke. */
export function kindOf(status: number, { code = '', text }: Refusal, isAuth: boolean): ErrorKind {
  const byCode = KIND_OF_CODE[code.toUpperCase()];
  if (byCode === 'busy' || status === 429) return 'busy';
  if (isAuth) return byCode && byCode !== 'down' ? byCode : kindOfAuth(status, text);
  if (status >= 500) return byCode === 'unauthorized' ? byCode : 'down';
  if (byCode) return byCode;
  if (status >= 400) return KIND_OF_STATUS[status] ?? 'invalid';
  return KIND_OF_TEXT.find(([pattern]) => pattern.test(text))?.[1] ?? 'invalid';
}

/** Whether a refusal asks for the project that an account-level credential has to name (section 5). */
export function asksForProject(text: string): boolean {
  return /project_?id\b.*\b(required|missing|mandatory)|\b(requires?|missing|mandatory)\b.*project_?id\b/i.test(text);
}

function kindOfAuth(status: number, text: string): ErrorKind {
  if (asksForProject(text) && status < 500) return 'invalid';
  if (/scope/i.test(text) && status < 500) return 'forbidden';
  if (status === 401 || WRONG_CREDENTIAL.test(text)) return 'unauthorized';
  if (status === 404 || status === 410) return 'settings';
  if (status >= 500) return 'down';
  return KIND_OF_STATUS[status] ?? 'invalid';
}

/** Gives what stands for an answer that the platform refused or could not give, behind `catch`; throws any other error. */
export const onApiError =
  <Instead>(instead: (error: ApiError) => Instead) =>
  (error: unknown): Instead => {
    if (error instanceof ApiError) return instead(error);
    throw error;
  };

/** The same where nothing stands for it. */
export const orUndefined = onApiError(() => undefined);
/** The same where an empty list does. */
export const orNone = onApiError((): never[] => []);
