import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { type Clock, systemClock } from '../lib/clock.ts';
import { abortable, type Limits } from './deadline.ts';

/** An answer that is kept. */
interface Kept {
  readonly answer: unknown;
  /** That of its read. */
  readonly order: number;
  readonly keepMs: number;
  /** When the read began, by the clock, and after how many writes of the owner. */
  readonly sinceMs: number;
  readonly writes: number;
}

/** Answers kept for all owners together, bounded by the bytes that they take; what is kept for a time only gives its room back then. */
type KeptAnswers = LRUCache<string, Kept>;

/** How much is kept by default, in bytes. */
const DEFAULT_MAX_BYTES = 64 * 1_048_576;

/** A read that several callers may want at the same time. */
export interface SharedRead<T> {
  /** Names the question: project, operation, input. */
  readonly key: string;
  /** How long the answer may be given again, in ms from the beginning of the read: 0 not at all, infinite where it never changes. */
  readonly keepMs: number;
  /** How old an answer may be that was kept for longer; left out: as old as it is kept. */
  readonly maxAgeMs?: number | undefined;
  /** True where nothing older than this call will do. */
  readonly fresh?: boolean | undefined;
  /** True where the answer is not kept, unless it is already. */
  readonly passing?: boolean | undefined;
  /** Of the reads that `begun` counts, those up to this one are too old, unless the answer never changes. */
  readonly newerThan?: number | undefined;
  /**
   * The key of the page before this one: a page that was read before that one was read last is not given, because a new row has
   * moved others from the one to the other.
   */
  readonly after?: string | undefined;
  /** Hears when the read of an answer that may change began, ms since 1970, where it was kept. */
  readonly onKept?: ((sinceMs: number) => void) | undefined;
  /** Of this caller. */
  readonly limits: Limits;
  /** Asks the platform; its limits are those of all callers that wait for it together. */
  readonly read: (limits: Limits) => Promise<T>;
}

interface Flight {
  readonly answer: Promise<unknown>;
  /** Of all reads of the process, in the order in which they began. */
  readonly order: number;
  readonly callers: Set<Limits>;
  readonly ending: AbortController;
  ended: boolean;
}

/** All sessions of one principal and credential. */
interface Owner {
  /** Its keys in the store begin with it. */
  readonly prefix: string;
  sessions: number;
  /** Raised when what is on its way must not be kept any more. */
  generation: number;
  /** Counts the writes: what was read before the last one and may change is not given again. */
  writes: number;
  readonly flights: Map<string, Flight>;
}

/**
 * Room that a value takes in memory, estimated from above, in bytes; names of members are shared by all objects of a shape. It is
 * frozen on the way, because several callers get the same one.
 */
function freezeAndMeasure(value: unknown): number {
  if (typeof value === 'string') return 24 + 2 * value.length;
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return 8;
  let bytes = 64;
  for (const member of Object.values(value)) bytes += 8 + freezeAndMeasure(member);
  Object.freeze(value);
  return bytes;
}

/** The limits of a read for all who wait for it: it lasts as long as the most patient of them, and they learn what it waits for. */
function limitsOf(callers: ReadonlySet<Limits>, { signal }: AbortController): Limits {
  let waitsFor: Limits['waitsFor'] = 'answer';
  let queueMs: Limits['queueMs'];
  return {
    signal,
    get deadlineMs() {
      return Math.max(...Array.from(callers, ({ deadlineMs }) => deadlineMs));
    },
    get endsCall() {
      return Array.from(callers).every(({ endsCall }) => endsCall);
    },
    get waitsFor() {
      return waitsFor;
    },
    set waitsFor(next) {
      waitsFor = next;
      for (const caller of callers) caller.waitsFor = next;
    },
    get queueMs() {
      return queueMs;
    },
    set queueMs(next) {
      queueMs = next;
      for (const caller of callers) caller.queueMs = next;
    },
  };
}

/** The parts that the reads of an owner go through. */
interface ReadParts {
  readonly owner: Owner;
  readonly kept: KeptAnswers;
  readonly clock: Clock;
  /** Numbers the reads of the process in the order in which they begin. */
  readonly nextOrder: () => number;
}

function isFresh({ keepMs, sinceMs, writes }: Kept, { owner, clock }: ReadParts, maxAgeMs = keepMs): boolean {
  if (keepMs === Number.POSITIVE_INFINITY) return true;
  const ageMs = clock.now() - sinceMs;
  return writes === owner.writes && ageMs >= 0 && ageMs < Math.min(keepMs, maxAgeMs);
}

/** When the page before was read last, as far as that is known. */
function orderBefore(after: string, { owner, kept }: ReadParts): number | undefined {
  return owner.flights.get(after)?.order ?? kept.peek(owner.prefix + after)?.order;
}

/** A kept answer that is good enough for a read. */
function knownAnswer({ key, keepMs, maxAgeMs, fresh, newerThan = 0, after }: SharedRead<unknown>, parts: ReadParts): Kept | undefined {
  const { kept, owner } = parts;
  const known = keepMs > 0 && !fresh ? kept.get(owner.prefix + key) : undefined;
  if (!known || (known.keepMs !== Number.POSITIVE_INFINITY && known.order <= newerThan)) return undefined;
  if (isFresh(known, parts, maxAgeMs))
    return after === undefined || known.order > (orderBefore(after, parts) ?? Number.POSITIVE_INFINITY) ? known : undefined;
  kept.delete(owner.prefix + key);
  return undefined;
}

/** An identical read that is on its way and began late enough. */
function runningRead({ key, keepMs, fresh, newerThan = 0, after }: SharedRead<unknown>, parts: ReadParts): Flight | undefined {
  const flight = fresh ? undefined : parts.owner.flights.get(key);
  if (!flight || (keepMs !== Number.POSITIVE_INFINITY && flight.order <= newerThan)) return undefined;
  const before = after === undefined ? undefined : orderBefore(after, parts);
  return before === undefined || flight.order > before ? flight : undefined;
}

/** Begins a read that others may join; its answer is kept unless a later one is, or the owner has forgotten by then. */
function beginRead<T>({ key, keepMs, passing, limits, read }: SharedRead<T>, { owner, kept, clock, nextOrder }: ReadParts): Flight {
  const { flights, generation, writes } = owner;
  const sinceMs = clock.now();
  const order = nextOrder();
  const callers = new Set([limits]);
  const ending = new AbortController();
  const place = owner.prefix + key;
  const isKept = keepMs > 0 && !passing;
  function mayKeep(): boolean {
    const latest = kept.peek(place)?.order;
    return isKept && owner.generation === generation && (latest === undefined || order > latest) && !ending.signal.aborted;
  }
  async function ask(): Promise<T> {
    try {
      const answer = await read(limitsOf(callers, ending));
      const size = isKept || callers.size > 1 ? freezeAndMeasure(answer) : 0;
      // A lasting answer has no time to live, which the cache writes as 0.
      const ttl = Number.isFinite(keepMs) ? keepMs : 0;
      if (mayKeep()) kept.set(place, { answer, order, keepMs, sinceMs, writes }, { size, ttl, start: sinceMs });
      return answer;
    } finally {
      flight.ended = true;
      if (flights.get(key) === flight) flights.delete(key);
    }
  }
  const flight: Flight = { answer: Promise.resolve().then(ask), order, callers, ending, ended: false };
  flights.set(key, flight);
  return flight;
}

/** Waits for a read no longer; the last who does ends it. */
function leaveRead(key: string, { callers, ending, ended }: Flight, limits: Limits, { owner }: ReadParts): void {
  callers.delete(limits);
  if (callers.size > 0 || ended) return;
  if (owner.flights.get(key)?.ending === ending) owner.flights.delete(key);
  ending.abort(limits.signal.reason);
}

async function answerOf<T>(read: SharedRead<T>, parts: ReadParts): Promise<T> {
  const { key, limits } = read;
  const known = knownAnswer(read, parts);
  if (known && known.keepMs !== Number.POSITIVE_INFINITY) read.onKept?.(known.sinceMs);
  if (known) return known.answer as T; // a key stands for one kind of answer
  const flight = runningRead(read, parts) ?? beginRead(read, parts);
  flight.callers.add(limits);
  try {
    return (await abortable(flight.answer, limits.signal)) as T; // as above
  } finally {
    leaveRead(key, flight, limits, parts);
  }
}

function forgetAll({ owner, kept }: ReadParts): void {
  owner.generation += 1;
  owner.flights.clear();
  for (const key of kept.keys()) if (key.startsWith(owner.prefix)) kept.delete(key);
}

interface ReadCacheOptions {
  readonly maxBytes?: number;
  /** Decides when answers that may change are too old. */
  readonly clock?: Clock;
}

/** Makes the cache of a process; `maxBytes` bounds what is kept for all owners together, 0 keeps nothing. */
export function createReadCache({ maxBytes = DEFAULT_MAX_BYTES, clock = systemClock }: ReadCacheOptions = {}) {
  // Nothing fits into one byte.
  const kept: KeptAnswers = new LRUCache({ maxSize: Math.max(1, maxBytes), ttlAutopurge: true, ttlResolution: 0, perf: clock });
  const owners = new Map<string, Owner>();
  let begun = 0;
  const nextOrder = () => (begun += 1);

  return {
    /** Room that is taken by all that is kept, estimated. */
    bytes: () => kept.calculatedSize,
    /** `identity` is everything that decides what may be read: authentication server, caller, credential with its secret. */
    open(identity: readonly (string | undefined)[]) {
      const name = createHash('sha256').update(JSON.stringify(identity)).digest('base64url');
      const owner: Owner = owners.get(name) ?? { prefix: `${name} `, sessions: 0, generation: 0, writes: 0, flights: new Map() };
      owners.set(name, owner);
      owner.sessions += 1;
      const parts: ReadParts = { owner, kept, clock, nextOrder };
      let open = true;
      return {
        /** A kept answer, or that of one request which all callers share; it ends when the last of them leaves. */
        get: <T>(read: SharedRead<T>) => answerOf(read, parts),
        /** How many reads have begun. */
        begun: () => begun,
        /** Reads that begin from now on join none that is on its way, and get nothing old that may change: a write lies between them. */
        separate() {
          owner.writes += 1;
          owner.flights.clear();
        },
        /** Forgets what is kept for this owner, and keeps nothing that is on its way. */
        forget: () => forgetAll(parts),
        /** Ends the part of one session; with the last one everything of the owner is forgotten. */
        close() {
          if (!open) return;
          open = false;
          owner.sessions -= 1;
          if (owner.sessions > 0) return;
          owners.delete(name);
          forgetAll(parts);
        },
      };
    },
  };
}

/** Answers of the platform that are kept, and reads on their way, apart by owner; one per process. */
export type ReadCache = ReturnType<typeof createReadCache>;
