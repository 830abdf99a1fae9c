import type { Ask, CallInput, Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { LIST_KEEP_MS, type Operation, type PayloadOf } from '../api/operation.ts';
import type { Clock } from '../lib/clock.ts';
import { hint } from '../lib/hint.ts';
import type { ToolName } from '../lib/tool-name.ts';
import { type Match, matchName, type Named, type NameKind, pathOf } from '../names/match-name.ts';
import type { Loading } from './name-lists.ts';

/** An answer of the platform as a replica got it. */
interface SharedList {
  /** When it was asked for, by the clock. */
  readonly atMs: number;
  readonly answer: unknown;
}

/** The shared answer to one question. */
interface SharedAnswer {
  /** Undefined while no replica has asked. */
  readonly list: SharedList | undefined;
  /** Keeps the answer for all, unless a replica has made them forget since. */
  write(list: SharedList): void;
}

/** Lists of names that the replicas of one principal share, by question. */
export interface SharedLists {
  /** Undefined where the store cannot be reached. */
  look(question: string): Promise<SharedAnswer | undefined>;
  /** Forgets all of them, here and in the caches of other replicas. */
  forget(): void;
  /** Calls `listener` when another replica forgets, until the returned function is called. */
  onForgotten(listener: () => void): () => void;
}

interface Entry {
  atMs: number;
  readonly answer: Promise<unknown>;
}

/** Where lists come from, and who is to know. */
interface ListSources {
  readonly clock: Clock;
  /** The lists of other replicas, once their store is known. */
  readonly sharing: () => SharedLists | undefined;
}

function isYoung(atMs: number, maxAgeMs: number, nowMs: number): boolean {
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
  if (theirs?.list && isYoung(theirs.list.atMs, maxAgeMs, clock.now())) {
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
function createCachedLists({ clock, sharing }: ListSources, onForgotten: () => void) {
  const lists = new Map<string, Entry>();
  let stopListening: (() => void) | undefined;

  /** `load` may ask later for its own entry, which is gone or another one once the lists were forgotten. */
  function remember<T>(key: string, maxAgeMs: number, load: (own: () => Entry | undefined) => Promise<T>): Promise<T> {
    const known = lists.get(key);
    if (known && isYoung(known.atMs, maxAgeMs, clock.now())) return known.answer as Promise<T>; // a key stands for one kind of answer
    const answer = load(() => (lists.get(key)?.answer === answer ? lists.get(key) : undefined));
    lists.set(key, { atMs: clock.now(), answer });
    answer.catch(() => lists.get(key)?.answer === answer && lists.delete(key));
    return answer;
  }

  function forgetOwn(): void {
    lists.clear();
    onForgotten();
  }

  function sharedLists(): SharedLists | undefined {
    const shared = sharing();
    if (shared) stopListening ??= shared.onForgotten(forgetOwn);
    return shared;
  }

  function cached(projectId: number, ask: Ask, maxAgeMs: number): Ask {
    return <T extends Operation>(operation: T, input: CallInput<T>): Promise<PayloadOf<T>> => {
      const shared = sharedLists();
      // The client knows best whether it may give an answer again: it sees the writes of all sessions of the caller.
      if (!shared) return ask(operation, input);
      const key = `${projectId} ${operation.path} ${JSON.stringify(input)}`;
      // As it is now, because its age counts from now on for all.
      return remember(key, maxAgeMs, (own) =>
        askForAll(shared, key, { maxAgeMs, own, ask: () => ask(operation, input, { fresh: true }) }, clock),
      );
    };
  }

  return {
    /** The value that `load` gave for this key at most `maxAgeMs` ago, or gives now; a failure is not kept. */
    remember,
    /** An `ask` whose answer may be `maxAgeMs` old. */
    cached,
    /** Forgets all lists, here and in other replicas. */
    forget: () => {
      forgetOwn();
      sharedLists()?.forget();
    },
    close: () => {
      forgetOwn();
      stopListening?.();
    },
  };
}

/** As long as the client keeps lists, which answers within a process; `docs/operating.md` names it. */
const LIFE_MS = LIST_KEEP_MS;
/** Of what lies in the containers of a large tree. */
const TREE_LIFE_MS = 10 * 60_000;
/** A name that is not found is looked up again when the list is older than this: it may be new. */
const FRESH_MS = 5_000;

/** An object that a name was found for. */
export interface FoundName extends Named {
  /** The part that was searched, where others of the name may lie in the rest. */
  readonly part?: string;
  /** No object has the name; this is the only close one. */
  readonly isGuess?: true;
}

/** A container with the objects in it. */
export interface Within {
  readonly kind: NameKind;
  readonly container: Named;
  readonly objects: readonly Named[];
}

/** Words that people say behind the name of a screen. */
const SCREEN_WORDS = /\s+(screen|page|screens|pages|zones|zoning)$/i;

/** The zones in the only zoning or page group that a text names; undefined where none has that name alone. */
async function zonesIn(
  text: string,
  matchOf: (kind: NameKind, text: string) => Promise<Match>,
  zonesOf: (path: string) => Promise<readonly Named[]>,
): Promise<Within | undefined> {
  for (const each of new Set([text, text.replace(SCREEN_WORDS, '')])) {
    for (const kind of ['zoning', 'page group'] as const) {
      const match = await matchOf(kind, each);
      if (!('found' in match)) continue;
      const { path } = match.found;
      const zones = await zonesOf([...path, '*'].join(' / '));
      const objects = zones.filter((zone) => path.every((step, at) => zone.path[at] === step));
      if (objects.length > 0) return { kind, container: match.found, objects };
    }
  }
  return undefined;
}

/** A list that is read, and the name that it is searched for. */
interface ListSearch extends Partial<Pick<Loading, 'text' | 'wanted' | 'onPart'>> {
  readonly kind: NameKind;
  readonly projectId: number;
  readonly ask: Ask;
}

/**
 * Looks names up in lists that are at most ten seconds old, and never older than a write of the same caller; `sharing` as in `ListSources`.
 */
export function createNames(clock: Clock, sharing: ListSources['sharing'] = () => undefined) {
  const objects = new Map<string, Named>();
  const { remember, cached, forget, close } = createCachedLists({ clock, sharing }, () => objects.clear());

  /** Reads a list, and remembers its objects by id. */
  async function listOf({
    kind,
    projectId,
    ask,
    text = '',
    wanted = kind,
    onPart = () => undefined,
  }: ListSearch): Promise<readonly Named[]> {
    // Only now: the schemas of all that is listed are a large part of a start.
    const { loaders } = await import('./name-lists.ts');
    const load = (other: NameKind) => listOf({ kind: other, projectId, ask, text, wanted, onPart });
    // A tree that takes several calls to walk must last over them; no tool of this server changes it.
    const askKept: Ask = (operation, input) =>
      remember(`tree ${projectId} ${operation.path} ${JSON.stringify(input)}`, TREE_LIFE_MS, () => ask(operation, input));
    const found = await loaders[kind](ask, { load, text, wanted, onPart, askKept });
    // Of an object that lies in several containers the first path, which is the one that a search shows.
    for (const each of found.toReversed()) objects.set(`${projectId} ${kind} ${each.id}`, each);
    return found;
  }

  /** The objects that a name fits, and which part was searched where that was not everything. */
  async function lookUp(kind: NameKind, text: string, projectId: number, ask: Ask) {
    let part: string | undefined;
    const onPart = (words: string) => {
      part = words;
    };
    return { match: await matchName(text, await listOf({ kind, text, projectId, ask, onPart })), part };
  }

  return {
    remember,
    forget,
    close,
    /**
     * The one object that `text` names; throws an `invalid` error that lists the candidates. `mayGuess`: the only close one is taken where
     * none has the name.
     */
    async find(kind: NameKind, text: string, projectId: number, ask: Ask, mayGuess = false): Promise<FoundName> {
      let { match, part } = await lookUp(kind, text, projectId, cached(projectId, ask, LIFE_MS));
      // The part that was not searched comes before objects that may be new.
      if ('closest' in match && part === undefined) {
        const askFresh: Ask = (operation, input) => ask(operation, input, { fresh: true });
        ({ match, part } = await lookUp(kind, text, projectId, cached(projectId, askFresh, FRESH_MS)));
      }
      if ('found' in match) return part === undefined ? match.found : { ...match.found, part };
      if ('closest' in match && part !== undefined) throw new ApiError('invalid', unfinished(kind, text, part));
      if ('closest' in match && mayGuess && match.close) return { ...match.close, isGuess: true };
      const { listingTools } = await import('./name-lists.ts');
      throw new ApiError('invalid', refusedName(kind, text, match, listingTools[kind]));
    },
    /**
     * All objects of a kind; an object that lies in several containers stands in the list several times. Of a tree with hundreds of
     * containers the part that could be listed in a few seconds: `onPart` gets the words for it, and a later call has more.
     */
    list: (kind: NameKind, projectId: number, ask: Ask, onPart?: (words: string) => void) =>
      listOf({ kind, projectId, ask: cached(projectId, ask, LIFE_MS), ...(onPart && { onPart }) }),
    /** The zoning or page group that the text names, and the zones in it; undefined where none has that name alone. */
    zonesWithin(text: string, projectId: number, ask: Ask) {
      const asked = cached(projectId, ask, LIFE_MS);
      const match = async (kind: NameKind, each: string) => (await lookUp(kind, each, projectId, asked)).match;
      return zonesIn(text, match, (path) => listOf({ kind: 'zone', text: path, projectId, ask: asked }));
    },
    /** The object of an id, where a list that was read holds it; nothing is fetched. */
    known: (kind: NameKind, id: number, projectId: number) => objects.get(`${projectId} ${kind} ${id}`),
    /** An `ask` whose answer may be that of another replica, some seconds ago. */
    remembered: (projectId: number, ask: Ask) => cached(projectId, ask, LIFE_MS),
  };
}

/** The names of what a caller reaches. */
export type Names = ReturnType<typeof createNames>;

/** Why a name is not found yet. */
function unfinished(kind: NameKind, text: string, part: string): string {
  return (
    `no ${kind} "${text.slice(0, 100)}" is among ${part}, which is what one call can list. The others are being listed: call again in ` +
    'half a minute, or pass the id or a path that begins with the page group.'
  );
}

/** Most candidates that an error lists. */
const MAX_LISTED = 12;

/** The first of these objects with their ids, and how many there are more. */
export function listedNames(objects: readonly Named[], most: number): string {
  const listed = objects.slice(0, most).map((object) => `${object.id} "${pathOf(object)}"`);
  return `${listed.join(', ')}${objects.length > most ? ` and ${objects.length - most} more` : ''}`;
}

/** Why a name is refused: it fits several objects, or none; then the closest are listed, however far they are. */
function refusedName(kind: NameKind | 'project', text: string, match: Exclude<Match, { found: Named }>, listedBy: ToolName): string {
  const shown = `"${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`;
  if ('several' in match) {
    const way = kind === 'zone' ? 'id or a longer path' : 'id or the exact name';
    return `${shown} fits ${match.several.length} ${kind}s: ${listedNames(match.several, MAX_LISTED)}. Pass the ${way}.`;
  }
  if (match.closest.length === 0) return `there is no ${kind} ${shown}, nor any other ${kind}.`;
  const closest = `Closest: ${listedNames(match.closest, MAX_LISTED)}.`;
  if (match.isNear) return `there is no ${kind} ${shown}. ${closest} Pass the id or the exact name.`;
  return `there is no ${kind} ${shown}, nor one that resembles it. ${closest}${hint(listedBy, ` ${listedBy} lists all.`)}`;
}

/** The id that a text is; undefined for a name. */
export function idIn(text: string, path: string): number | undefined {
  if (!/^[+-]?\d+(\.\d+)?$/.test(text)) return undefined;
  const id = Number(text);
  if (Number.isSafeInteger(id) && id > 0) return id;
  throw new ApiError('invalid', `${path}: ${text} cannot be an id; expected a whole number above 0, or a name.`);
}

interface Choosing {
  /** Takes the only close name and says so; left out where something is written. */
  readonly note?: ((sentence: string) => void) | undefined;
  readonly client: Client;
  readonly signal: AbortSignal;
}

/** That the only close name was taken for one that nothing has. */
export function guessWords(kind: NameKind | 'project', text: string, { id, path }: Named): string {
  return `There is no ${kind} "${text.slice(0, 100)}": "${path.join(' / ')}" (${id}), the only close name, is taken.`;
}

/** The id of the project that an argument names by id or by name, among those of the credential; undefined where none is named. */
export async function chosenProject(text: string | undefined, { client, signal, note }: Choosing): Promise<number | undefined> {
  const given = text === undefined ? undefined : idIn(text, 'projectId');
  if (text === undefined || given !== undefined) return given;
  const matchAmong = async (renew: boolean) => {
    const { projects } = await client.credential({ signal, renew });
    return matchName(
      text,
      projects.map(({ id, name }) => ({ id, path: [name] })),
    );
  };
  let match = await matchAmong(false);
  // A project may be newer than what the session has read.
  if ('closest' in match) match = await matchAmong(true);
  if ('closest' in match && match.close && note) {
    note(guessWords('project', text, match.close));
    return match.close.id;
  }
  if (!('found' in match)) throw new ApiError('invalid', `projectId: ${refusedName('project', text, match, 'get_credential')}`);
  return match.found.id;
}
