import { createHash } from 'node:crypto';
import type { ErrorKind } from '../api/errors.ts';
import type { Observer } from '../api/operation.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

/** Facts that a client states about any request. */
export interface RequestFacts {
  /** As the client chose it: it can be any text. */
  readonly requestId: string | number;
  /** `traceparent` as it came. */
  readonly traceparent?: string | undefined;
}

/** A request that calls a tool or reads a resource. */
interface WatchedRequest extends RequestFacts {
  readonly kind: 'tool' | 'resource';
  /** Name of the tool, or of the template that the address fits. */
  readonly name: string;
}

/**
 * How a call ended; `question` is one that the person has to answer first, `limited` one beyond the rate limit, `workspace` a trouble with
 * downloads, `fault` a mistake of this server.
 */
export type CallOutcome = 'ok' | 'question' | 'cancelled' | 'limited' | 'workspace' | 'fault' | ErrorKind;

/** A running call. */
interface CallUnderWatch {
  /** `traceparent` of the span that stands for the call, where there is one. */
  readonly traceparent?: string;
  /** Called with each event between the call and the platform. */
  readonly observe: Observer;
  end(outcome: CallOutcome): void;
}

/** Watches the calls of one session; must not throw. */
export interface CallWatch {
  begin(request: WatchedRequest): CallUnderWatch;
}

/** Several watches as one; undefined where there is none. Those that follow a tracing watch get its span as their parent. */
export function combineWatches(watches: readonly (CallWatch | undefined)[]): CallWatch | undefined {
  const present = watches.filter((watch) => watch !== undefined);
  if (present.length < 2) return present[0];
  return {
    begin(request) {
      let { traceparent } = request;
      const begun = present.map((watch) => {
        const call = watch.begin({ ...request, traceparent });
        ({ traceparent = traceparent } = call);
        return call;
      });
      return {
        observe(event) {
          for (const each of begun) each.observe(event);
        },
        end(outcome) {
          for (const each of begun) each.end(outcome);
        },
      };
    },
  };
}

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
interface TraceParent {
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
