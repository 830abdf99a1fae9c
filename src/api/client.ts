import { createRedaction } from '../lib/redact.ts';
import { type AuthServer, checkedAuthUrl, createAuthServer } from './auth-server.ts';
import { checkInput, checkProjectId, checkScopes, knownProject } from './check-input.ts';
import type { ClientOptions } from './client-options.ts';
import { type CredentialLevel, credentialLevel } from './credential-level.ts';
import { type Limits, withDeadline } from './deadline.ts';
import { ApiError } from './errors.ts';
import { DEFAULT_SIZE_LIMITS, titleOf, type Wiring } from './exchange.ts';
import type { Granted } from './granted.ts';
import { createHttp } from './http.ts';
import type { Observer } from './observer.ts';
import type { InputOf, Operation, PayloadOf, Scope } from './operation.ts';
import { createReadCache } from './read-cache.ts';
import { answerCall, type CallParts } from './send-call.ts';
import { type AcquiredToken, createTokenProvider } from './token-provider.ts';
import { createTokenCache, type TokenSummary } from './tokens.ts';
import { leftOutWords } from './tolerant-payload.ts';

/** Input of an operation; the project may be left to the settings or the token. */
export type CallInput<O extends Operation> = InputOf<O> | (Omit<InputOf<O>, 'projectId'> & { projectId?: number });

/** How one request of a call is sent. */
export interface AskOptions {
  /** True: nothing that was read before will do. */
  readonly fresh?: boolean;
  /** True: the answer is not kept for later calls, because it is one of many large ones. */
  readonly passing?: boolean;
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
  /** True: the answer is not kept. */
  passing?: boolean | undefined;
  /** From `readsBegun`: what was read before then and may change is read anew. */
  newerThan?: number | undefined;
  /** Hears of when an answer is that was kept and may have changed, ms since 1970. */
  onKept?: ((sinceMs: number) => void) | undefined;
  /** Called with the events of this call, in addition to the observer of the client. */
  observe?: Observer | undefined;
  /** Called with a sentence for each part of the answer that could not be used, also where the answer was kept. */
  onLeftOut?: ((sentence: string) => void) | undefined;
}

type AuthOptions = Pick<CallOptions, 'signal'> & { renew?: boolean | undefined };

/** The REST interface for one session: calls with tokens, limits and retries; knows nothing of MCP. */
export interface Client {
  /** Runs one operation; throws an ApiError, or the reason of `signal`. */
  call<O extends Operation>(operation: O, input: CallInput<O>, options?: CallOptions): Promise<PayloadOf<O>>;
  /** Makes sure that there is a token for `scope` (names separated by spaces; default what the session needs). */
  authenticate(options?: AuthOptions & { scope?: string | undefined; projectId?: number | undefined }): Promise<TokenSummary>;
  /** Scopes and projects of the main credential; read once for the session unless `renew`. */
  credential(options?: AuthOptions): Promise<Granted>;
  /** Level of the main credential; with one project a token request finds out. */
  credentialLevel(options?: Pick<CallOptions, 'signal'>): Promise<CredentialLevel>;
  /** The project that calls go to, where earlier requests have shown that the credential reaches several; sends nothing. */
  chosenProject(projectId?: number, how?: { readonly orOnly?: boolean }): Granted['projects'][number] | undefined;
  /** The project that calls go to; those of `enrichment` may go to another, where it has its own credential. */
  projectId(options?: { scope?: Scope | undefined; projectId?: number | undefined; signal?: AbortSignal | undefined }): Promise<number>;
  /**
   * A value that `make` computes from answers, kept for the same principal in the cache of reads; concurrent callers share one computation.
   * `key` names everything that the value depends on; the value is frozen.
   */
  remember<T>(key: string, make: (signal: AbortSignal) => Promise<T>, options?: Pick<CallOptions, 'signal' | 'deadlineMs'>): Promise<T>;
  /** Counts the reads that have begun, for `newerThan`. */
  readsBegun(): number;
  /** Removes the secrets of this session, and whatever looks like a token, from a text. */
  readonly redact: (text: string) => string;
  /** Forgets the tokens and ends own connections; later calls are refused. */
  close(): Promise<void>;
}

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
    sizeLimits: options.sizeLimits ?? DEFAULT_SIZE_LIMITS,
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

function summaryOf({ token, fromCache, projectId }: AcquiredToken, nowMs: number): TokenSummary {
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
export function createClient(options: ClientOptions): Client {
  const { credential, defaultProjectId, neededScopes, clock, timeoutMs } = options;
  const parts = openParts(options);
  const { auth, tokens, tokenProvider, reads, wiring } = parts;

  return {
    async call(operation, input, { projectId, signal, deadlineMs, encoding, onLeftOut, ...how } = {}) {
      checkProjectId(projectId);
      const given = 'projectId' in input ? input.projectId : undefined;
      // That of the input goes on the wire, so the token must be for it.
      const chosen = typeof given === 'number' ? given : (projectId ?? defaultProjectId);
      const checked = checkInput(operation, input, chosen);
      const format = encoding ?? (operation.base === 'enrichment' ? 'form' : 'json');
      const { payload, leftOut } = await withDeadline({ clock, timeoutMs, deadlineMs, signal }, (limits) =>
        answerCall(operation, checked, { ...how, projectId: chosen, encoding: format, limits }, parts),
      );
      for (const sentence of leftOutWords(titleOf(operation), leftOut)) onLeftOut?.(sentence);
      // The exchange has checked the payload against the schema of this very operation.
      return payload as PayloadOf<typeof operation>;
    },
    async authenticate({ scope, renew = false, projectId = defaultProjectId, signal } = {}) {
      checkProjectId(projectId);
      const names = scope === undefined ? undefined : checkScopes(scope);
      return withDeadline({ clock, timeoutMs, signal }, async (limits) => {
        const wish = { projectId, signal: limits.signal, renew };
        const acquired = await (names ? tokenProvider.forNamed(names, wish) : tokenProvider.forSession(wish));
        return summaryOf(acquired, clock.now());
      });
    },
    // The read has a deadline of its own.
    credential: async ({ signal, renew = false } = {}) => auth.granted(credential, signal, renew),
    async credentialLevel({ signal } = {}) {
      if ((auth.knownGrants(credential)?.projects.length ?? 0) > 1) return 'account';
      return withDeadline({ clock, timeoutMs, signal }, (limits) =>
        credentialLevel({ auth, tokens, credential, neededScopes }, limits.signal),
      );
    },
    chosenProject(projectId = defaultProjectId, { orOnly = false } = {}) {
      const reached = auth.knownGrants(credential)?.projects ?? [];
      if (orOnly && reached.length === 1) return reached[0];
      return reached.length > 1 ? reached.find(({ id }) => id === projectId) : undefined;
    },
    async projectId({ scope, projectId = defaultProjectId, signal } = {}) {
      checkProjectId(projectId);
      const acquired = await withDeadline({ clock, timeoutMs, signal }, (limits) => {
        const wish = { projectId, signal: limits.signal };
        return scope === undefined ? tokenProvider.forSession(wish) : tokenProvider.forScope(scope, wish);
      });
      return knownProject(acquired.projectId);
    },
    remember(key, make, { signal, deadlineMs } = {}) {
      function makeWithin(limits: Limits) {
        limits.waitsFor = 'result';
        return make(limits.signal);
      }
      return withDeadline({ clock, timeoutMs, deadlineMs, signal }, (limits) =>
        reads.get({ key: `made ${key}`, keepMs: Number.POSITIVE_INFINITY, limits, read: makeWithin }),
      );
    },
    readsBegun: () => reads.begun(),
    redact: wiring.redact,
    close: parts.close,
  };
}
