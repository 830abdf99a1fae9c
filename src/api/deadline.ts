import { setMaxListeners } from 'node:events';
import type { Clock } from '../lib/clock.ts';
import { ApiError } from './errors.ts';

/** The deadline of a call: the instant by the clock, and the signal that ends every wait. */
export interface Limits {
  readonly deadlineMs: number;
  /** Aborts with the caller's reason, or with an ApiError of kind `timeout`. */
  readonly signal: AbortSignal;
  /** The thing that the call waits for at the moment; the text of a timeout names it. */
  waitsFor: 'answer' | 'turn' | 'token' | 'result';
  /** Whether it is the end of a call of several requests, in which this one came late. */
  readonly endsCall?: boolean | undefined;
  /** How long the queue lasts now, in ms; undefined where that is not known. */
  queueMs?: (() => number | undefined) | undefined;
}

/** Code of a call that did not get its turn: nothing was sent. */
export const QUEUED = 'QUEUED';
/** Shortest pause that a call is asked for which did not get its turn. */
const LEAST_PAUSE_MS = 1_000;

/** The error of a call that gets no turn in its time; `queueMs` is how long the queue lasts, as far as that is known. */
function queued(words: string, queueMs = 0): ApiError {
  return new ApiError('busy', words, { code: QUEUED, retryAfterMs: Math.max(LEAST_PAUSE_MS, queueMs) });
}

/** The message names the time of the whole call: what was left for its last request says nothing to the caller. */
const OVER = 'The time that one call may take was over before it had read all that it needs';

/** Throws a `busy` error where the queue lasts longer than the call may: at once, with the time to wait, instead of after all of it. */
export function refuseLongQueue({ queueMs, deadlineMs, endsCall }: Limits, nowMs: number): void {
  const [lastsMs = 0, leftMs] = [queueMs?.(), deadlineMs - nowMs];
  if (lastsMs <= leftMs) return;
  if (endsCall) throw queued(`${OVER}: other requests were still ahead of its next one.`, lastsMs);
  throw queued(`So many calls wait for their turn that this one would not get it within ${seconds(leftMs)}.`, lastsMs);
}

/** Whether the time of a call ran out, before or after it was sent. */
export function isOutOfTime(error: unknown): boolean {
  return error instanceof ApiError && (error.kind === 'timeout' || error.code === QUEUED);
}

/** The error of a request that comes when the time of its call is over: nothing of it was sent. */
export function timeIsOver(): ApiError {
  return new ApiError('timeout', `${OVER}.`);
}

function timeoutOf({ waitsFor, queueMs, endsCall }: Limits, allowedMs: number): ApiError {
  if (endsCall) {
    const reason = { turn: 'other requests were still ahead', result: 'its result was not computed yet', token: 'it had no token yet' };
    const words = `${OVER}: ${waitsFor === 'answer' ? 'an answer was still on its way' : reason[waitsFor]}.`;
    return waitsFor === 'turn' ? queued(words, queueMs?.()) : new ApiError('timeout', words);
  }
  const time = seconds(allowedMs);
  if (waitsFor === 'turn') return queued(`The call was given up after ${time}: it was still waiting behind other calls.`, queueMs?.());
  if (waitsFor === 'result') return new ApiError('timeout', `The call was given up after ${time}: its result was not computed yet.`);
  const who = waitsFor === 'token' ? 'the authentication server' : 'the platform';
  // An answer may have arrived where this machine is too busy to read it.
  return new ApiError('timeout', `The call was given up after ${time}: no answer of ${who} was read in that time, retries included.`);
}

/** Node treats a longer delay as 1 ms. */
const LONGEST_TIMER_MS = 2_147_483_647;

/** Runs `task` until the deadline or the caller's abort, whichever comes first; queue, back-off and network all end with its signal. */
export async function withDeadline<T>(
  {
    clock,
    timeoutMs,
    deadlineMs = Number.POSITIVE_INFINITY,
    signal,
  }: {
    clock: Clock;
    timeoutMs: number;
    deadlineMs?: number | undefined;
    signal?: AbortSignal | undefined;
  },
  task: (limits: Limits) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const startMs = clock.now();
  const endMs = Math.min(deadlineMs, startMs + timeoutMs);
  const allowedMs = endMs - startMs;
  if (allowedMs <= 0) throw timeIsOver();
  const controller = new AbortController();
  const relay = () => controller.abort(signal?.reason);
  // Many calls may run under one signal; each takes its listener away again.
  if (signal) setMaxListeners(0, signal);
  signal?.addEventListener('abort', relay, { once: true });
  // A timer of the machine besides the clock's deadline: a clock that stands still or jumps back must not prolong a call.
  const endsCall = allowedMs < timeoutMs;
  const limits: Limits = { deadlineMs: endMs, signal: controller.signal, waitsFor: 'answer', endsCall };
  const timer = setTimeout(() => controller.abort(timeoutOf(limits, allowedMs)), Math.min(allowedMs, LONGEST_TIMER_MS));
  try {
    return await task(limits);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', relay);
  }
}

/** Milliseconds as errors write them. */
export function seconds(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${Number((ms / 1000).toFixed(1))} s`;
}

/** Waits for `promise` until the signal aborts; the work behind it goes on for other callers. */
export async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  let onAbort: (() => void) | undefined;
  const aborted = new Promise<never>((_, reject) => {
    onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    if (onAbort) signal.removeEventListener('abort', onAbort);
  }
}

/** Requests for one call at most, the first included. */
export const MAX_ATTEMPTS = 3;
const FIRST_BACKOFF_MS = 400;
const LONGEST_BACKOFF_MS = 5_000;
/**
 * Shortest pause after an attempt that was given up: the platform has to see that its connection is closed, because until then it counts as
 * in flight.
 */
const LEAST_AFTER_TIMEOUT_MS = 50;
/** Longest pause while replicas may exceed the limit of the service together. */
const LONGEST_ALONE_BACKOFF_MS = 1_000;

/** Time until the instant or the delay of a `Retry-After` header; undefined when there is none that can be read. */
export function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  const text = header.trim();
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000;
  // Date.parse takes "-5" for a year; an HTTP date begins with its weekday.
  const instant = /^[a-z]/i.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(instant) ? undefined : Math.max(0, instant - nowMs);
}

/**
 * Repeats what failed for a moment: full jitter, never sooner than the service asked, given up at once when the deadline lies
 * before the next try. After an attempt without an answer the rest of the time is used, however short it is. A write that may have taken
 * effect is never repeated. What the service refuses because of too many calls is repeated until the deadline while `isAlone`: the calls of
 * other replicas end too.
 */
export async function retry<T>(
  limits: Limits,
  { clock, random, isAlone = () => false }: { clock: Clock; random: () => number; isAlone?: () => boolean },
  attempt: (number: number) => Promise<T>,
): Promise<T> {
  for (let number = 1; ; number += 1) {
    try {
      return await attempt(number);
    } catch (error) {
      if (!(error instanceof ApiError) || !error.transient || error.outcomeUnknown) throw error;
      const waitsForOthers = error.kind === 'busy' && isAlone();
      if (number >= MAX_ATTEMPTS && !waitsForOthers) throw error;
      const longestMs = waitsForOthers ? LONGEST_ALONE_BACKOFF_MS : LONGEST_BACKOFF_MS;
      const jitterMs = random() * Math.min(longestMs, FIRST_BACKOFF_MS * 2 ** (number - 1));
      const leftMs = limits.deadlineMs - clock.now();
      const waitMs =
        error.kind === 'timeout'
          ? Math.min(Math.max(LEAST_AFTER_TIMEOUT_MS, jitterMs), leftMs / 2)
          : Math.max(error.retryAfterMs ?? 0, jitterMs);
      if (leftMs <= 0 || waitMs >= leftMs) throw tooLong(error);
      await clock.sleep(waitMs, limits.signal);
    }
  }
}

function tooLong(error: ApiError): ApiError {
  if (error.retryAfterMs === undefined) return error;
  const { status, code, retryAfterMs: waitMs } = error;
  const message = `The service asks to wait ${seconds(waitMs)}, longer than the call may take. ${error.message}`;
  return new ApiError('busy', message, { status, code, retryAfterMs: waitMs });
}
