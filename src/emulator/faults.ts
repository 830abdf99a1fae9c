import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { RESPONSE_ALREADY_SENT } from '@hono/node-server/utils/response';
import type { Context } from 'hono';
import { ApiError } from '../api/errors.ts';
import { operations } from '../api/operations/index.ts';
import { isRecord } from '../lib/is-record.ts';
import type { Env, Target } from './requests.ts';
import { json, Refusal, refused } from './responses.ts';

/** Faults that can be switched on. */
export const faultKinds = [
  'expired-token',
  'rate-limit',
  'concurrent-call',
  'server-error',
  'unavailable',
  'bad-gateway',
  'reset',
  'hang',
  'slow',
  'truncated',
  'refused',
  'shape',
  'enveloped',
  'cut-download',
] as const;
/** A kind of fault that can be switched on. */
export type FaultKind = (typeof faultKinds)[number];

/** One thing that goes wrong, where and how often. */
export interface Fault {
  readonly kind: FaultKind;
  /** Left out: every operation (`expired-token` and `concurrent-call`: those behind a bearer; `cut-download`: downloads alone). */
  readonly operation?: Target;
  /** Left out: until it is removed. */
  readonly times?: number;
  /** The operation is carried out first; only its answer is lost or replaced. */
  readonly afterEffect?: boolean;
  /** `rate-limit` (default 1), `unavailable` (default none): seconds, an HTTP date as it is, or null for no header. */
  readonly retryAfter?: number | string | null;
  /** `slow`: real time to wait; left out, it waits until released. */
  readonly delayMs?: number;
  /** `shape`: what the answer holds instead of the documented payload; left out, a text. */
  readonly payload?: unknown;
  /** `cut-download`: bytes of the body that arrive (default 1024); the last byte never does. */
  readonly afterBytes?: number;
}

/** A fault as the request that it strikes sees it. */
export interface StruckFault {
  readonly fault: Fault;
  /** Aborted when what the fault holds may go on. */
  readonly released: AbortSignal;
  /** Counts a request as open until the promise settles. */
  readonly hold: (gone: Promise<unknown>) => void;
}

const BEARER_ONLY: ReadonlySet<FaultKind> = new Set(['expired-token', 'concurrent-call']);

function isMeant(fault: Fault, target: Target): boolean {
  if (fault.operation !== undefined) return fault.operation === target;
  if (fault.kind === 'cut-download' || target === 'download') return fault.kind === 'cut-download' && target === 'download';
  return !(BEARER_ONLY.has(fault.kind) && operations[target].base === 'auth');
}

/** Makes the faults of one emulator; none is on. */
export function createFaults() {
  const active = new Set<{ fault: Fault; strike: () => StruckFault }>();
  // Kept beyond the last strike: a fault that strikes no more may still delay a request.
  const releases = new Set<() => void>();
  return {
    add(fault: Fault) {
      let applied = 0;
      const waiting: { times: number; resolve: () => void }[] = [];
      const released = new AbortController();
      const release = () => released.abort();
      releases.add(release);
      const held = new Set<Promise<unknown>>();
      const entry = {
        fault,
        strike(): StruckFault {
          applied += 1;
          if (applied === fault.times) active.delete(entry);
          for (const { times, resolve } of waiting) if (applied >= times) resolve();
          return { fault, released: released.signal, hold: (gone: Promise<unknown>) => void held.add(gone) };
        },
      };
      if (fault.times !== 0) active.add(entry);
      return {
        /** How often it struck. */
        get applied() {
          return applied;
        },
        /** Resolves when it has struck so often. */
        reached: (times = 1) =>
          new Promise<void>((resolve) => {
            if (applied >= times) resolve();
            else waiting.push({ times, resolve });
          }),
        /** Lets the requests go on that a `slow` fault holds, and those to come. */
        release,
        /** Resolves when the callers of all requests that a `hang` holds have closed their connections. */
        abandoned: async () => void (await Promise.all(held)),
        remove: () => void active.delete(entry),
      };
    },
    /** Removes all faults and releases the requests that they hold. */
    clear() {
      for (const release of releases) release();
      releases.clear();
      active.clear();
    },
    /** The first fault meant for the target, counted as applied. */
    take(target: Target): StruckFault | undefined {
      for (const entry of active) if (isMeant(entry.fault, target)) return entry.strike();
      return undefined;
    },
  };
}

/** The faults of one emulator, as requests meet them. */
export type Faults = ReturnType<typeof createFaults>;

/** Node treats a longer delay as 1 ms. */
const LONGEST_DELAY_MS = 2_147_483_647;
/** Real time that a `slow` fault waits which came by flag and so cannot be released. */
const FLAG_DELAY_MS = 3000;

/** Reads `kind[:operation[:times]]` of the flag `--fault`; throws an `ApiError` that says what is expected. */
export function parseFault(text: string): Fault {
  const [kindText = '', operationText = '', timesText = '', ...rest] = text.split(':');
  const wrong = (words: string) => new ApiError('settings', `--fault ${text}: ${words}`);
  if (rest.length > 0) throw wrong('expected kind[:operation[:times]]');
  const kind = faultKinds.find((name) => name === kindText);
  if (!kind) throw wrong(`"${kindText}" is not a fault; expected one of ${faultKinds.join(', ')}`);
  if (operationText !== '' && !isTarget(operationText)) {
    throw wrong(
      `"${operationText}" is not an operation; expected a name such as getSiteVisits, requestToken, createExportJob, or download`,
    );
  }
  if (!/^([1-9]\d{0,8})?$/.test(timesText)) throw wrong(`"${timesText}" is not a number of times; expected 1, 2, 3 …`);
  return {
    kind,
    ...(isTarget(operationText) && { operation: operationText }),
    ...(timesText !== '' && { times: Number(timesText) }),
    ...(kind === 'slow' && { delayMs: FLAG_DELAY_MS }),
  };
}

function isTarget(name: string): name is Target {
  return name === 'download' || Object.hasOwn(operations, name);
}

/** Runs an operation under the fault that is set for it, if any. */
export async function underFaults(context: Context<Env>, faults: Faults, target: Target, run: () => Promise<Response>): Promise<Response> {
  const struck = faults.take(target);
  if (!struck) return run();
  const { kind, afterEffect } = struck.fault;
  const done = afterEffect && (await run());
  return strikes[kind](context, struck, done ? async () => done : run);
}

type Strike = (context: Context<Env>, struck: StruckFault, run: () => Promise<Response>) => Response | Promise<Response>;

const strikes: Record<FaultKind, Strike> = {
  'expired-token': () => refused(new Refusal(401, 'JWT_EXPIRED', 'Auth token is expired.')),
  'rate-limit': (_, { fault }) => refused(new Refusal(429, 'TOO_MANY_REQUESTS', 'Too many requests.', retryAfter(fault, 1))),
  'concurrent-call': () => refused(new Refusal(409, 'CONCURRENT_API_CALL', 'Too much concurrent calls')),
  'server-error': () => refused(new Refusal(500, 'INTERNAL_SERVER_ERROR', 'An internal error occurred.')),
  unavailable: (_, { fault }) => refused(new Refusal(503, 'SERVICE_UNAVAILABLE', 'The service is not available.', retryAfter(fault, null))),
  'bad-gateway': () =>
    new Response('<html><head><title>502 Bad Gateway</title></head><body><h1>502 Bad Gateway</h1></body></html>', {
      status: 502,
      headers: { 'content-type': 'text/html; charset=utf-8' },
    }),
  refused: () => json(200, { success: false, errorMessage: 'The request was refused.', errorCode: 'REQUEST_REFUSED' }),
  reset({ env }) {
    env.incoming.socket.resetAndDestroy();
    return RESPONSE_ALREADY_SENT;
  },
  async hang({ env }, { hold }) {
    const gone = env.outgoing.destroyed ? Promise.resolve() : once(env.outgoing, 'close');
    hold(gone);
    await gone;
    return RESPONSE_ALREADY_SENT;
  },
  async slow({ env }, { fault, released }, run) {
    const gone = new AbortController();
    env.outgoing.once('close', () => gone.abort());
    const isOver = AbortSignal.any([released, gone.signal]);
    await setTimeout(fault.delayMs ?? LONGEST_DELAY_MS, undefined, { signal: isOver }).catch(() => undefined);
    return env.outgoing.destroyed ? RESPONSE_ALREADY_SENT : run();
  },
  async truncated(_, __, run) {
    const response = await run();
    const bytes = new Uint8Array(await response.arrayBuffer());
    return replaced(response, bytes.subarray(0, Math.floor(bytes.length / 2)));
  },
  shape(_, { fault }, run) {
    const payload = 'payload' in fault ? fault.payload : 'This is no payload that the reference describes.';
    return rewritten(run, (answer) => (isRecord(answer) && 'payload' in answer ? { ...answer, payload } : payload));
  },
  enveloped: (_, __, run) =>
    rewritten(run, (answer) => (isRecord(answer) && 'success' in answer ? answer : { payload: answer, success: true })),
  async 'cut-download'({ env }, { fault }, run) {
    const response = await run();
    const bytes = new Uint8Array(await response.arrayBuffer());
    const arriving = Math.min(fault.afterBytes ?? 1024, bytes.length - 1);
    env.outgoing.writeHead(response.status, { ...Object.fromEntries(response.headers), 'content-length': bytes.length });
    env.outgoing.write(bytes.subarray(0, Math.max(0, arriving)), () => env.incoming.socket.destroy());
    return RESPONSE_ALREADY_SENT;
  },
};

/** A good answer of a run with other JSON. */
async function rewritten(run: () => Promise<Response>, change: (answer: unknown) => unknown): Promise<Response> {
  const response = await run();
  return response.ok ? replaced(response, JSON.stringify(change(await response.json()))) : response;
}

function retryAfter({ retryAfter: wait }: Fault, otherwise: number | null): Record<string, string> {
  const value = wait === undefined ? otherwise : wait;
  return value === null ? {} : { 'retry-after': String(value) };
}

/** The same answer with another body and the length of that. */
function replaced(response: Response, body: string | Uint8Array<ArrayBuffer>): Response {
  const headers = new Headers(response.headers);
  headers.delete('content-length');
  return new Response(body, { status: response.status, headers });
}
