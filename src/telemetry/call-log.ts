import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { CallOutcome, CallWatch } from './call-watch.ts';
import { digest, loggedRequestId } from './digest.ts';
import { readTraceParent } from './trace-parent.ts';

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
