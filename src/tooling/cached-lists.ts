import type { Ask, CallInput } from '../api/client.ts';
import type { Operation, PayloadOf } from '../api/operation.ts';
import type { Clock } from '../lib/clock.ts';
import type { SharedLists } from './shared-state.ts';

interface Entry {
  atMs: number;
  readonly answer: Promise<unknown>;
}

/** Where lists come from, and who is to know. */
export interface ListSources {
  readonly clock: Clock;
  /** The lists of other replicas, once their store is known. */
  readonly sharing: () => SharedLists | undefined;
  /** Called with whether a list was looked up a moment ago, so that it is not asked for again. */
  readonly onLookup: (hit: boolean) => void;
}

/** Lists of names, each asked for once in a while. */
export interface CachedLists {
  /** The value that `load` gave for this key at most `maxAgeMs` ago, or gives now; a failure is not kept. */
  remember<T>(key: string, maxAgeMs: number, load: () => Promise<T>): Promise<T>;
  /** An `ask` whose answer may be `maxAgeMs` old. */
  cached(projectId: number, ask: Ask, maxAgeMs: number): Ask;
  /** Forgets all lists, here and in other replicas. */
  forget(): void;
  close(): void;
}

function isYoung({ atMs }: { readonly atMs: number }, maxAgeMs: number, nowMs: number): boolean {
  const ageMs = nowMs - atMs;
  return ageMs >= 0 && ageMs < maxAgeMs;
}

/** The answer that another replica got, or gets now for all. */
async function askForAll<T>(
  shared: SharedLists,
  key: string,
  { maxAgeMs, own, ask }: { maxAgeMs: number; own: () => Entry | undefined; ask: () => Promise<T> },
  clock: Clock,
): Promise<T> {
  const theirs = await shared.look(key);
  if (theirs?.list && isYoung(theirs.list, maxAgeMs, clock.now())) {
    const entry = own();
    if (entry) entry.atMs = theirs.list.atMs;
    return theirs.list.answer as T; // a key stands for one kind of answer; the replica that asked has checked it
  }
  const atMs = clock.now();
  const answer = await ask();
  if (own()) theirs?.write({ atMs, answer });
  return answer;
}

/** Lists come from the client, which keeps them for the sessions of a caller together, or from other replicas. */
export function createCachedLists({ clock, sharing, onLookup }: ListSources, onForgotten: () => void): CachedLists {
  const lists = new Map<string, Entry>();
  /** When a list was last asked for, ms since 1970, by question. */
  const askedAt = new Map<string, number>();
  let stopListening: (() => void) | undefined;

  /** `load` may ask later for its own entry, which is gone or another one once the lists were forgotten. */
  function remember<T>(key: string, maxAgeMs: number, load: (own: () => Entry | undefined) => Promise<T>): Promise<T> {
    const known = lists.get(key);
    const hit = known !== undefined && isYoung(known, maxAgeMs, clock.now());
    onLookup(hit);
    if (hit) return known.answer as Promise<T>; // a key stands for one kind of answer
    const answer = load(() => (lists.get(key)?.answer === answer ? lists.get(key) : undefined));
    lists.set(key, { atMs: clock.now(), answer });
    answer.catch(() => lists.get(key)?.answer === answer && lists.delete(key));
    return answer;
  }

  function forgetOwn(): void {
    lists.clear();
    askedAt.clear();
    onForgotten();
  }

  function sharedLists(): SharedLists | undefined {
    const shared = sharing();
    if (shared) stopListening ??= shared.onForgotten(forgetOwn);
    return shared;
  }

  /** The client knows best whether it may give an answer again: it sees the writes of all sessions of the caller. */
  function askHere<T>(key: string, maxAgeMs: number, ask: () => Promise<T>): Promise<T> {
    const askedAtMs = askedAt.get(key);
    const hit = askedAtMs !== undefined && isYoung({ atMs: askedAtMs }, maxAgeMs, clock.now());
    onLookup(hit);
    if (!hit) askedAt.set(key, clock.now());
    return ask();
  }

  function cached(projectId: number, ask: Ask, maxAgeMs: number): Ask {
    return <T extends Operation>(operation: T, input: CallInput<T>): Promise<PayloadOf<T>> => {
      const key = `${projectId} ${operation.path} ${JSON.stringify(input)}`;
      const shared = sharedLists();
      if (!shared) return askHere(key, maxAgeMs, () => ask(operation, input));
      // As it is now, because its age counts from now on for all.
      return remember(key, maxAgeMs, (own) =>
        askForAll(shared, key, { maxAgeMs, own, ask: () => ask(operation, input, { fresh: true }) }, clock),
      );
    };
  }

  return {
    remember,
    cached,
    forget() {
      forgetOwn();
      sharedLists()?.forget();
    },
    close() {
      forgetOwn();
      stopListening?.();
    },
  };
}
