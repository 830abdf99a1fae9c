import type { Ask, CallInput, Client } from '../api/client.ts';
import { ApiError } from '../api/errors.ts';
import { LIST_KEEP_MS, type Operation, type PayloadOf } from '../api/operation.ts';
import { type Match, matchName, type Named, type NameKind, pathOf } from '../domain/names/match-name.ts';
import type { Clock } from '../lib/clock.ts';
import { hint } from '../lib/hint.ts';
import type { ToolName } from '../lib/tool-name.ts';
import type { Loading } from './name-lists.ts';
import type { SharedLists } from './shared-state.ts';

interface Entry {
  atMs: number;
  readonly answer: Promise<unknown>;
}

/** Where lists come from, and who is to know. */
interface ListSources {
  readonly clock: Clock;
  /** The lists of other replicas, once their store is known. */
  readonly sharing: () => SharedLists | undefined;
  /** Called with whether a list was looked up a moment ago, so that it is not asked for again. */
  readonly onLookup: (hit: boolean) => void;
}

/** Lists of names, each asked for once in a while. */
interface CachedLists {
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
function createCachedLists({ clock, sharing, onLookup }: ListSources, onForgotten: () => void): CachedLists {
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

/** As long as the client keeps lists, which answers within a process; `docs/operating.md` names it. */
const LIFE_MS = LIST_KEEP_MS;
/** Of what lies in the containers of a large tree. */
const TREE_LIFE_MS = 10 * 60_000;
/** A name that is not found is looked up again when the list is older than this: it may be new. */
const FRESH_MS = 5_000;

/** Looks names up in lists that are at most ten seconds old, and never older than a write of the same caller. */
export interface Names {
  /**
   * The one object that `text` names; throws an `invalid` error that lists the candidates. `mayGuess`: the only close one is taken where
   * none has the name.
   */
  find(kind: NameKind, text: string, projectId: number, ask: Ask, mayGuess?: boolean): Promise<FoundName>;
  /**
   * All objects of a kind; an object that lies in several containers stands in the list several times. Of a tree with hundreds of
   * containers the part that could be listed in a few seconds: `onPart` gets the words for it, and a later call has more.
   */
  list(kind: NameKind, projectId: number, ask: Ask, onPart?: (words: string) => void): Promise<readonly Named[]>;
  /** The zoning or page group that the text names, and the zones in it; undefined where none has that name alone. */
  zonesWithin(text: string, projectId: number, ask: Ask): Promise<ZonesWithin | undefined>;
  /** The object of an id, where a list that was read holds it; nothing is fetched. */
  known(kind: NameKind, id: number, projectId: number): Named | undefined;
  /** The value that `load` gave for this key at most `maxAgeMs` ago, or gives now; a failure is not kept. */
  remember<T>(key: string, maxAgeMs: number, load: () => Promise<T>): Promise<T>;
  /** An `ask` whose answer may be that of another replica, some seconds ago. */
  remembered(projectId: number, ask: Ask): Ask;
  /** Forgets all lists, after a write that changes one. */
  forget(): void;
  /** Forgets what this process has cached, when the session ends. */
  close(): void;
}

/** An object that a name was found for. */
export interface FoundName extends Named {
  /** The part that was searched, where others of the name may lie in the rest. */
  readonly part?: string;
  /** No object has the name; this is the only close one. */
  readonly isGuess?: true;
}

/** A container of zones with what it holds. */
interface ZonesWithin {
  readonly kind: NameKind;
  readonly container: Named;
  readonly objects: readonly Named[];
}

/** Words that people say behind the name of a screen. */
const SCREEN_WORDS = /\s+(screen|page|screens|pages|zones|zoning)$/i;

/** A list that is searched for a name. */
interface ListSearch extends Pick<Loading, 'wanted' | 'onPart'> {
  readonly kind: NameKind;
  readonly text: string;
  readonly projectId: number;
  readonly ask: Ask;
}

/** Reads a list, and remembers its objects by id. */
async function loadList(search: ListSearch, lists: CachedLists, objects: Map<string, Named>): Promise<readonly Named[]> {
  const { kind, text, projectId, ask, wanted, onPart } = search;
  // Only now: the schemas of all that is listed are a large part of a start.
  const { loaders } = await import('./name-lists.ts');
  const load = (other: NameKind) => loadList({ ...search, kind: other }, lists, objects);
  // A tree that takes several calls to walk must last over them; no tool of this server changes it.
  const askKept: Ask = (operation, input) =>
    lists.remember(`tree ${projectId} ${operation.path} ${JSON.stringify(input)}`, TREE_LIFE_MS, () => ask(operation, input));
  const found = await loaders[kind](ask, { load, text, wanted, onPart, askKept });
  // Of an object that lies in several containers the first path, which is the one that a search shows.
  for (const each of found.toReversed()) objects.set(`${projectId} ${kind} ${each.id}`, each);
  return found;
}

/** Looks names up in cached lists; `sharing` and `onLookup` as in `ListSources`. */
export function createNames(
  clock: Clock,
  sharing: ListSources['sharing'] = () => undefined,
  onLookup: ListSources['onLookup'] = () => undefined,
): Names {
  const objects = new Map<string, Named>();
  const lists = createCachedLists({ clock, sharing, onLookup }, () => objects.clear());
  const cached: CachedLists['cached'] = (...asked) => lists.cached(...asked);
  const listOf = (search: ListSearch) => loadList(search, lists, objects);

  /** The objects that a name fits, and which part was searched where that was not everything. */
  async function lookUp(kind: NameKind, text: string, projectId: number, ask: Ask): Promise<{ match: Match; part: string | undefined }> {
    let part: string | undefined;
    const onPart = (words: string) => {
      part = words;
    };
    return { match: await matchName(text, await listOf({ kind, text, projectId, ask, wanted: kind, onPart })), part };
  }

  return {
    async find(kind, text, projectId, ask, mayGuess = false) {
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
    list: (kind, projectId, ask, onPart = () => undefined) =>
      listOf({ kind, text: '', projectId, ask: cached(projectId, ask, LIFE_MS), wanted: kind, onPart }),
    async zonesWithin(text, projectId, ask) {
      const asked = cached(projectId, ask, LIFE_MS);
      const texts = [...new Set([text, text.replace(SCREEN_WORDS, '')])];
      for (const each of texts) {
        for (const kind of ['zoning', 'page group'] as const) {
          const { match } = await lookUp(kind, each, projectId, asked);
          if (!('found' in match)) continue;
          const { path } = match.found;
          const all = [...path, '*'].join(' / ');
          const zones = await listOf({ kind: 'zone', text: all, projectId, ask: asked, wanted: 'zone', onPart: () => undefined });
          const held = zones.filter((zone) => path.every((step, at) => zone.path[at] === step));
          if (held.length > 0) return { kind, container: match.found, objects: held };
        }
      }
      return undefined;
    },
    known: (kind, id, projectId) => objects.get(`${projectId} ${kind} ${id}`),
    remember: (...asked) => lists.remember(...asked),
    remembered: (projectId, ask) => cached(projectId, ask, LIFE_MS),
    forget: () => lists.forget(),
    close: () => lists.close(),
  };
}

/** Why a name is not found yet. */
function unfinished(kind: NameKind, text: string, part: string): string {
  return (
    `no ${kind} "${text.slice(0, 100)}" is among ${part}, which is what one call can list. The others are being listed: call again in ` +
    'half a minute, or pass the id or a path that begins with the page group.'
  );
}

/** Most candidates that an error lists. */
const MAX_LISTED = 12;

/** Why a name is refused: it fits several objects, or none; then the closest are listed, however far they are. */
function refusedName(kind: NameKind | 'project', text: string, match: Exclude<Match, { found: Named }>, listedBy: ToolName): string {
  const listed = (objects: readonly Named[]) =>
    objects
      .slice(0, MAX_LISTED)
      .map((object) => `${object.id} "${pathOf(object)}"`)
      .join(', ');
  const shown = `"${text.length > 100 ? `${text.slice(0, 100)}…` : text}"`;
  if ('several' in match) {
    const more = match.several.length > MAX_LISTED ? ` and ${match.several.length - MAX_LISTED} more` : '';
    return (
      `${shown} fits ${match.several.length} ${kind}s: ${listed(match.several)}${more}. Pass the ` +
      `${kind === 'zone' ? 'id or a longer path' : 'id or the exact name'}.`
    );
  }
  if (match.closest.length === 0) return `there is no ${kind} ${shown}, nor any other ${kind}.`;
  const closest = `Closest: ${listed(match.closest)}.`;
  if (match.isNear) return `there is no ${kind} ${shown}. ${closest} Pass the id or the exact name.`;
  return `there is no ${kind} ${shown}, nor one that resembles it. ${closest}${hint(listedBy, ` ${listedBy} lists all.`)}`;
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

async function projects({ client, signal }: Choosing, renew: boolean): Promise<Named[]> {
  const granted = await client.credential({ signal, renew });
  return granted.projects.map(({ id, name }) => ({ id, path: [name] }));
}

/** The id of the project that an argument names by id or by name, among those of the credential; undefined where none is named. */
export async function chosenProject(text: string | undefined, choosing: Choosing): Promise<number | undefined> {
  if (text === undefined) return undefined;
  if (/^[+-]?\d+(\.\d+)?$/.test(text)) {
    const id = Number(text);
    if (Number.isSafeInteger(id) && id > 0) return id;
    throw new ApiError('invalid', `projectId: ${text} cannot be an id; expected a whole number above 0, or a name.`);
  }
  let match = await matchName(text, await projects(choosing, false));
  // A project may be newer than what the session has read.
  if ('closest' in match) match = await matchName(text, await projects(choosing, true));
  if ('closest' in match && match.close && choosing.note) {
    choosing.note(guessWords('project', text, match.close));
    return match.close.id;
  }
  if (!('found' in match)) throw new ApiError('invalid', `projectId: ${refusedName('project', text, match, 'get_credential')}`);
  return match.found.id;
}
