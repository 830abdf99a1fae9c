import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';

/** Which calls a session repeats: a caller who asks the same again doubts the answer, or waits for another one. */
export interface Repeats {
  /** Whether the same was asked a while before; remembers the call. */
  isRepeat(tool: string, args: unknown): boolean;
  /** Whether the session was shown this text before, as a digest; remembers that it is shown now. */
  wasShown(digest: string): boolean;
  /** Whether the same question was put to the person a while ago and never came back; remembers that it is put now. */
  wasLeftOpen(digest: string): boolean;
  /** Forgets a question that came back. */
  settle(digest: string): void;
}

/** How long a question waits for the person: hosts give a call a minute, and one that cannot show a form may never answer. */
export const ANSWER_MS = 50_000;
/** A program that asks the same in quick succession doubts nothing. */
const QUICK_MS = 2_000;
/** Nothing that may change is kept longer. */
const LONGEST_MS = 10 * 60_000;
const MAX_CALLS = 200;
/** Longer arguments are not repeated by hand. */
const MAX_CHARS = 4_000;

/** Remembers the latest calls of one session. */
export function createRepeats(clock: Clock): Repeats {
  const forgetful = { max: MAX_CALLS, ttl: LONGEST_MS, ttlResolution: 0, perf: clock };
  /** When each call was made last, ms since 1970. */
  const calls = new LRUCache<string, number>(forgetful);
  const shown = new LRUCache<string, true>({ max: MAX_CALLS });
  /** When each question was put first, ms since 1970. */
  const open = new LRUCache<string, number>(forgetful);
  return {
    wasLeftOpen(digest) {
      const askedMs = open.get(digest);
      if (askedMs === undefined) open.set(digest, clock.now());
      return askedMs !== undefined && clock.now() - askedMs >= ANSWER_MS;
    },
    settle(digest) {
      open.delete(digest);
    },
    wasShown(digest) {
      const before = shown.has(digest);
      shown.set(digest, true);
      return before;
    },
    isRepeat(tool, args) {
      const key = `${tool} ${JSON.stringify(args ?? {})}`;
      if (key.length > MAX_CHARS) return false;
      const askedMs = calls.get(key);
      if (askedMs !== undefined && Math.abs(clock.now() - askedMs) < QUICK_MS) return false;
      calls.set(key, clock.now());
      return askedMs !== undefined;
    },
  };
}
