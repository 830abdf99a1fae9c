import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';

/** An answer that is kept. */
export interface Kept {
  readonly answer: unknown;
  /** That of its read. */
  readonly order: number;
  readonly keepMs: number;
  /** When the read began, by the clock, and after how many writes of the owner. */
  readonly sinceMs: number;
  readonly writes: number;
}

/** The answers that are kept for all owners together, each as long as it may be. */
export interface KeptAnswers {
  bytes(): number;
  get(key: string): Kept | undefined;
  /** `get` without counting as a use. */
  peek(key: string): Kept | undefined;
  keep(key: string, entry: Kept, size: number): void;
  delete(key: string): void;
  /** Forgets all keys that begin so. */
  forget(prefix: string): void;
}

/** Of a cache that has no room. */
export const NOTHING_KEPT: KeptAnswers = {
  bytes: () => 0,
  get: () => undefined,
  peek: () => undefined,
  keep: () => undefined,
  delete: () => undefined,
  forget: () => undefined,
};

/** Makes room for kept answers, bounded by the bytes that they take in memory. */
export function createKeptAnswers(maxBytes: number, clock: Clock): KeptAnswers {
  const kept = new LRUCache<string, Kept>({ maxSize: maxBytes });
  /** When what is kept for a time only is too old, by key, the oldest first. */
  const ends = new Map<string, number>();
  let sweeping: NodeJS.Timeout | undefined;

  /** Gives back the room of what is too old: it would push out what never changes. */
  function sweep(): void {
    sweeping = undefined;
    for (const [key, endMs] of ends) {
      if (endMs > clock.now()) return sweepIn(endMs - clock.now());
      ends.delete(key);
      kept.delete(key);
    }
  }

  function sweepIn(ms: number): void {
    sweeping ??= setTimeout(sweep, ms).unref();
  }

  return {
    bytes: () => kept.calculatedSize,
    get: (key) => kept.get(key),
    peek: (key) => kept.peek(key),
    keep(key, entry, size) {
      ends.delete(key);
      kept.set(key, entry, { size });
      if (entry.keepMs === Number.POSITIVE_INFINITY) return;
      ends.set(key, entry.sinceMs + entry.keepMs);
      sweepIn(entry.keepMs);
    },
    delete: (key) => void kept.delete(key),
    forget(prefix) {
      for (const key of kept.keys()) if (key.startsWith(prefix)) kept.delete(key);
    },
  };
}
