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
  /** When each call was made last, ms since 1970, the longest unused first. */
  const calls = new Map<string, number>();
  const shown = new Set<string>();
  /** When each question was put first, ms since 1970. */
  const open = new Map<string, number>();
  return {
    wasLeftOpen(digest) {
      const nowMs = clock.now();
      for (const [each, askedMs] of open) if (Math.abs(nowMs - askedMs) > LONGEST_MS) open.delete(each);
      const askedMs = open.get(digest);
      if (askedMs === undefined) open.set(digest, nowMs);
      return askedMs !== undefined && nowMs - askedMs >= ANSWER_MS;
    },
    settle(digest) {
      open.delete(digest);
    },
    wasShown(digest) {
      const before = shown.delete(digest);
      shown.add(digest);
      const [oldest] = shown;
      if (shown.size > MAX_CALLS && oldest !== undefined) shown.delete(oldest);
      return before;
    },
    isRepeat(tool, args) {
      const key = `${tool} ${JSON.stringify(args ?? {})}`;
      if (key.length > MAX_CHARS) return false;
      const nowMs = clock.now();
      const ageMs = nowMs - (calls.get(key) ?? Number.NEGATIVE_INFINITY);
      if (Math.abs(ageMs) < QUICK_MS) return false;
      calls.delete(key);
      calls.set(key, nowMs);
      const [oldest] = calls.keys();
      if (calls.size > MAX_CALLS && oldest !== undefined) calls.delete(oldest);
      return ageMs < LONGEST_MS;
    },
  };
}
