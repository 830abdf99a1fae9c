import { joinAddress } from '../lib/address.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Redactor } from '../lib/redact.ts';
import type { Limits } from './deadline.ts';
import { readAnswer } from './envelope.ts';
import { ApiError } from './errors.ts';
import type { Http } from './http.ts';
import type { ApiEvent, Observer } from './observer.ts';
import type { Operation } from './operation.ts';
import { getStepHar } from './operations/speed-analysis.ts';
import { MAX_ATTEMPTS, retryAfterMs } from './retry.ts';
import { encodeRequest } from './wire.ts';

/** Largest answers that are read: HAR files, everything else. */
export interface SizeLimits {
  harBytes: number;
  otherBytes: number;
}
export const DEFAULT_SIZE_LIMITS: SizeLimits = { harBytes: 96 * 1_048_576, otherBytes: 32 * 1_048_576 };

/** A read may wait this share of the remaining time without an answer, so that time remains for a retry. */
const IDLE_TIMEOUT_SHARE = 2 / 3;

/** What every request of a client shares. */
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

/** Sends one request of an operation and reads its payload; throws an ApiError that says whether a repeat may help. */
export async function exchange(wiring: Wiring, request: Exchange): Promise<unknown> {
  const { http, clock, redact, userAgent, sizeLimits, log } = wiring;
  const { operation, limits, attempt, encoding } = request;
  const startMs = clock.now();
  const leftMs = limits.deadlineMs - startMs;
  if (leftMs <= 0) throw new ApiError('timeout', 'The time for the call ran out while it waited.');
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
      idleTimeoutMs: operation.safe && attempt < MAX_ATTEMPTS ? leftMs * IDLE_TIMEOUT_SHARE : undefined,
      signal: limits.signal,
    });
    outcome = String(answer.status);
    ended = { outcome: 'ok', status: answer.status };
    return await readAnswer(answer, { operation, redact, retryAfterMs: retryAfterMs(answer.retryAfter, clock.now()) });
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
