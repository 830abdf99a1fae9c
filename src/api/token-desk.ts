import type { Redactor } from '../lib/redact.ts';
import type { AuthServer } from './auth-server.ts';
import { ApiError } from './errors.ts';
import { checkProject, type Granted, JOINT_SCOPES, jointScopes, lacksScope, scopesFor } from './granted.ts';
import type { Scope } from './operation.ts';
import type { Credential, Token, TokenCache, TokenRequest } from './tokens.ts';

/** A token with the request that it was fetched for. */
export interface HeldToken {
  readonly request: TokenRequest;
  readonly token: Token;
  readonly fromCache: boolean;
  /** The project of the token, the chosen one, or the only one that the credential reaches. */
  readonly projectId: number | undefined;
}

interface Wish {
  /** Project chosen by the call or the settings. */
  projectId: number | undefined;
  signal: AbortSignal;
  renew?: boolean;
}

/** Decides which token a call needs: credential, project and scopes; refuses before any request what cannot succeed. */
export interface TokenDesk {
  /** For an operation of this scope. */
  forScope(scope: Scope, wish: Wish): Promise<HeldToken>;
  /** For exactly these scopes. */
  forNamed(scopes: readonly string[], wish: Wish): Promise<HeldToken>;
  /** For what the session needs and the credential grants. */
  forSession(wish: Wish): Promise<HeldToken>;
}

export function createTokenDesk({
  auth,
  tokens,
  credential: main,
  enrichmentCredential,
  neededScopes,
  redact,
}: {
  auth: AuthServer;
  tokens: TokenCache;
  credential: Credential;
  enrichmentCredential: Credential | undefined;
  neededScopes: readonly Scope[];
  redact: Redactor;
}): TokenDesk {
  /** True once a server that does not tell its grants has refused the joint scopes. */
  let jointRefused = false;

  function credentialFor(scopes: readonly string[]): Credential {
    return scopes.includes('enrichment') ? (enrichmentCredential ?? main) : main;
  }

  async function grantedOf(credential: Credential, { signal, renew = false }: Wish): Promise<Granted | undefined> {
    return auth.grantedIfKnown(credential, signal, renew);
  }

  async function hold(scopes: readonly string[], granted: Granted | undefined, wish: Wish): Promise<HeldToken> {
    const { projectId, signal, renew = false } = wish;
    checkProject(granted, projectId, redact);
    const request: TokenRequest = { credential: credentialFor(scopes), projectId, scopes };
    const found = renew ? { token: await tokens.renew(request, signal), fromCache: false } : await tokens.get(request, signal);
    const only = granted?.projects.length === 1 ? granted.projects[0]?.id : undefined;
    return { request, ...found, projectId: found.token.projectId ?? projectId ?? only };
  }

  async function holdJoint(scope: Scope, scopes: readonly string[], granted: Granted | undefined, wish: Wish): Promise<HeldToken> {
    if (granted || scopes.length === 1) return hold(scopes, granted, wish);
    if (jointRefused) return hold([scope], granted, wish);
    try {
      return await hold(scopes, granted, wish);
    } catch (error) {
      // With grants unknown, the refusal may be about a scope that this call can do without.
      if (!(error instanceof ApiError) || (error.kind !== 'forbidden' && error.kind !== 'invalid')) throw error;
      const held = await hold([scope], granted, wish);
      jointRefused = true;
      return held;
    }
  }

  async function forNamed(scopes: readonly string[], wish: Wish): Promise<HeldToken> {
    const granted = await grantedOf(credentialFor(scopes), wish);
    const missing = scopes.filter((scope) => granted && !granted.scopes.includes(scope));
    if (granted && missing.length > 0) throw lacksScope(missing, granted.scopes);
    return hold(scopes, granted, wish);
  }

  return {
    async forScope(scope, wish) {
      const granted = await grantedOf(credentialFor([scope]), wish);
      const held = await holdJoint(scope, scopesFor(scope, neededScopes, granted), granted, wish);
      if (!held.token.scopes.includes(scope)) throw lacksScope([scope], held.token.scopes);
      return held;
    },
    forNamed,
    async forSession(wish) {
      const granted = await grantedOf(main, wish);
      // Toolsets that call for no joint scope: any that is granted tells the project.
      const scopes = jointScopes(neededScopes.length > 0 ? neededScopes : JOINT_SCOPES, granted);
      return scopes.length > 0 ? hold(scopes, granted, wish) : forNamed([neededScopes[0] ?? 'enrichment'], wish);
    },
  };
}
