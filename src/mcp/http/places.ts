/** Counts requests in work, so that a flood of them, or one caller's calls that wait for a person, leave room for others. */
export interface Places {
  /** Takes so many places until the returned function is called; or says who has too many. */
  take(principalId: string, count: number): (() => void) | 'all' | 'caller';
  /** Resolves when none is taken. */
  idle(): Promise<void>;
}

export function createPlaces({ max, maxOfOne }: { max: number; maxOfOne: number }): Places {
  const byPrincipal = new Map<string, number>();
  const waiting = new Set<() => void>();
  let taken = 0;

  function add(principalId: string, count: number): void {
    taken += count;
    const own = (byPrincipal.get(principalId) ?? 0) + count;
    if (own > 0) byPrincipal.set(principalId, own);
    else byPrincipal.delete(principalId);
    if (taken > 0) return;
    for (const resolve of waiting) resolve();
    waiting.clear();
  }

  return {
    take(principalId, count) {
      if (taken + count > max) return 'all';
      if ((byPrincipal.get(principalId) ?? 0) + count > maxOfOne) return 'caller';
      add(principalId, count);
      let held = true;
      return () => {
        if (held) add(principalId, -count);
        held = false;
      };
    },
    idle: () => (taken === 0 ? Promise.resolve() : new Promise((resolve) => void waiting.add(resolve))),
  };
}
