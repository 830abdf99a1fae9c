import { addressFault } from '../lib/address.ts';
import type { Clock } from '../lib/clock.ts';
import { leadsInside } from './connections.ts';
import { abortable, retry, withDeadline } from './deadline.ts';
import { ApiError, reworded } from './errors.ts';
import { exchange, type Wiring } from './exchange.ts';
import type { Operation, PayloadOf, Scope } from './operation.ts';
import { readCredential, requestToken } from './operations/account.ts';
import {
  CHOOSE_PROJECT,
  type Credential,
  type Granted,
  onlyProject,
  singleFlight,
  type Token,
  type TokenCache,
  type TokenRequest,
  tokenScopes,
} from './tokens.ts';

/** The base address without a slash at the end; refused where `addressFault` finds one. */
export function checkedAuthUrl(address: string): string {
  const fault = addressFault(address);
  if (fault) throw new ApiError('settings', `The address of the authentication server ${fault}.`);
  return address.replace(/\/+$/, '');
}

/** Longest access token that is accepted: a longer text fits into no request header and cannot be a token. */
const MAX_TOKEN_CHARS = 16_384;
/** Life of a token whose answer does not state it (section 5). */
const DOCUMENTED_LIFE_S = 3600;
/** No token outlives its credential (section 5); what is longer would end beyond all dates. */
const LONGEST_LIFE_S = 366 * 86_400;
/** After the grants could not be read, calls go on without them for this long. */
const UNKNOWN_MS = 60_000;
/** Share of the time for a call that is spent on learning the grants; the call can do without. */
const GRANTS_SHARE = 1 / 3;

function lifeMs(expiresIn: unknown): number {
  const seconds = typeof expiresIn === 'string' && expiresIn.trim() !== '' ? Number(expiresIn) : expiresIn;
  const stated = typeof seconds === 'number' && Number.isFinite(seconds) ? seconds : DOCUMENTED_LIFE_S;
  return 1000 * Math.min(Math.max(0, stated), LONGEST_LIFE_S);
}

/** Why calls must not go to this endpoint, as the end of a sentence. A public server must not direct requests into our own network. */
function endpointFault(endpoint: string, authUrl: string, domains: readonly string[]): string | undefined {
  const fault = addressFault(endpoint, domains);
  if (fault || domains.length > 0 || !leadsInside(new URL(endpoint)) || leadsInside(new URL(authUrl))) return fault;
  return (
    'leads into this machine or the network behind it, while the authentication server lies outside; if that is meant, ' +
    'WEB_ANALYTICS_ENDPOINT_DOMAINS allows it'
  );
}

function toToken(
  payload: PayloadOf<typeof requestToken>,
  request: TokenRequest,
  { obtainedAtMs, authUrl, domains }: { obtainedAtMs: number; authUrl: string; domains: readonly string[] },
): Token {
  const { access_token: accessToken, endpoint, project_id: project, scope } = payload;
  const asked = request.scopes.join(', ');
  if (!endpoint) {
    const message = `The token for ${asked} names no endpoint to call; the credential may lack the scope, or its project is not installed.`;
    throw new ApiError('forbidden', message);
  }
  const fault = endpointFault(endpoint, authUrl, domains);
  if (fault) throw new ApiError('forbidden', `The token for ${asked} names an endpoint that is not used: it ${fault}.`);
  const projectId = project === null || project === undefined ? undefined : Number(project);
  return {
    accessToken,
    endpoint: endpoint.replace(/\/+$/, ''),
    ...(Number.isSafeInteger(projectId) && { projectId }),
    scopes: scope ? scope.split(/[\s,]+/).filter(Boolean) : request.scopes,
    obtainedAtMs,
    expiresAtMs: obtainedAtMs + lifeMs(payload.expires_in),
  };
}

function toGranted({ scopes, permissions }: PayloadOf<typeof readCredential>): Granted {
  const projects = (permissions?.projects ?? []).map(({ id, name }) => ({ id: Number(id), name: name ?? '' }));
  return { scopes: scopes.split(/[\s,]+/).filter(Boolean), projects: projects.filter(({ id }) => Number.isSafeInteger(id)) };
}

/** A refusal of a token without project that does not say what is wrong: it may be that an account-level credential names its project. */
function perhapsOfAccount(error: unknown): unknown {
  if (!(error instanceof ApiError) || error.kind !== 'invalid' || error.status === undefined || error.message.includes(CHOOSE_PROJECT))
    return error;
  return reworded(error, `${error.message} If the credential is of account level, ${CHOOSE_PROJECT}.`);
}

/** Puts the name of the variable into errors about the address of the authentication server itself. */
function withVariable(error: unknown): unknown {
  // What fails at a proxy says so itself.
  if (!(error instanceof ApiError) || error.saysWayOn) return error;
  const { kind, status } = error;
  const isOfAddress = kind === 'settings' || (status === undefined && (kind === 'down' || kind === 'timeout'));
  return isOfAddress ? reworded(error, `${error.message} WEB_ANALYTICS_AUTH_URL sets this address.`) : error;
}

interface GrantsOptions {
  readonly clock: Clock;
  /** Most for a call; grants take a share of it. */
  readonly timeoutMs: number;
  /** Asks the server for the grants of a credential. */
  readonly ask: (credential: Credential) => Promise<Granted>;
}

/** Keeps the grants of credentials for a session. */
function createGrants({ clock, timeoutMs, ask }: GrantsOptions) {
  const kept = new Map<string, Granted>();
  const reading = new Map<string, Promise<Granted>>();
  const unknownSince = new Map<string, number>();

  /** One request at a time for each credential; it goes on when those who wait for it give up. */
  function read(credential: Credential): Promise<Granted> {
    const { clientId } = credential;
    return singleFlight(reading, clientId, async () => {
      const record = await ask(credential);
      kept.set(clientId, record);
      unknownSince.delete(clientId);
      return record;
    });
  }

  /** Grants of the credential, read once for the session; `renew` reads them again. */
  async function granted(credential: Credential, signal: AbortSignal | undefined, renew = false): Promise<Granted> {
    signal?.throwIfAborted();
    const known = renew ? undefined : kept.get(credential.clientId);
    return known ?? (signal ? abortable(read(credential), signal) : read(credential));
  }

  /** The same without insisting: undefined where they cannot be read, unless the credential itself was refused. */
  async function grantedIfKnown(credential: Credential, signal: AbortSignal, renew = false): Promise<Granted | undefined> {
    const known = renew ? undefined : kept.get(credential.clientId);
    if (known) return known;
    const since = renew ? undefined : unknownSince.get(credential.clientId);
    if (since !== undefined && Math.abs(clock.now() - since) < UNKNOWN_MS) return undefined;
    const deadline = { clock, timeoutMs: timeoutMs * GRANTS_SHARE, signal };
    try {
      return await withDeadline(deadline, (limits) => granted(credential, limits.signal, renew));
    } catch (error) {
      if (signal.aborted || !(error instanceof ApiError) || error.kind === 'unauthorized') throw error;
      unknownSince.set(credential.clientId, clock.now());
      return undefined;
    }
  }

  return {
    granted,
    grantedIfKnown,
    /** Grants that have been read already; sends nothing. */
    knownGrants: ({ clientId }: Credential) => kept.get(clientId),
  };
}

interface AuthServerOptions {
  readonly wiring: Wiring;
  readonly authUrl: string;
  readonly timeoutMs: number;
  readonly random: () => number;
  readonly endpointDomains: readonly string[];
  /** Called with each access token, so that it can be redacted. */
  readonly onToken: (accessToken: string) => void;
}

/** Makes the authentication side of a session; requests end with `session` and take `timeoutMs` at most. */
export function createAuthServer({ wiring, authUrl, timeoutMs, random, endpointDomains, onToken }: AuthServerOptions) {
  const { clock } = wiring;

  async function ask<O extends Operation>(operation: O, input: Record<string, unknown>, signal?: AbortSignal): Promise<PayloadOf<O>> {
    const { payload } = await withDeadline({ clock, timeoutMs, signal }, (limits) =>
      retry(limits, { clock, random }, (attempt) =>
        exchange(wiring, { operation, input, base: authUrl, encoding: 'json', limits, attempt }),
      ),
    ).catch((error: unknown) => {
      throw withVariable(error);
    });
    // The exchange has checked the payload against the schema of this very operation.
    return payload as PayloadOf<O>;
  }

  /** Asks for a token; repeated as a read. */
  async function fetchToken(request: TokenRequest, signal: AbortSignal): Promise<Token> {
    const { credential, projectId, scopes } = request;
    const obtainedAtMs = clock.now();
    const input = {
      client_id: credential.clientId,
      client_secret: credential.clientSecret,
      grant_type: 'client_credentials',
      scope: scopes.join(' '),
      project_id: projectId,
    };
    const payload = await ask(requestToken, input, signal).catch((error: unknown) => {
      throw projectId === undefined ? perhapsOfAccount(error) : error;
    });
    const { length } = payload.access_token;
    if (length > MAX_TOKEN_CHARS) {
      const limit = `at most ${MAX_TOKEN_CHARS} are accepted`;
      const message = `The authentication server answered with a token of ${length} characters, which is not used: ${limit}.`;
      throw new ApiError('shape', message);
    }
    onToken(payload.access_token);
    return toToken(payload, request, { obtainedAtMs, authUrl, domains: endpointDomains });
  }

  const grants = createGrants({
    clock,
    timeoutMs,
    ask: async ({ clientId, clientSecret }) => toGranted(await ask(readCredential, { client_id: clientId, client_secret: clientSecret })),
  });
  return { fetchToken, ...grants };
}

/** The two operations of the authentication server, for one session. */
export type AuthServer = ReturnType<typeof createAuthServer>;

/** Whether a credential reaches the projects of its account or one project; unknown where nothing that came shows it. */
export type CredentialLevel = 'account' | 'project' | 'unknown';

interface AskedLevel {
  auth: AuthServer;
  tokens: TokenCache;
  credential: Credential;
  neededScopes: readonly Scope[];
}

/**
 * Nothing in the interface states the level. Several projects show that it is the account; with one, a token without `project_id` decides,
 * because only account-level credentials have to name it (section 5).
 */
export async function credentialLevel(
  { auth, tokens, credential, neededScopes }: AskedLevel,
  signal: AbortSignal,
): Promise<CredentialLevel> {
  const granted = await auth.granted(credential, signal);
  if (granted.projects.length > 1) return 'account';
  const only = onlyProject(granted);
  const scopes = tokenScopes(neededScopes, granted);
  if (only === undefined || scopes.length === 0) return 'unknown';

  async function isGranted(projectId: number | undefined): Promise<boolean | undefined> {
    try {
      await tokens.get({ credential, projectId, scopes }, signal);
      return true;
    } catch (error) {
      if (signal.aborted || !(error instanceof ApiError)) throw error;
      const { status = 0 } = error;
      return status >= 400 && status < 500 && !error.transient ? false : undefined;
    }
  }
  const unnamed = await isGranted(undefined);
  if (unnamed) return 'project';
  // A refusal decides only where the same token is granted to who names the project.
  return unnamed === false && (await isGranted(only)) ? 'account' : 'unknown';
}
