import type { Scope } from '../api/operation.ts';
import { Refusal } from './refusal.ts';

/** Requests of one project that may be in flight at once, and of those, calls to speed analysis. */
const MAX_REQUESTS = 10;
const MAX_SPEED_CALLS = 1;

/** Counts what is in flight, project by project, whatever credential it came with. */
export interface Load {
  /** Takes a place, given back by calling the answer; a `Refusal` is handed back where there is none. */
  enter(project: unknown, scope: Scope | undefined): Refusal | (() => void);
}

export function createLoad(): Load {
  const inFlight = new Map<string, number>();
  function take(key: string): () => void {
    inFlight.set(key, (inFlight.get(key) ?? 0) + 1);
    return () => inFlight.set(key, (inFlight.get(key) ?? 1) - 1);
  }
  return {
    enter(project, scope) {
      const all = `all of ${String(project)}`;
      const speed = `speed of ${String(project)}`;
      if ((inFlight.get(all) ?? 0) >= MAX_REQUESTS) {
        const message = `More than ${MAX_REQUESTS} requests of the project are in flight.`;
        return new Refusal(429, 'TOO_MANY_REQUESTS', message, { 'retry-after': '1' });
      }
      if (scope !== 'speed-analysis') return take(all);
      if ((inFlight.get(speed) ?? 0) >= MAX_SPEED_CALLS) return new Refusal(409, 'CONCURRENT_API_CALL', 'Too much concurrent calls');
      const leaves = [take(all), take(speed)];
      return () => {
        for (const leave of leaves) leave();
      };
    },
  };
}
