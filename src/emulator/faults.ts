import { ApiError } from '../api/errors.ts';
import { operations } from '../api/operations/index.ts';
import type { Target } from './requests.ts';

/** What can go wrong on demand. */
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

/** A fault that was added, for a test that follows it. */
export interface AddedFault {
  /** How often it struck. */
  readonly applied: number;
  /** Resolves when it has struck `times` times (default 1). */
  reached(times?: number): Promise<void>;
  /** Lets the requests go on that a `slow` fault holds, and those to come. */
  release(): void;
  remove(): void;
}

/** A fault as the request that it strikes sees it. */
export interface StruckFault {
  readonly fault: Fault;
  readonly released: Promise<void>;
}

export interface Faults {
  add(fault: Fault): AddedFault;
  /** Removes all and lets go what they hold. */
  clear(): void;
  /** The first fault meant for the target, counted as applied. */
  take(target: Target): StruckFault | undefined;
}

const BEARER_ONLY: ReadonlySet<FaultKind> = new Set(['expired-token', 'concurrent-call']);

function isMeant(fault: Fault, target: Target): boolean {
  if (fault.operation !== undefined) return fault.operation === target;
  if (fault.kind === 'cut-download' || target === 'download') return fault.kind === 'cut-download' && target === 'download';
  return !(BEARER_ONLY.has(fault.kind) && operations[target].base === 'auth');
}

export function createFaults(): Faults {
  const active = new Set<{ fault: Fault; strike(): StruckFault }>();
  // Kept beyond the last strike: a request may be held by a fault that strikes no more.
  const releases = new Set<() => void>();
  return {
    add(fault) {
      let applied = 0;
      const waiting: { times: number; resolve: () => void }[] = [];
      const { promise: released, resolve: release } = deferred();
      releases.add(release);
      const entry = {
        fault,
        strike() {
          applied += 1;
          if (applied === fault.times) active.delete(entry);
          for (const { times, resolve } of waiting) if (applied >= times) resolve();
          return { fault, released };
        },
      };
      if (fault.times !== 0) active.add(entry);
      return {
        get applied() {
          return applied;
        },
        reached: (times = 1) =>
          new Promise((resolve) => {
            if (applied >= times) resolve();
            else waiting.push({ times, resolve });
          }),
        release,
        remove: () => void active.delete(entry),
      };
    },
    clear() {
      for (const release of releases) release();
      releases.clear();
      active.clear();
    },
    take(target) {
      for (const entry of active) if (isMeant(entry.fault, target)) return entry.strike();
      return undefined;
    },
  };
}

function nothing(): void {}

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = nothing;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}

/** Real time that a `slow` fault waits which came by flag and so cannot be released. */
const FLAG_DELAY_MS = 3000;

/** Reads `kind[:operation[:times]]` of the flag `--fault`; throws an `ApiError` that says what is expected. */
export function parseFault(text: string): Fault {
  const [kindText = '', operationText = '', timesText = '', ...rest] = text.split(':');
  const wrong = (words: string) => new ApiError('settings', `--fault ${text}: ${words}`);
  if (rest.length > 0) throw wrong('expected kind[:operation[:times]]');
  const kind = faultKinds.find((name) => name === kindText);
  if (!kind) throw wrong(`"${kindText}" is no fault; there are ${faultKinds.join(', ')}`);
  if (operationText !== '' && !isTarget(operationText)) {
    throw wrong(`"${operationText}" is no operation; expected a name such as getSiteVisits, requestToken, createExportJob, or download`);
  }
  if (!/^([1-9]\d{0,8})?$/.test(timesText)) throw wrong(`"${timesText}" is no number of times; expected 1, 2, 3 …`);
  return {
    kind,
    ...(isTarget(operationText) ? { operation: operationText } : {}),
    ...(timesText === '' ? {} : { times: Number(timesText) }),
    ...(kind === 'slow' ? { delayMs: FLAG_DELAY_MS } : {}),
  };
}

function isTarget(name: string): name is Target {
  return name === 'download' || Object.hasOwn(operations, name);
}
