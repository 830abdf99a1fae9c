import { addTo, countOf } from '../../lib/tally.ts';
/** Counts requests in work, so that a flood of them, or one caller's calls that wait for a person, leave room for others. */
export interface InFlightLimit {
  /** Takes this many slots until the returned function is called; or says whose limit is reached. */
  take(principalId: string, count: number): (() => void) | 'all' | 'caller';
  /** How many are taken. */
  taken(): number;
  /** Resolves when none is taken. */
  idle(): Promise<void>;
}

/** Makes the limit: `max` for all, of which one caller may take `maxOfOne`. */
export function createInFlightLimit({ max, maxOfOne }: { max: number; maxOfOne: number }): InFlightLimit {
  const byPrincipal = new Map<string, number>();
  const waiting = new Set<() => void>();
  let taken = 0;

  function add(principalId: string, count: number): void {
    taken += count;
    if (addTo(byPrincipal, principalId, count) <= 0) byPrincipal.delete(principalId);
    if (taken > 0) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  return {
    take(principalId, count) {
      if (taken + count > max) return 'all';
      if (countOf(byPrincipal, principalId) + count > maxOfOne) return 'caller';
      add(principalId, count);
      let held = true;
      return () => {
        if (held) add(principalId, -count);
        held = false;
      };
    },
    taken: () => taken,
    idle: () => (taken === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.add(resolve))),
  };
}
