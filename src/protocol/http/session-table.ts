import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { addTo, countOf } from '../../lib/tally.ts';

/** An open session of either era. */
export interface SessionEntry<T> {
  /** The id for its client; hard to guess, but not an authentication. */
  readonly id: string;
  readonly principalId: string;
  readonly value: T;
  /** How many requests use it now, and when it was used last, by the clock. */
  uses: number;
  usedAtMs: number;
}

/** Limits of the table. */
export interface TableLimits {
  readonly maxSessions: number;
  readonly idleMs: number;
}

/** The sessions of a process: each belongs to the principal that opened it and ends by request, by idling, or to make room. */
export interface SessionTable<T> {
  /** Adds a session; undefined where there are too many and all are in use. */
  open(principalId: string, make: (id: string) => T, id?: string): SessionEntry<T> | undefined;
  /** The session of this id, for its own principal alone. */
  find(id: string, principalId: string): SessionEntry<T> | undefined;
  /** Keeps a session from idling until the returned function is called. */
  use(entry: SessionEntry<T>): () => void;
  /** Ends one session. */
  end(entry: SessionEntry<T>): Promise<void>;
  readonly size: number;
  /** Ends all. */
  close(): Promise<void>;
}

/** Pause between two searches for idle sessions. */
const SWEEP_MS = 60_000;

interface TableOptions<T> {
  readonly clock: Clock;
  readonly limits: TableLimits;
  /** Forgets the state of a session; must not throw. */
  readonly finish: (value: T) => Promise<void>;
}

/**
 * The longest idle session of the principal with the most, so that one cannot push others out by opening many. One in use has to end only
 * where its owner holds more than twice as many as the newcomer would.
 */
function toEndFor<T>(
  newcomerId: string,
  entries: Iterable<SessionEntry<T>>,
  sizes: ReadonlyMap<string, number>,
): SessionEntry<T> | undefined {
  const most = Math.max(...sizes.values());
  const theirs = [...entries].filter(({ principalId }) => sizes.get(principalId) === most);
  const isGreedy = most > 2 * (countOf(sizes, newcomerId) + 1);
  return theirs.find(({ uses }) => uses === 0) ?? (isGreedy ? theirs[0] : undefined);
}

/** The entries that were not used for `idleMs`. */
function idleSince<T>(nowMs: number, entries: Iterable<SessionEntry<T>>, idleMs: number): SessionEntry<T>[] {
  return [...entries].filter((entry) => {
    // A clock that was set back must not keep a session alive forever.
    if (entry.usedAtMs > nowMs) entry.usedAtMs = nowMs;
    return entry.uses === 0 && nowMs - entry.usedAtMs >= idleMs;
  });
}

/** Notes a use, and puts the entry behind all others. */
function touch<T>(entries: Map<string, SessionEntry<T>>, entry: SessionEntry<T>, nowMs: number): void {
  entry.usedAtMs = nowMs;
  entries.delete(entry.id);
  entries.set(entry.id, entry);
}

/** Makes the table. */
export function createSessionTable<T>({ clock, limits, finish }: TableOptions<T>): SessionTable<T> {
  const { maxSessions, idleMs } = limits;
  /** In the order of their last use, the longest ago first. */
  const entries = new Map<string, SessionEntry<T>>();
  const sizes = new Map<string, number>();
  const closed = new AbortController();

  async function end({ id, principalId, value }: SessionEntry<T>): Promise<void> {
    if (!entries.delete(id)) return;
    if (addTo(sizes, principalId, -1) <= 0) sizes.delete(principalId);
    await finish(value);
  }

  function makeRoom(newcomerId: string): boolean {
    const leaving = toEndFor(newcomerId, entries.values(), sizes);
    if (leaving) void end(leaving);
    return leaving !== undefined;
  }

  async function sweepOnAndOn(): Promise<void> {
    while (!closed.signal.aborted) {
      await clock.sleep(Math.min(SWEEP_MS, idleMs), closed.signal);
      for (const entry of idleSince(clock.now(), entries.values(), idleMs)) void end(entry);
    }
  }
  sweepOnAndOn().catch(() => undefined); // ends with the abort

  return {
    open(principalId, make, id = randomUUID()) {
      if (entries.size >= maxSessions && !makeRoom(principalId)) return undefined;
      const entry = { id, principalId, value: make(id), uses: 0, usedAtMs: clock.now() };
      entries.set(id, entry);
      addTo(sizes, principalId);
      return entry;
    },
    find(id, principalId) {
      const entry = entries.get(id);
      return entry?.principalId === principalId ? entry : undefined;
    },
    use(entry) {
      entry.uses += 1;
      if (entries.has(entry.id)) touch(entries, entry, clock.now());
      let inUse = true;
      return () => {
        if (!inUse) return;
        inUse = false;
        entry.uses -= 1;
        if (entries.get(entry.id) === entry) touch(entries, entry, clock.now());
      };
    },
    end,
    get size() {
      return entries.size;
    },
    async close() {
      closed.abort();
      await Promise.all([...entries.values()].map(end));
    },
  };
}
