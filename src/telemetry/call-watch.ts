import type { ErrorKind } from '../api/errors.ts';
import type { Observer } from '../api/observer.ts';

/** Facts that a client states about any request. */
export interface RequestFacts {
  /** As the client chose it: it can be any text. */
  readonly requestId: string | number;
  /** `traceparent` as it came. */
  readonly traceparent?: string | undefined;
}

/** A request that calls a tool or reads a resource. */
export interface WatchedRequest extends RequestFacts {
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
export interface CallUnderWatch {
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
