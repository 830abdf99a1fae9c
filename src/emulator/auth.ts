import type { InputOf, Scope } from '../api/operation.ts';
import { operations } from '../api/operations/index.ts';
import { type Credential, type Project, TOKEN_LIFE_SECONDS } from './credentials.ts';
import type { Platform } from './handler.ts';
import { json } from './responses.ts';
import { type RawInput, rawInput, worded } from './validation.ts';

/** Refuses in the style of OAuth: `error` and `error_description`, no envelope. */
class OAuthRefusal extends Error {
  readonly status: number;
  readonly error: string;

  constructor(status: number, error: string, description: string) {
    super(description);
    this.name = 'OAuthRefusal';
    this.status = status;
    this.error = error;
  }
}

/** Answers `/v1/oauth/token` or `/v1/oauth/me`. */
export async function answerAuth(name: 'requestToken' | 'readCredential', raw: RawInput, platform: Platform): Promise<Response> {
  try {
    return json(200, await (name === 'requestToken' ? token(raw, platform) : credentialRecord(raw, platform)));
  } catch (error) {
    if (!(error instanceof OAuthRefusal)) throw error;
    return json(error.status, { error: error.error, error_description: error.message });
  }
}

function checked<Name extends 'requestToken' | 'readCredential'>(name: Name, raw: RawInput): InputOf<(typeof operations)[Name]>;
function checked(name: 'requestToken' | 'readCredential', raw: RawInput): unknown {
  const operation = operations[name];
  const input = unwrapped(() => rawInput(operation, raw));
  const result = operation.input.safeParse(input);
  if (result.success) return result.data;
  const first = result.error.issues[0]?.path[0];
  const isMissing = typeof first === 'string' && !Object.hasOwn(input, first);
  const codes: Record<string, string> = { scope: 'invalid_scope', grant_type: 'unsupported_grant_type' };
  const code = isMissing ? undefined : codes[String(first)];
  throw new OAuthRefusal(400, code ?? 'invalid_request', worded(result.error.issues, operation));
}

function unwrapped<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new OAuthRefusal(400, 'invalid_request', error instanceof Error ? error.message : String(error));
  }
}

async function token(raw: RawInput, { credentials, clock, tokens, addresses }: Platform) {
  const input = checked('requestToken', raw);
  const credential = authenticated(input, Object.values(credentials), clock.now());
  const project = projectOf(credential, input.project_id);
  const scopes = grantedScopes(credential, input.scope);
  return {
    access_token: await tokens.issue(credential, project, scopes),
    token_type: 'bearer',
    expires_in: TOKEN_LIFE_SECONDS,
    scope: scopes.join(' '),
    project_id: project.id,
    endpoint: scopes.includes('enrichment') ? addresses.enrichment : addresses.service,
  };
}

function credentialRecord(raw: RawInput, { credentials, clock }: Platform) {
  const { scopes, projects } = authenticated(checked('readCredential', raw), Object.values(credentials), clock.now());
  return { scopes: scopes.join(' '), permissions: { projects: projects.map(({ id, name }) => ({ id, name })) } };
}

function authenticated(
  { client_id, client_secret }: { client_id: string; client_secret: string },
  known: readonly Credential[],
  nowMs: number,
): Credential {
  const credential = known.find(({ clientId, clientSecret }) => clientId === client_id && clientSecret === client_secret);
  if (!credential) throw new OAuthRefusal(401, 'invalid_client', 'Client id or client secret is wrong.');
  if (nowMs >= credential.expiresMs) {
    const day = new Date(credential.expiresMs).toISOString().slice(0, 10);
    throw new OAuthRefusal(
      401,
      'invalid_client',
      `The credential expired on ${day}, 1 year after it was made; make a new one in the console.`,
    );
  }
  return credential;
}

function projectOf({ level, projects }: Credential, projectId: number | undefined): Project {
  const project = level === 'project' ? projects[0] : projects.find(({ id }) => id === projectId);
  if (level === 'account' && projectId === undefined) {
    throw new OAuthRefusal(400, 'invalid_request', 'project_id is required with an account-level credential.');
  }
  if (!project || (projectId !== undefined && projectId !== project.id)) {
    throw new OAuthRefusal(403, 'access_denied', `project_id ${projectId}: the credential does not reach this project.`);
  }
  return project;
}

function grantedScopes({ scopes }: Credential, asked: string): Scope[] {
  const names = [...new Set(asked.trim().split(/\s+/))];
  return names.map((name) => {
    const scope = scopes.find((granted) => granted === name);
    if (!scope) throw new OAuthRefusal(400, 'invalid_scope', `The credential lacks the scope ${name}; it has ${scopes.join(' ')}.`);
    return scope;
  });
}
