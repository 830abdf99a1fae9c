import { createHash } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { CallOutcome, CallWatch } from './call-watch.ts';

/**
 * Replaces in logs and traces an id that names a person or opens a session: the first 12 hexadecimal digits of its SHA-256, so that the
 * lines of a known id can be found.
 */
export function digest(id: string): string {
  return createHash('sha256').update(id).digest('hex').slice(0, 12);
}

/**
 * A request id as it may be written down: numbers and UUIDs as they are, of any other text the digest, since a client can put anything
 * there.
 */
export function loggedRequestId(id: string | number): string | number {
  return typeof id === 'number' || /^([\d]{1,20}|[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12})$/i.test(id) ? id : digest(id);
}

/** Where a caller's trace goes on (W3C Trace Context). */
export interface TraceParent {
  readonly traceId: string;
  readonly spanId: string;
  /** 1 when the caller records the trace. */
  readonly flags: number;
}

const FORM = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(-.*)?$/;

/** Reads a `traceparent`; undefined where there is none that the standard allows. */
export function readTraceParent(text: string | undefined): TraceParent | undefined {
  const [, version, traceId = '', spanId = '', flags = '', more] = FORM.exec(text ?? '') ?? [];
  if (version === undefined || version === 'ff' || (version === '00' && more !== undefined)) return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, flags: Number.parseInt(flags, 16) & 1 };
}

/** Whose calls are watched; both names are hashed before they leave the process. */
export interface WatchedSession {
  readonly principalId: string;
  /** Left out where the protocol has none. */
  readonly sessionId?: string | undefined;
}

const METHODS = { tool: 'tools/call', resource: 'resources/read' } as const;

function levelOf(outcome: CallOutcome) {
  if (outcome === 'fault') return 'error';
  return outcome === 'settings' || outcome === 'shape' ? 'warn' : 'info';
}

/** Writes one line for each call of a session: who, what, how it ended, how long it took, and what it cost the platform. */
export function createCallLog({ principalId, sessionId }: WatchedSession, { log, clock }: { log: Log; clock: Clock }): CallWatch {
  const session = sessionId === undefined ? undefined : digest(sessionId);
  const principal = digest(principalId);
  return {
    begin({ kind, name, requestId, traceparent }) {
      const startMs = clock.now();
      const request = loggedRequestId(requestId);
      let requests = 0;
      return {
        observe({ type }) {
          if (type === 'request') requests += 1;
        },
        end(outcome) {
          log(levelOf(outcome), `${METHODS[kind]} ${name}`, {
            outcome,
            ms: Math.max(0, Math.round(clock.now() - startMs)),
            platformRequests: requests,
            request,
            session,
            principal,
            trace: readTraceParent(traceparent)?.traceId,
          });
        },
      };
    },
  };
}
