import { createHash } from 'node:crypto';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { createRedaction, type Redactor } from '../lib/redact.ts';
import { pageBefore } from './all-pages.ts';
import { type AuthServer, type CredentialLevel, checkedAuthUrl, createAuthServer, credentialLevel } from './auth-server.ts';
import { checkInput, checkProjectId, checkScopes, knownProject, withProject } from './check-input.ts';
import { type Limits, refuseLongQueue, retry, withDeadline } from './deadline.ts';
import { ApiError } from './errors.ts';
import { type Exchange, exchange, leftOutWords, type Tolerated, titleOf, type Wiring } from './exchange.ts';
import { createHttp, type Http, type HttpAnswer } from './http.ts';
import type { Limiter } from './limiter.ts';
import type { ApiEvent, InputOf, Observer, Operation, PayloadOf, Scope } from './operation.ts';
import { createReadCache, type ReadCache } from './read-cache.ts';
import {
  type Credential,
  checkProject,
  createTokenCache,
  type Granted,
  JOINT_SCOPES,
  jointScopes,
  lacksScope,
  onlyProject,
  type SharedTokens,
  scopesFor,
  type Token,
  type TokenCache,
  type TokenRequest,
} from './tokens.ts';

/** A token with the request that it was fetched for. */
interface AcquiredToken {
  readonly request: TokenRequest;
  readonly token: Token;
  readonly fromCache: boolean;
  /** The project of the token, the chosen one, or the only one that the credential reaches. */
  readonly projectId: number | undefined;
}

interface TokenOptions {
  /** Project chosen by the call or the settings. */
  projectId: number | undefined;
  signal: AbortSignal;
  renew?: boolean;
}

interface TokenProviderOptions {
  readonly auth: AuthServer;
  readonly tokens: TokenCache;
  readonly credential: Credential;
  readonly enrichmentCredential: Credential | undefined;
  readonly neededScopes: readonly Scope[];
  readonly redact: Redactor;
}

/** Decides which token a call needs: credential, project and scopes; refuses before any request what cannot succeed. */
export function createTokenProvider(parts: TokenProviderOptions) {
  const { auth, tokens, credential: main, enrichmentCredential, neededScopes, redact } = parts;
  /** True once a server that does not report its grants has refused the joint scopes. */
  let jointRefused = false;

  function credentialFor(scopes: readonly string[]): Credential {
    return scopes.includes('enrichment') ? (enrichmentCredential ?? main) : main;
  }

  function grantedOf(scopes: readonly string[], { signal, renew }: TokenOptions): Promise<Granted | undefined> {
    return auth.grantedIfKnown(credentialFor(scopes), signal, renew);
  }

  async function acquireToken(scopes: readonly string[], granted: Granted | undefined, options: TokenOptions): Promise<AcquiredToken> {
    const { signal, renew = false } = options;
    checkProject(granted, options.projectId, redact);
    // An account-level credential has to name its project even where there is only one (section 5), and nothing shows its level.
    const projectId = options.projectId ?? onlyProject(granted);
    const request: TokenRequest = { credential: credentialFor(scopes), projectId, scopes };
    const found = renew ? { token: await tokens.renew(request, signal), fromCache: false } : await tokens.get(request, signal);
    return { request, ...found, projectId: found.token.projectId ?? projectId };
  }

  async function acquireJointToken(
    scope: Scope,
    scopes: readonly string[],
    granted: Granted | undefined,
    options: TokenOptions,
  ): Promise<AcquiredToken> {
    if (granted || scopes.length === 1) return acquireToken(scopes, granted, options);
    if (jointRefused) return acquireToken([scope], granted, options);
    try {
      return await acquireToken(scopes, granted, options);
    } catch (error) {
      // With grants unknown, the refusal may be about a scope that this call can do without.
      if (!(error instanceof ApiError) || (error.kind !== 'forbidden' && error.kind !== 'invalid')) throw error;
      const held = await acquireToken([scope], granted, options);
      jointRefused = true;
      return held;
    }
  }

  /** A token for exactly these scopes. */
  async function forNamed(scopes: readonly string[], options: TokenOptions): Promise<AcquiredToken> {
    const granted = await grantedOf(scopes, options);
    const missing = scopes.filter((scope) => granted && !granted.scopes.includes(scope));
    if (granted && missing.length > 0) throw lacksScope(missing, granted.scopes);
    return acquireToken(scopes, granted, options);
  }

  return {
    /** A token for an operation of this scope. */
    async forScope(scope: Scope, options: TokenOptions): Promise<AcquiredToken> {
      const granted = await grantedOf([scope], options);
      const held = await acquireJointToken(scope, scopesFor(scope, neededScopes, granted), granted, options);
      if (!held.token.scopes.includes(scope)) throw lacksScope([scope], held.token.scopes);
      return held;
    },
    forNamed,
    /** A token for what the session needs and the credential grants. */
    async forSession(options: TokenOptions): Promise<AcquiredToken> {
      const granted = await grantedOf([], options);
      // Toolsets that need no joint scope: a token of any granted scope names the project.
      const scopes = jointScopes(neededScopes.length > 0 ? neededScopes : JOINT_SCOPES, granted);
      return scopes.length > 0 ? acquireToken(scopes, granted, options) : forNamed([neededScopes[0] ?? 'enrichment'], options);
    },
  };
}

/** Options of `createClient`. */
export interface ClientOptions {
  authUrl: string;
  credential: Credential;
  /** Credential of the integration, where enrichment has its own. */
  enrichmentCredential?: Credential | undefined;
  defaultProjectId?: number | undefined;
  /** Scopes that the enabled toolsets call for. */
  neededScopes: readonly Scope[];
  /** Domains that an endpoint may belong to; any when empty. */
  endpointDomains?: readonly string[] | undefined;
  /** Longest a call may take, with its repeats and its time in the queue. */
  timeoutMs: number;
  limiter: Limiter;
  /** Whose turn it is in the limiter; left out: the session's own. */
  principalId?: string | undefined;
  sessionId: string;
  clock: Clock;
  /** Chooses the back-off, 0 to 1. */
  random?: (() => number) | undefined;
  version: string;
  log?: Log | undefined;
  observe?: Observer | undefined;
  /** Tokens that replicas share; left out: they stay in this process. */
  sharedTokens?: SharedTokens | undefined;
  /** Shared connections; default an own pool, closed with the client. */
  http?: Http | undefined;
  /** Where answers are kept and reads shared with the other sessions of the same principal; default an own one. */
  reads?: ReadCache | undefined;
  /** Changes when the principal gets another credential. */
  credentialVersion?: string | undefined;
}

/** The parts of a client that its calls go through. */
interface CallParts extends Pick<ClientOptions, 'limiter' | 'clock' | 'principalId' | 'sessionId'> {
  readonly wiring: Wiring;
  readonly authUrl: string;
  /** Host that an endpoint may lie as far inside as; undefined where the operator allowed domains. */
  readonly trustedHost: string | undefined;
  readonly random: () => number;
  readonly reads: ReturnType<ReadCache['open']>;
  readonly tokens: TokenCache;
  readonly tokenProvider: ReturnType<typeof createTokenProvider>;
}

/** A call whose input has been checked. */
interface CheckedCall extends Pick<CallOptions, 'fresh' | 'passing' | 'keepMs' | 'maxAgeMs' | 'newerThan' | 'onKept' | 'observe'> {
  readonly operation: Operation;
  readonly input: Record<string, unknown>;
  readonly projectId: number | undefined;
  readonly encoding: 'form' | 'json';
  readonly readOnce?: Exchange['readOnce'];
  readonly limits: Limits;
}

function notify(event: ApiEvent, { wiring }: CallParts, ofCall: Observer | undefined): void {
  for (const observe of [wiring.observe, ofCall]) observe?.(event);
}

/** One request of a call, in its turn. */
async function attempt(
  request: Omit<Exchange, 'base' | 'accessToken'>,
  acquired: AcquiredToken,
  parts: CallParts,
): Promise<Tolerated<unknown>> {
  const { operation, limits } = request;
  const { limiter, clock, principalId, sessionId, wiring, authUrl, trustedHost } = parts;
  const project = `${authUrl} ${acquired.projectId ?? acquired.request.credential.clientId}`;
  const speed = operation.scope === 'speed-analysis';
  const queuedAtMs = clock.now();
  const wanted = { project, principalId, sessionId, speed };
  limits.waitsFor = 'turn';
  limits.queueMs = () => limiter.expectedWaitMs(wanted);
  refuseLongQueue(limits, queuedAtMs);
  const slot = await limiter.acquire({ ...wanted, signal: limits.signal });
  limits.waitsFor = 'answer';
  notify({ type: 'slot', durationMs: clock.now() - queuedAtMs }, parts, request.observe);
  let refused = false;
  try {
    return await exchange(wiring, { ...request, base: acquired.token.endpoint, trustedHost, accessToken: acquired.token.accessToken });
  } catch (error) {
    refused = error instanceof ApiError && error.kind === 'busy';
    throw error;
  } finally {
    slot.release(refused);
  }
}

async function tokenFor({ operation, projectId, limits, observe }: CheckedCall, parts: CallParts): Promise<AcquiredToken> {
  const { scope } = operation;
  if (scope === undefined) throw new TypeError(`${operation.path} is answered by authenticate() and credential().`);
  const startMs = parts.clock.now();
  limits.waitsFor = 'token';
  const acquired = await parts.tokenProvider.forScope(scope, { projectId, signal: limits.signal });
  notify({ type: 'token', kept: acquired.fromCache, durationMs: parts.clock.now() - startMs }, parts, observe);
  return acquired;
}

/** Sends a request until it is answered or has failed for good; `first` is the token that the call has already. */
async function send(call: CheckedCall, first: AcquiredToken, parts: CallParts): Promise<Tolerated<unknown>> {
  const { clock, random, limiter, tokens, reads } = parts;
  let acquired = first;
  for (let renewed = false; ; renewed = true) {
    try {
      return await retry(call.limits, { clock, random, isAlone: () => limiter.isAlone() }, (number) =>
        attempt({ ...call, attempt: number }, acquired, parts),
      );
    } catch (error) {
      if (!(error instanceof ApiError) || error.kind !== 'unauthorized') throw error;
      // Whatever is wrong with this token, it must not be used again.
      tokens.drop(acquired.request, acquired.token);
      if (error.code !== 'JWT_EXPIRED' || renewed) reads.forget();
      if (error.code !== 'JWT_EXPIRED') throw error;
      if (renewed) throw new ApiError('unauthorized', `A token fetched a moment ago counts as expired. ${error.message}`, error);
      acquired = await tokenFor(call, parts);
    }
  }
}

/** Names the content of an answer. */
function contentOf({ status, pieces }: HttpAnswer): string {
  const hash = createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return `${status} ${hash.digest('base64url')}`;
}

/** The answer of one call: from the cache, or shared with identical reads that are on their way. */
async function answerCall(call: CheckedCall, parts: CallParts): Promise<Tolerated<unknown>> {
  const { clock, reads } = parts;
  const { operation } = call;
  const acquired = await tokenFor(call, parts);
  const input = withProject(operation, call.input, acquired.projectId);
  if (!operation.safe) return send({ ...call, input }, acquired, parts).finally(() => reads.separate());
  const { keepMs = 0 } = operation;
  const project = acquired.projectId ?? call.projectId ?? null;
  const keyOf = (asked: Record<string, unknown>) => JSON.stringify([acquired.token.endpoint, project, operation.path, asked]);
  const before = pageBefore(input);
  const ownMs = typeof keepMs === 'number' ? keepMs : keepMs(input, clock.now());
  // What is asked again after some time has mostly stayed as it was: reading it is dearer than to see that.
  const isRepeated = ownMs > 0 && ownMs < Number.POSITIVE_INFINITY && !call.passing;
  const onceIn =
    (limits: Limits): Exchange['readOnce'] =>
    (answer, read) =>
      reads.get({ key: `${operation.path} ${contentOf(answer)}`, keepMs: Number.POSITIVE_INFINITY, limits, read });
  return reads.get({
    ...call,
    key: keyOf(input),
    keepMs: Math.max(ownMs, call.keepMs ?? 0),
    maxAgeMs: call.maxAgeMs ?? ownMs,
    // Who takes old answers wants the list as it was.
    after: before && call.maxAgeMs === undefined ? keyOf(before) : undefined,
    read: (limits) => send({ ...call, input, limits, readOnce: isRepeated ? onceIn(limits) : undefined }, acquired, parts),
  });
}

/** Input of an operation; the project may be left to the settings or the token. */
export type CallInput<O extends Operation> = InputOf<O> | (Omit<InputOf<O>, 'projectId'> & { projectId?: number });

/** How one request of a call is sent. */
interface AskOptions extends Pick<CallOptions, 'fresh' | 'passing' | 'keepMs' | 'maxAgeMs'> {
  /** Longest wait, for what a call can do without; else what is left of the call. */
  readonly withinMs?: number;
}

/** Sends an operation for one project. */
export type Ask = <T extends Operation>(operation: T, input: CallInput<T>, how?: AskOptions) => Promise<PayloadOf<T>>;

/** Options of one call beside its input. */
export interface CallOptions {
  /** Project of an account-level credential; default the one of the settings. */
  projectId?: number | undefined;
  signal?: AbortSignal | undefined;
  /** Latest end by the clock, ms since 1970; never later than the client's own timeout. */
  deadlineMs?: number | undefined;
  /** How enrichments travel; default form. */
  encoding?: 'form' | 'json' | undefined;
  /** True: the platform is asked now, whatever is kept. */
  fresh?: boolean | undefined;
  /** True: the answer is not kept for later calls, because it is one of many large ones. */
  passing?: boolean | undefined;
  /** How long the answer is kept for calls that take one so old, where that is longer than usual. */
  keepMs?: number | undefined;
  /** How old an answer may be that was kept for so long. */
  maxAgeMs?: number | undefined;
  /** From `readsBegun`: what was read before then and may change is read anew. */
  newerThan?: number | undefined;
  /** Hears of when an answer is that was kept and may have changed, ms since 1970. */
  onKept?: ((sinceMs: number) => void) | undefined;
  /** Called with the events of this call, in addition to the observer of the client. */
  observe?: Observer | undefined;
  /** Called with a sentence for each part of the answer that could not be used, also where the answer was kept. */
  onLeftOut?: ((sentence: string) => void) | undefined;
}

type Ending = Pick<CallOptions, 'signal' | 'deadlineMs'>;
type AuthOptions = Pick<CallOptions, 'signal'> & { renew?: boolean | undefined };
type AuthenticateOptions<Name = string> = AuthOptions & Pick<CallOptions, 'projectId'> & { scope?: Name | undefined };

/** The parts of a session's client; `redact` removes the secrets that it has learnt. */
function openParts(options: ClientOptions): CallParts & { readonly auth: AuthServer; readonly close: () => Promise<void> } {
  const { credential, enrichmentCredential, neededScopes, endpointDomains = [] } = options;
  const { limiter, principalId, sessionId, clock, timeoutMs, random = Math.random, http = createHttp() } = options;
  const authUrl = checkedAuthUrl(options.authUrl);
  // Allowed domains are the operator's word; without them an endpoint lies no further inside than the authentication server.
  const trustedHost = endpointDomains.length > 0 ? undefined : new URL(authUrl).hostname;
  const { redact, learn } = createRedaction([
    credential.clientSecret,
    ...(enrichmentCredential ? [enrichmentCredential.clientSecret] : []),
  ]);
  const wiring: Wiring = {
    http,
    clock,
    redact,
    userAgent: `web-analytics-mcp/${options.version}`,
    log: options.log ?? (() => undefined),
    observe: options.observe,
  };
  const { clientId, clientSecret } = credential;
  const reader = [authUrl, principalId ?? `session ${sessionId}`, options.credentialVersion, clientId, clientSecret];
  const reads = (options.reads ?? createReadCache({ clock })).open(reader);
  const auth = createAuthServer({ wiring, authUrl, timeoutMs, random, endpointDomains, onToken: learn });
  /** Where the credential is refused, what it could read is no longer its to read. */
  async function fetchToken(...request: Parameters<typeof auth.fetchToken>) {
    try {
      return await auth.fetchToken(...request);
    } catch (error) {
      if (error instanceof ApiError && error.kind === 'unauthorized') reads.forget();
      throw error;
    }
  }
  const tokens = createTokenCache({ clock, fetchToken, replicas: options.sharedTokens, onAdopted: learn });
  const tokenProvider = createTokenProvider({ auth, tokens, credential, enrichmentCredential, neededScopes, redact });

  async function close() {
    tokens.close();
    reads.close();
    if (!options.http) await http.close();
  }
  return { limiter, clock, principalId, sessionId, wiring, authUrl, trustedHost, random, reads, tokens, tokenProvider, auth, close };
}

/** Facts about a token, times by the clock; never the token itself. */
function summaryOf({ token, fromCache, projectId }: AcquiredToken, nowMs: number) {
  return {
    ...(projectId !== undefined && { projectId }),
    scope: token.scopes.join(' '),
    endpoint: token.endpoint,
    expiresAt: token.expiresAtMs,
    expiresInSeconds: Math.max(0, Math.round((token.expiresAtMs - nowMs) / 1000)),
    fromCache,
  };
}

/** Makes the client of a session. Sends nothing before the first call. */
export function createClient(options: ClientOptions) {
  const { credential, defaultProjectId, neededScopes, clock, timeoutMs } = options;
  const parts = openParts(options);
  const { auth, tokens, tokenProvider, reads, wiring } = parts;
  const within = <T>(ending: Ending, task: (limits: Limits) => Promise<T>) => withDeadline({ clock, timeoutMs, ...ending }, task);

  return {
    /** Runs one operation; throws an ApiError, or the reason of `signal`. */
    async call<O extends Operation>(operation: O, input: CallInput<O>, asked: CallOptions = {}): Promise<PayloadOf<O>> {
      const { projectId, signal, deadlineMs, encoding, onLeftOut, ...how } = asked;
      checkProjectId(projectId);
      const given = 'projectId' in input ? input.projectId : undefined;
      // That of the input goes on the wire, so the token must be for it.
      const chosen = typeof given === 'number' ? given : (projectId ?? defaultProjectId);
      const checked = checkInput(operation, input, chosen);
      const format = encoding ?? (operation.base === 'enrichment' ? 'form' : 'json');
      const { payload, leftOut } = await within({ deadlineMs, signal }, (limits) =>
        answerCall({ ...how, operation, input: checked, projectId: chosen, encoding: format, limits }, parts),
      );
      for (const sentence of leftOutWords(titleOf(operation), leftOut)) onLeftOut?.(sentence);
      // The exchange has checked the payload against the schema of this very operation.
      return payload as PayloadOf<O>;
    },
    /** Makes sure that there is a token for `scope` (names separated by spaces; default what the session needs). */
    async authenticate({ scope, renew = false, projectId = defaultProjectId, signal }: AuthenticateOptions = {}) {
      checkProjectId(projectId);
      const names = scope === undefined ? undefined : checkScopes(scope);
      return within({ signal }, async (limits) => {
        const wish = { projectId, signal: limits.signal, renew };
        return summaryOf(await (names ? tokenProvider.forNamed(names, wish) : tokenProvider.forSession(wish)), clock.now());
      });
    },
    /** Scopes and projects of the main credential; read once for the session unless `renew`. The read has a deadline of its own. */
    credential: async ({ signal, renew = false }: AuthOptions = {}) => auth.granted(credential, signal, renew),
    /** Level of the main credential; with one project a token request finds out. */
    async credentialLevel(ending: Ending = {}): Promise<CredentialLevel> {
      if ((auth.knownGrants(credential)?.projects.length ?? 0) > 1) return 'account';
      return within(ending, (limits) => credentialLevel({ auth, tokens, credential, neededScopes }, limits.signal));
    },
    /** The project that calls go to, where earlier requests have shown that the credential reaches several; sends nothing. */
    chosenProject(projectId = defaultProjectId, { orOnly = false } = {}) {
      const reached = auth.knownGrants(credential)?.projects ?? [];
      if (orOnly && reached.length === 1) return reached[0];
      return reached.length > 1 ? reached.find(({ id }) => id === projectId) : undefined;
    },
    /** The project that calls go to; those of `enrichment` may go to another, where it has its own credential. */
    async projectId({ scope, projectId = defaultProjectId, signal }: Omit<AuthenticateOptions<Scope>, 'renew'> = {}): Promise<number> {
      checkProjectId(projectId);
      const acquired = await within({ signal }, (limits) => {
        const wish = { projectId, signal: limits.signal };
        return scope === undefined ? tokenProvider.forSession(wish) : tokenProvider.forScope(scope, wish);
      });
      return knownProject(acquired.projectId);
    },
    /**
     * A value that `make` computes from answers, kept for the same principal in the cache of reads; concurrent callers share one
     * computation. `key` names everything that the value depends on; the value is frozen.
     */
    remember<T>(key: string, make: (signal: AbortSignal) => Promise<T>, ending: Ending = {}): Promise<T> {
      function makeWithin(limits: Limits) {
        limits.waitsFor = 'result';
        return make(limits.signal);
      }
      return within(ending, (limits) => reads.get({ key: `made ${key}`, keepMs: Number.POSITIVE_INFINITY, limits, read: makeWithin }));
    },
    /** Whether enrichment has a credential of its own, beside the main one. */
    hasEnrichmentCredential: options.enrichmentCredential !== undefined,
    /** Counts the reads that have begun, for `newerThan`. */
    readsBegun: () => reads.begun(),
    /** Removes the secrets of this session, and whatever looks like a token, from a text. */
    redact: wiring.redact,
    /** Forgets the tokens and ends own connections; later calls are refused. */
    close: parts.close,
  };
}

/** The REST interface for one session: calls with tokens, limits and retries; knows nothing of MCP. */
export type Client = ReturnType<typeof createClient>;
