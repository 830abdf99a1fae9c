import { createHash } from 'node:crypto';
import type { KeyvStoreAdapter } from 'keyv';
import type { Clock } from '../lib/clock.ts';
import { quote, type Redactor } from '../lib/redact.ts';
import { abortable, isOutOfTime } from './deadline.ts';
import { ApiError } from './errors.ts';
import type { Scope } from './operation.ts';

/** A client id and its secret. */
export interface Credential {
  readonly clientId: string;
  readonly clientSecret: string;
}

/** The key of a token: the request that brings it. */
export interface TokenRequest {
  readonly credential: Credential;
  /** Only where a project was chosen: by the call or by the settings. */
  readonly projectId: number | undefined;
  /** Sorted, without repeats. */
  readonly scopes: readonly string[];
}

/** A token as the authentication server gave it; the base address of every call that carries it is its `endpoint`. */
export interface Token {
  readonly accessToken: string;
  readonly endpoint: string;
  readonly scopes: readonly string[];
  /** By the clock, when it was asked for. */
  readonly obtainedAtMs: number;
  readonly expiresAtMs: number;
  readonly projectId?: number | undefined;
}

/** A token as the replicas share it. */
interface SharedToken {
  /** The latest that a replica has kept. */
  readonly token: Token | undefined;
  /** Whether a replica has dropped this one. */
  isDropped(token: Token): boolean;
}

/** Tokens that the replicas of one principal share, by place; without its store every replica goes on alone. */
export interface SharedTokens {
  /** The shared token of a place; undefined where the store cannot be reached. */
  read(place: string): Promise<SharedToken | undefined>;
  /** Keeps a token for `lifeMs`, unless it has been dropped. */
  write(place: string, token: Token, lifeMs: number): Promise<void>;
  /** Forgets this token and keeps it from coming back for `lifeMs`; what is read later does not hold it. */
  drop(place: string, token: Token, lifeMs: number): void;
  /** Runs `run` in one replica at a time, while the others wait for what `find` finds. */
  singleFlight(place: string, task: { find: () => Promise<Token | undefined>; run: () => Promise<Token> }): Promise<Token>;
}

/** A token is not used in its last minute, or last tenth where its life is shorter. */
const MARGIN_MS = 60_000;
const MARGIN_SHARE = 0.1;
/** Below this share of life a new token is fetched in the background. */
const REFRESH_SHARE = 0.2;
/** After a failed refresh the next waits this long. */
const REFRESH_PAUSE_MS = 15_000;
const MAX_TOKENS = 64;

function marginOf(lifeMs: number): number {
  return Math.min(MARGIN_MS, lifeMs * MARGIN_SHARE);
}

/** How long the token may still be used; not positive when it is over, or when the clock was set back so far that its age is unknown. */
function usableMs({ obtainedAtMs, expiresAtMs }: Token, nowMs: number): number {
  const margin = marginOf(expiresAtMs - obtainedAtMs);
  return nowMs < obtainedAtMs - margin ? 0 : expiresAtMs - margin - nowMs;
}

function needsRefresh({ obtainedAtMs, expiresAtMs }: Token, nowMs: number): boolean {
  return expiresAtMs - nowMs < (expiresAtMs - obtainedAtMs) * REFRESH_SHARE;
}

/** The token, unless it needs a refresh. */
function lasting(token: Token | undefined, nowMs: number): Token | undefined {
  return token && !needsRefresh(token, nowMs) ? token : undefined;
}

/** The place of a token; a digest, because the place may be readable where the value is not. */
function keyOf({ credential, projectId, scopes }: TokenRequest): string {
  const parts = [credential.clientId, credential.clientSecret, projectId ?? '', [...scopes].toSorted().join(' ')];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

/** One Keyv over one bounded map for each session: clearing it touches no other session's tokens. */
async function openStore() {
  const [{ Keyv }, { LRUCache }] = await Promise.all([import('keyv'), import('lru-cache')]);
  const entries = new LRUCache<string, string>({ max: MAX_TOKENS });
  const adapter: Omit<KeyvStoreAdapter, 'get'> & { get(key: string): Promise<string | undefined> } = {
    opts: {},
    on: () => adapter,
    get: async (key) => entries.get(key),
    set: async (key, value: string) => entries.set(key, value) !== undefined,
    delete: async (key) => entries.delete(key),
    clear: async () => entries.clear(),
  };
  return new Keyv<Token>({ store: adapter });
}

/** Answers the running promise of this key, or starts one. */
export function singleFlight<T>(running: Map<string, Promise<T>>, key: string, start: () => Promise<T>): Promise<T> {
  const known = running.get(key);
  if (known) return known;
  const promise = start().finally(() => {
    if (running.get(key) === promise) running.delete(key);
  });
  running.set(key, promise);
  return promise;
}

interface TokenCacheOptions {
  readonly clock: Clock;
  readonly fetchToken: (request: TokenRequest, signal: AbortSignal) => Promise<Token>;
  /** Left out where the tokens stay in this process. */
  readonly replicas?: SharedTokens | undefined;
  /** Called with each access token of another replica, before it is used. */
  readonly onAdopted?: (accessToken: string) => void;
}

function createTokenStore({ clock, replicas, onAdopted }: Omit<TokenCacheOptions, 'fetchToken'>, session: AbortSignal) {
  const dropped = new Map<string, string>();
  let opened: ReturnType<typeof openStore> | undefined;
  const store = () => (opened ??= openStore());
  const isDropped = (key: string, token: Token) => token.accessToken === dropped.get(key);

  /** Keyv reads a ttl of 0 as "forever": an expired token goes to the calls that wait for it and is not kept. */
  async function keepHere(key: string, token: Token): Promise<number> {
    const lifeMs = usableMs(token, clock.now());
    if (lifeMs > 0 && !session.aborted) await (await store()).set(key, token, Math.ceil(lifeMs));
    return lifeMs;
  }

  function dropForAll(key: string, token: Token): void {
    replicas?.drop(key, token, Math.max(token.expiresAtMs - clock.now(), MARGIN_MS));
  }

  return {
    /** The token of this process or of another replica that may be used the longest; each learns of the other's. */
    async find(key: string) {
      const own = await (await store()).get(key);
      const theirs = await replicas?.read(key);
      const known = [theirs?.token, own].filter((token) => token !== undefined);
      const nowMs = clock.now();
      const usable = known.filter((token) => usableMs(token, nowMs) > 0 && !isDropped(key, token) && !theirs?.isDropped(token));
      const [best] = usable.toSorted((a, b) => b.expiresAtMs - a.expiresAtMs);
      // It was dropped while the store could not be reached.
      if (theirs?.token && isDropped(key, theirs.token)) dropForAll(key, theirs.token);
      if (best && best.accessToken !== own?.accessToken) {
        onAdopted?.(best.accessToken);
        await keepHere(key, best);
      }
      if (best && theirs && best.accessToken !== theirs.token?.accessToken) await replicas?.write(key, best, usableMs(best, nowMs));
      return best;
    },
    async keep(key: string, token: Token) {
      const lifeMs = await keepHere(key, token);
      if (lifeMs > 0) await replicas?.write(key, token, lifeMs);
    },
    drop(key: string, token: Token) {
      dropped.set(key, token.accessToken);
      dropForAll(key, token);
    },
    isDropped,
    close() {
      dropped.clear();
      opened?.then((keyv) => keyv.clear()).catch(() => undefined);
      opened = undefined;
    },
  };
}

/** Makes the token cache of one session; `fetchToken` asks the authentication server and ends with the session's signal. */
export function createTokenCache({ fetchToken, ...options }: TokenCacheOptions) {
  const { clock, replicas } = options;
  const session = new AbortController();
  const store = createTokenStore(options, session.signal);
  const lookups = new Map<string, Promise<{ token: Token; fromCache: boolean }>>();
  const fetches = new Map<string, Promise<Token>>();
  const refreshPaused = new Map<string, number>();

  async function fetchAndKeep(key: string, request: TokenRequest): Promise<Token> {
    const token = await fetchToken(request, session.signal);
    await store.keep(key, token);
    return token;
  }

  /** A token that can do without a refresh; fetched by whichever replica comes first. */
  function fetchForAll(key: string, request: TokenRequest): Promise<Token> {
    const task = { find: async () => lasting(await store.find(key), clock.now()), run: () => fetchAndKeep(key, request) };
    return replicas ? replicas.singleFlight(key, task) : task.run();
  }

  const fetchOnce = (key: string, request: TokenRequest) => singleFlight(fetches, key, () => fetchForAll(key, request));

  function refreshAhead(key: string, request: TokenRequest): void {
    const nowMs = clock.now();
    const failedAtMs = refreshPaused.get(key);
    if (failedAtMs !== undefined && Math.abs(nowMs - failedAtMs) < REFRESH_PAUSE_MS) return;
    // The kept token is still good; a call that needs a new one later gets the failure then.
    fetchOnce(key, request).then(
      () => refreshPaused.delete(key),
      () => refreshPaused.set(key, nowMs),
    );
  }

  async function lookUp(key: string, request: TokenRequest) {
    const token = await store.find(key);
    if (!token) return { token: await fetchOnce(key, request), fromCache: false };
    if (needsRefresh(token, clock.now())) refreshAhead(key, request);
    return { token, fromCache: true };
  }

  /** A token with life left: kept, or fetched by one request that all callers share. An abort ends the caller's wait, not that request. */
  async function get(request: TokenRequest, signal: AbortSignal): Promise<{ token: Token; fromCache: boolean }> {
    session.signal.throwIfAborted();
    const key = keyOf(request);
    const joined = lookups.has(key) || fetches.has(key);
    const looking = singleFlight(lookups, key, () => lookUp(key, request));
    const found = await abortable(looking, signal).catch((error: unknown) => {
      // It was begun by others and ran out of their time, not of this caller's.
      if (joined && !signal.aborted && isOutOfTime(error)) return get(request, signal);
      throw error;
    });
    // Dropped while it was being looked up: the next look-up cannot find it.
    return found.fromCache && store.isDropped(key, found.token) ? get(request, signal) : found;
  }

  return {
    get,
    /** A new token, whatever is kept. */
    async renew(request: TokenRequest, signal: AbortSignal): Promise<Token> {
      session.signal.throwIfAborted();
      const key = keyOf(request);
      const fetching = singleFlight(fetches, key, () => fetchAndKeep(key, request));
      return abortable(fetching, signal);
    },
    /** Never answers this token again; a newer one of the same request stays. */
    drop: (request: TokenRequest, token: Token) => store.drop(keyOf(request), token),
    /** Forgets all tokens and ends their requests; later calls are refused. */
    close() {
      session.abort(new ApiError('unauthorized', 'The session has ended and its tokens are forgotten.'));
      for (const entries of [lookups, fetches, refreshPaused]) entries.clear();
      store.close();
    },
  };
}

/** Tokens of one client by what they were asked for. */
export type TokenCache = ReturnType<typeof createTokenCache>;

/** The content of `/v1/oauth/me` for a credential. */
export interface Granted {
  scopes: string[];
  /** Empty where the answer names none. */
  projects: { id: number; name: string }[];
}

/** Scopes that one token carries together; the others are asked for only when named. */
export const JOINT_SCOPES = ['speed-analysis', 'data-export', 'metrics'] as const satisfies readonly Scope[];
const MAX_LISTED_PROJECTS = 30;
const DEFAULT_PROJECT = 'WEB_ANALYTICS_PROJECT_ID sets a default; over HTTP projectId of the credential does.';
/** How a project is chosen, for refusals. */
export const CHOOSE_PROJECT = 'pass projectId, or set WEB_ANALYTICS_PROJECT_ID';

function listOf({ projects }: Granted, redact: Redactor): string {
  const listed = projects.slice(0, MAX_LISTED_PROJECTS).map(({ id, name }) => `${id} (${quote(name, redact, 80)})`);
  return `${listed.join(', ')}${projects.length > listed.length ? ` and ${projects.length - listed.length} more` : ''}`;
}

/** The project of a credential that reaches a single one; undefined where it reaches several, or that is not known. */
export function onlyProject(granted: Granted | undefined): number | undefined {
  return granted?.projects.length === 1 ? granted.projects[0]?.id : undefined;
}

/** Refuses a project that the credential does not reach, and a choice left open between several; says nothing where the list is unknown. */
export function checkProject(granted: Granted | undefined, projectId: number | undefined, redact: Redactor): void {
  if (!granted || granted.projects.length === 0) return;
  if (projectId === undefined && granted.projects.length > 1) {
    throw new ApiError(
      'invalid',
      `projectId: the credential reaches several projects; choose one of ${listOf(granted, redact)}. ${DEFAULT_PROJECT}`,
    );
  }
  if (projectId !== undefined && granted.projects.every(({ id }) => id !== projectId)) {
    throw new ApiError('invalid', `projectId: the credential does not reach project ${projectId}; it reaches ${listOf(granted, redact)}.`);
  }
}

/** The refusal of an operation or token whose scopes the credential lacks. */
export function lacksScope(missing: readonly string[], granted: readonly string[]): ApiError {
  const has = granted.length > 0 ? `it has ${granted.join(', ')}` : 'it has none';
  return new ApiError(
    'forbidden',
    `The credential lacks the scope ${missing.join(', ')}; ${has}. An administrator can add it in the console.`,
  );
}

/**
 * The scopes to ask for so that `scope` is covered: alone for those that stand alone, else all joint ones that the session needs
 * and the credential grants. Where the grants are unknown, those that are needed.
 */
export function scopesFor(scope: Scope, needed: readonly Scope[], granted: Granted | undefined): string[] {
  if (granted && !granted.scopes.includes(scope)) throw lacksScope([scope], granted.scopes);
  if (!JOINT_SCOPES.some((joint) => joint === scope)) return [scope];
  return jointScopes([...needed, scope], granted);
}

/** Those of the needed joint scopes that the credential grants, sorted. */
export function jointScopes(needed: readonly Scope[], granted: Granted | undefined): string[] {
  return JOINT_SCOPES.filter((joint) => needed.includes(joint) && (granted?.scopes.includes(joint) ?? true)).toSorted();
}

/** The scopes of a session's token: the joint ones, or where the session needs none of them, one that the credential grants. */
export function tokenScopes(needed: readonly Scope[], granted: Granted): string[] {
  const joint = jointScopes(needed.length > 0 ? needed : JOINT_SCOPES, granted);
  return joint.length > 0 ? joint : granted.scopes.slice(0, 1);
}
