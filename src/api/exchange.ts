import { joinAddress } from '../lib/address.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { quote, type Redactor } from '../lib/redact.ts';
import { withoutBreaks } from '../lib/strangers-text.ts';
import { type Limits, timeIsOver } from './deadline.ts';
import { ApiError, asksForProject, type ErrorKind, kindOf, readRefusal } from './errors.ts';
import { CHOOSE_PROJECT } from './granted.ts';
import type { Http, HttpAnswer } from './http.ts';
import { parseJson, parseLargeJson } from './json.ts';
import type { ApiEvent, Observer } from './observer.ts';
import type { Operation } from './operation.ts';
import { getStepHar } from './operations/speed-analysis.ts';
import { MAX_ATTEMPTS, retryAfterMs } from './retry.ts';
import { type Tolerated, tolerate } from './tolerant-payload.ts';
import { encodeRequest } from './wire.ts';

/** The operation, and the options for reading its answer. */
export interface Reading {
  operation: Operation;
  redact: Redactor;
  /** Delay that the service asks for, where it does. */
  retryAfterMs: number | undefined;
}

type Body = { form: 'json'; value: object } | { form: 'empty' | 'html' | 'text' | 'broken'; value: string };

async function readBody(pieces: readonly Buffer[], isFile: boolean): Promise<Body> {
  const large = isFile ? undefined : await parseLargeJson(pieces);
  if (typeof large === 'object' && large !== null) return { form: 'json', value: large };
  const text = Buffer.concat(pieces).toString('utf8');
  const start = text
    .replace(/^\uFEFF/, '')
    .trimStart()
    .slice(0, 1);
  if (start === '') return { form: 'empty', value: '' };
  try {
    const parsed = await parseJson(text);
    // A HAR is a file in a text: its reader takes it as it is.
    const value = isFile ? parsed : withoutBreaks(parsed, text);
    // A bare word or number is a text that happens to be JSON.
    return typeof value === 'object' && value !== null ? { form: 'json', value } : { form: 'text', value: String(value) };
  } catch {
    if (start === '<') return { form: 'html', value: text };
    return { form: start === '{' || start === '[' ? 'broken' : 'text', value: text };
  }
}

/** `GET /v1/segments`. */
export function titleOf(operation: Operation): string {
  return `${operation.method} ${operation.path}`;
}

const VERBS: Readonly<Record<ErrorKind, string>> = {
  invalid: 'did not accept',
  unauthorized: 'refused the token or credential of',
  forbidden: 'does not allow',
  missing: 'found nothing for',
  busy: 'is too busy for',
  down: 'failed at',
  timeout: 'gave up',
  shape: 'answered unexpectedly to',
  settings: 'does not know',
};

/** Whether a repeat may help, and whether it is certain that a refused request did nothing. */
function remedyOf(known: ErrorKind, status: number, isAuth: boolean): { certain: boolean; transient: boolean } {
  const broke = status >= 500 || status === 408;
  const isDown = known === 'down';
  return {
    certain: known === 'busy' || known === 'unauthorized' || (!broke && !isDown),
    transient: known === 'busy' || (broke && !(isAuth && !isDown) && known !== 'unauthorized'),
  };
}

/** Advice on a refusal, as the end of a sentence; empty where nothing is known. */
function hintOf(kind: ErrorKind, text: string, isAuth: boolean): string {
  if (asksForProject(text)) return ` The credential is of account level: ${CHOOSE_PROJECT}.`;
  return isAuth && kind === 'unauthorized' ? ' Check client id and secret; a credential expires after one year.' : '';
}

/** Turns an answer that refuses into the error; decides kind, certainty and whether a repeat may help. */
function refusalOf(answer: HttpAnswer, body: Body, { operation, redact, retryAfterMs: statedDelayMs }: Reading): ApiError {
  const { status } = answer;
  const isAuth = operation.base === 'auth';
  const refusal = readRefusal(body.value, redact);
  const known = kindOf(status, refusal, isAuth);
  // A service that names the time to come back is busy rather than broken.
  const kind = known === 'down' && status === 503 && statedDelayMs !== undefined ? 'busy' : known;
  const { certain, transient } = remedyOf(known, status, isAuth);
  const who = isAuth ? 'The authentication server' : 'The service';
  const source = [String(status), refusal.code].filter(Boolean).join(', ');
  const hint = hintOf(kind, refusal.text, isAuth);
  const says = refusal.text === '' ? 'the body was empty' : `it says "${refusal.text}"`;
  return new ApiError(kind, `${who} ${VERBS[kind]} ${titleOf(operation)} (${source}): ${says}.${hint}`, {
    status,
    code: refusal.code,
    retryAfterMs: statedDelayMs,
    transient,
    outcomeUnknown: !operation.safe && !certain,
  });
}

function unreadable(answer: HttpAnswer, what: string, { operation }: Reading): ApiError {
  const who = operation.base === 'auth' ? 'The authentication server' : 'The service';
  return new ApiError('shape', `${who} answered ${titleOf(operation)} with ${answer.status} and ${what}.`, {
    status: answer.status,
    outcomeUnknown: !operation.safe,
  });
}

function describe(body: Body, redact: Redactor): string {
  const words = readRefusal(body.value, redact).text;
  if (body.form === 'empty') return 'an empty body';
  if (body.form === 'html') return `an HTML page ("${words}") instead of JSON`;
  if (body.form === 'broken') return 'JSON that is broken or cut short';
  return `text instead of JSON: "${words}"`;
}

/** The part of the body that the operation's payload describes. */
function unwrap(operation: Operation, value: object): unknown {
  if ('payload' in value) return value.payload;
  // OAuth answers have no envelope; what enrichment answers is not documented.
  return operation.base === 'service' ? undefined : value;
}

function fit(payload: unknown, answer: HttpAnswer, reading: Reading): Tolerated<unknown> {
  const read = tolerate(reading.operation.payload, payload);
  if ('leftOut' in read) return read;
  const member = quote(['payload', ...read.path.map(String)].join('.'), reading.redact, 120);
  throw unreadable(answer, `an unknown shape: ${member} ${read.words}`, reading);
}

function refuses(value: object): boolean {
  if ('success' in value && value.success === false) return true;
  // OAuth style with a status of 200: an error and nothing else that could be a payload.
  return 'error' in value && typeof value.error === 'string' && !('payload' in value) && !('access_token' in value);
}

/** The usable payload of an answer, by the operation's schema; everything else becomes an ApiError of the fitting kind. */
export async function readAnswer(answer: HttpAnswer, reading: Reading): Promise<Tolerated<unknown>> {
  const { operation, redact } = reading;
  const { status } = answer;
  const body = await readBody(answer.pieces, operation === getStepHar);
  if (status >= 300 && status < 400) throw unreadable(answer, 'a redirect, which is never followed; check the address', reading);
  if (status < 200 || status >= 400) throw refusalOf(answer, body, reading);
  if (body.form === 'json' && typeof body.value === 'object' && body.value !== null) {
    if (refuses(body.value)) throw refusalOf(answer, body, reading);
    return fit(unwrap(operation, body.value), answer, reading);
  }
  // Any 2xx of enrichment counts as taken, unless what came is evidently not the service's.
  if (operation.base === 'enrichment' && (body.form === 'empty' || body.form === 'text'))
    return fit(body.form === 'empty' ? undefined : quote(body.value, redact), answer, reading);
  throw unreadable(answer, describe(body, redact), reading);
}

/** Largest answers that are read: HAR files, everything else. */
export interface SizeLimits {
  harBytes: number;
  otherBytes: number;
}
/** Largest answers that are read: HAR files may have 96 MB, all others 32 MB. */
export const DEFAULT_SIZE_LIMITS: SizeLimits = { harBytes: 96 * 1_048_576, otherBytes: 32 * 1_048_576 };

/** A read may wait this share of the remaining time without an answer, so that time remains for a retry. */
const IDLE_TIMEOUT_SHARE = 2 / 3;

/** Parts that all requests of a client share. */
export interface Wiring {
  readonly http: Http;
  readonly clock: Clock;
  readonly redact: Redactor;
  readonly userAgent: string;
  readonly sizeLimits: SizeLimits;
  /** One line for each request, without secrets. */
  readonly log: Log;
  /** Called for every request. */
  readonly observe?: Observer | undefined;
}

/** One request on its way: what to send, and how to read the answer. */
export interface Exchange {
  operation: Operation;
  /** Checked input, as on the wire. */
  input: Record<string, unknown>;
  /** Base address. */
  base: string;
  accessToken?: string;
  /** Where the base address comes from a token: as `HttpRequest` has it. */
  trustedHost?: string | undefined;
  /** How a body travels; `form` is for enrichment alone. */
  encoding: 'form' | 'json';
  limits: Limits;
  /** Which attempt this is, from 1. */
  attempt: number;
  /** Called for this request too. */
  observe?: Observer | undefined;
  /** Reads an answer, or gives what one of the same content was read as before. */
  readOnce?: ((answer: HttpAnswer, read: () => Promise<Tolerated<unknown>>) => Promise<Tolerated<unknown>>) | undefined;
}

function readOf({ readOnce }: Exchange, answer: HttpAnswer, reading: Reading): Promise<Tolerated<unknown>> {
  const read = () => readAnswer(answer, reading);
  return readOnce ? readOnce(answer, read) : read();
}

/** Form fields: objects and arrays travel as the JSON of themselves. */
function formOf(body: Record<string, unknown>): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body)) form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  return form.toString();
}

function headersOf({ encoding, accessToken }: Exchange, userAgent: string, hasBody: boolean): Record<string, string> {
  const type = encoding === 'form' ? 'application/x-www-form-urlencoded' : 'application/json';
  return {
    accept: 'application/json',
    'user-agent': userAgent,
    ...(hasBody && { 'content-type': type }),
    ...(accessToken !== undefined && { authorization: `Bearer ${accessToken}` }),
  };
}

/** A call of several requests with less time than this sends its last one once. */
const LATE_MS = 2_000;

/** Sends one request of an operation and reads its payload; throws an ApiError that says whether a repeat may help. */
export async function exchange(wiring: Wiring, request: Exchange): Promise<Tolerated<unknown>> {
  const { http, clock, redact, userAgent, sizeLimits, log } = wiring;
  const { operation, limits, attempt, encoding } = request;
  const startMs = clock.now();
  const leftMs = limits.deadlineMs - startMs;
  if (leftMs <= 0) throw timeIsOver();
  // At the end of a call there is no time for another attempt.
  const isLate = limits.endsCall === true && leftMs < LATE_MS;
  const { target, body } = encodeRequest(operation, request.input);
  let outcome = 'no answer';
  let ended: Pick<ApiEvent & { type: 'request' }, 'outcome' | 'status'> = { outcome: 'ok' };
  try {
    const answer = await http.send({
      method: operation.method,
      url: joinAddress(request.base, target),
      headers: headersOf(request, userAgent, body !== undefined),
      body: body && (encoding === 'form' ? formOf(body) : JSON.stringify(body)),
      safe: operation.safe,
      trustedHost: request.trustedHost,
      maxBytes: operation === getStepHar ? sizeLimits.harBytes : sizeLimits.otherBytes,
      idleTimeoutMs: operation.safe && attempt < MAX_ATTEMPTS && !isLate ? leftMs * IDLE_TIMEOUT_SHARE : undefined,
      signal: limits.signal,
    });
    outcome = String(answer.status);
    ended = { outcome: 'ok', status: answer.status };
    return await readOf(request, answer, { operation, redact, retryAfterMs: retryAfterMs(answer.retryAfter, clock.now()) });
  } catch (error) {
    outcome = error instanceof ApiError ? [error.status, error.kind, error.code].filter(Boolean).join(' ') : 'aborted';
    ended = error instanceof ApiError ? { outcome: error.kind, status: error.status ?? ended.status } : { ...ended, outcome: 'aborted' };
    throw error;
  } finally {
    const durationMs = clock.now() - startMs;
    for (const observe of [wiring.observe, request.observe]) observe?.({ type: 'request', operation, attempt, durationMs, ...ended });
    log('debug', `${operation.method} ${operation.path} attempt ${attempt}: ${outcome}, ${Math.round(durationMs)} ms`);
  }
}
