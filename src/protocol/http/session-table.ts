import { randomUUID } from 'node:crypto';
import type { Clock } from '../../lib/clock.ts';
import { addTo, countOf } from '../../lib/tally.ts';

/** An open session of either era. */
export interface SessionEntry<T> {
  /** The id for its client; hard to guess, but not an authentication. */
  readonly id: string;
  readonly principalId: string;
  readonly value: T;
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
  use(held: SessionEntry<T>): () => void;
  /** Ends one session. */
  end(held: SessionEntry<T>): Promise<void>;
  readonly size: number;
  /** Ends all. */
  close(): Promise<void>;
}

interface TableEntry<T> {
  readonly held: SessionEntry<T>;
  uses: number;
  usedAtMs: number;
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
function toEndFor<T>(newcomerId: string, entries: Iterable<TableEntry<T>>, sizes: ReadonlyMap<string, number>): TableEntry<T> | undefined {
  const most = Math.max(...sizes.values());
  const theirs = [...entries].filter(({ held }) => sizes.get(held.principalId) === most);
  const isGreedy = most > 2 * (countOf(sizes, newcomerId) + 1);
  return theirs.find(({ uses }) => uses === 0) ?? (isGreedy ? theirs[0] : undefined);
}

/** The entries that were not used for `idleMs`. */
function idleSince<T>(nowMs: number, entries: Iterable<TableEntry<T>>, idleMs: number): TableEntry<T>[] {
  return [...entries].filter((entry) => {
    // A clock that was set back must not keep a session alive forever.
    if (entry.usedAtMs > nowMs) entry.usedAtMs = nowMs;
    return entry.uses === 0 && nowMs - entry.usedAtMs >= idleMs;
  });
}

/** Notes a use, and puts the entry behind all others. */
function touch<T>(entries: Map<string, TableEntry<T>>, entry: TableEntry<T>, nowMs: number): void {
  entry.usedAtMs = nowMs;
  entries.delete(entry.held.id);
  entries.set(entry.held.id, entry);
}

/** Makes the table. */
export function createSessionTable<T>({ clock, limits, finish }: TableOptions<T>): SessionTable<T> {
  const { maxSessions, idleMs } = limits;
  /** In the order of their last use, the longest ago first. */
  const entries = new Map<string, TableEntry<T>>();
  const sizes = new Map<string, number>();
  const closed = new AbortController();

  async function end({ id, principalId, value }: SessionEntry<T>): Promise<void> {
    if (!entries.delete(id)) return;
    if (addTo(sizes, principalId, -1) <= 0) sizes.delete(principalId);
    await finish(value);
  }

  function makeRoom(newcomerId: string): boolean {
    const leaving = toEndFor(newcomerId, entries.values(), sizes);
    if (leaving) void end(leaving.held);
    return leaving !== undefined;
  }

  async function sweepOnAndOn(): Promise<void> {
    while (!closed.signal.aborted) {
      await clock.sleep(Math.min(SWEEP_MS, idleMs), closed.signal);
      for (const { held } of idleSince(clock.now(), entries.values(), idleMs)) void end(held);
    }
  }
  sweepOnAndOn().catch(() => undefined); // ends with the abort

  return {
    open(principalId, make, id = randomUUID()) {
      if (entries.size >= maxSessions && !makeRoom(principalId)) return undefined;
      const held = { id, principalId, value: make(id) };
      entries.set(id, { held, uses: 0, usedAtMs: clock.now() });
      addTo(sizes, principalId);
      return held;
    },
    find(id, principalId) {
      const held = entries.get(id)?.held;
      return held?.principalId === principalId ? held : undefined;
    },
    use({ id }) {
      const entry = entries.get(id);
      if (!entry) return () => undefined;
      entry.uses += 1;
      touch(entries, entry, clock.now());
      let inUse = true;
      return () => {
        if (!inUse) return;
        inUse = false;
        entry.uses -= 1;
        if (entries.get(id) === entry) touch(entries, entry, clock.now());
      };
    },
    end,
    get size() {
      return entries.size;
    },
    async close() {
      closed.abort();
      await Promise.all([...entries.values()].map(({ held }) => end(held)));
    },
  };
}
