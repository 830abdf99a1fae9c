import type { Clock } from '../../src/lib/clock.ts';

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Lets `ms` pass: sleeps that fall due end in their order, each with the clock at its own instant, those begun on the way included. */
  advance(ms: number): Promise<void>;
  /** Sets the clock forward or back as a person would; sleeps last as long as they did. */
  jump(ms: number): void;
  /**
   * Resolves as soon as something sleeps, with the ms until the first one wakes; sleeps meant to last longer than `longestMs` do not count.
   */
  nextSleep(longestMs?: number): Promise<number>;
  /** Number of sleeps that have not ended. */
  readonly sleeping: number;
}

interface Sleeper {
  /** How long it was meant to last. */
  readonly ms: number;
  readonly dueMs: number;
  readonly wake: () => void;
}

/** A macrotask: promises that were settled before it have had their say. */
function turn(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}

export function manualClock(startIso: string): ManualClock {
  // Sleeps are measured in elapsed time, so that a jump neither ends nor prolongs them.
  let offsetMs = Date.parse(startIso);
  let elapsedMs = 0;
  const sleepers = new Set<Sleeper>();
  const watchers = new Set<{ readonly longestMs: number; readonly resolve: (ms: number) => void }>();

  function first(longestMs = Number.POSITIVE_INFINITY): Sleeper | undefined {
    const earlier = (best: Sleeper | undefined, sleeper: Sleeper) => (best && best.dueMs <= sleeper.dueMs ? best : sleeper);
    return [...sleepers].filter(({ ms }) => ms <= longestMs).reduce<Sleeper | undefined>(earlier, undefined);
  }

  return {
    // In whole ms, as of the machine, though a pause may be a part of one.
    now: () => Math.floor(offsetMs + elapsedMs),
    sleep(ms, signal) {
      return new Promise((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const end = (settle: () => void) => () => {
          sleepers.delete(sleeper);
          signal?.removeEventListener('abort', abort);
          settle();
        };
        const abort = end(() => reject(signal?.reason));
        const sleeper: Sleeper = { ms, dueMs: elapsedMs + Math.max(0, ms), wake: end(resolve) };
        sleepers.add(sleeper);
        signal?.addEventListener('abort', abort, { once: true });
        for (const watcher of watchers) {
          if (ms > watcher.longestMs) continue;
          watcher.resolve(Math.max(0, ms));
          watchers.delete(watcher);
        }
      });
    },
    async advance(ms) {
      const targetMs = elapsedMs + ms;
      await turn();
      for (let next = first(); next && next.dueMs <= targetMs; next = first()) {
        elapsedMs = Math.max(elapsedMs, next.dueMs);
        next.wake();
        await turn();
      }
      elapsedMs = targetMs;
    },
    jump(ms) {
      offsetMs += ms;
    },
    nextSleep(longestMs = Number.POSITIVE_INFINITY) {
      const sleeper = first(longestMs);
      if (sleeper) return Promise.resolve(sleeper.dueMs - elapsedMs);
      return new Promise((resolve) => {
        watchers.add({ longestMs, resolve });
      });
    },
    get sleeping() {
      return sleepers.size;
    },
  };
}
