import type { Redactor } from '../lib/redact.ts';
import type { AuthServer } from './auth-server.ts';
import { ApiError } from './errors.ts';
import { checkProject, type Granted, JOINT_SCOPES, jointScopes, lacksScope, onlyProject, scopesFor } from './granted.ts';
import type { Scope } from './operation.ts';
import type { Credential, Token, TokenCache, TokenRequest } from './tokens.ts';

/** A token with the request that it was fetched for. */
export interface AcquiredToken {
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

/** Decides which token a call needs: credential, project and scopes; refuses before any request what cannot succeed. */
export interface TokenProvider {
  /** For an operation of this scope. */
  forScope(scope: Scope, options: TokenOptions): Promise<AcquiredToken>;
  /** For exactly these scopes. */
  forNamed(scopes: readonly string[], options: TokenOptions): Promise<AcquiredToken>;
  /** For what the session needs and the credential grants. */
  forSession(options: TokenOptions): Promise<AcquiredToken>;
}

interface TokenProviderOptions {
  readonly auth: AuthServer;
  readonly tokens: TokenCache;
  readonly credential: Credential;
  readonly enrichmentCredential: Credential | undefined;
  readonly neededScopes: readonly Scope[];
  readonly redact: Redactor;
}

/** Fetches tokens ahead of their end and again after a refusal; concurrent callers share one request. */
export function createTokenProvider(parts: TokenProviderOptions): TokenProvider {
  const { auth, tokens, credential: main, enrichmentCredential, neededScopes, redact } = parts;
  /** True once a server that does not report its grants has refused the joint scopes. */
  let jointRefused = false;

  function credentialFor(scopes: readonly string[]): Credential {
    return scopes.includes('enrichment') ? (enrichmentCredential ?? main) : main;
  }

  async function grantedOf(credential: Credential, { signal, renew = false }: TokenOptions): Promise<Granted | undefined> {
    return auth.grantedIfKnown(credential, signal, renew);
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

  async function forNamed(scopes: readonly string[], options: TokenOptions): Promise<AcquiredToken> {
    const granted = await grantedOf(credentialFor(scopes), options);
    const missing = scopes.filter((scope) => granted && !granted.scopes.includes(scope));
    if (granted && missing.length > 0) throw lacksScope(missing, granted.scopes);
    return acquireToken(scopes, granted, options);
  }

  return {
    async forScope(scope, options) {
      const granted = await grantedOf(credentialFor([scope]), options);
      const held = await acquireJointToken(scope, scopesFor(scope, neededScopes, granted), granted, options);
      if (!held.token.scopes.includes(scope)) throw lacksScope([scope], held.token.scopes);
      return held;
    },
    forNamed,
    async forSession(options) {
      const granted = await grantedOf(main, options);
      // Toolsets that need no joint scope: a token of any granted scope names the project.
      const scopes = jointScopes(neededScopes.length > 0 ? neededScopes : JOINT_SCOPES, granted);
      return scopes.length > 0 ? acquireToken(scopes, granted, options) : forNamed([neededScopes[0] ?? 'enrichment'], options);
    },
  };
}
