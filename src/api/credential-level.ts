import type { AuthServer } from './auth-server.ts';
import { ApiError } from './errors.ts';
import { onlyProject, tokenScopes } from './granted.ts';
import type { Scope } from './operation.ts';
import type { Credential, TokenCache } from './tokens.ts';

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
