/** The identity of a subject of an issuer; unambiguous, because no issuer's address holds a `#`. */
export function subjectId(issuer: string, subject: string): string {
  return `${issuer}#${subject}`;
}

/** Signature algorithms with a public key; a shared secret that checks signatures could also make them. */
export const tokenAlgorithms = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
] as const;
/** A signature algorithm of tokens; symmetric ones are not accepted. */
export type TokenAlgorithm = (typeof tokenAlgorithms)[number];

/** Access of a caller: to see data, or to change something too. */
export const accessScopes = ['read', 'write'] as const;
/** Access of a caller. */
export type AccessScope = (typeof accessScopes)[number];

/** Who calls, as the token proved it. */
export interface Principal {
  /**
   * The same for every token of this caller, and no other's: issuer and subject, or the name of a static token. It is personal: logs carry
   * a digest.
   */
  readonly id: string;
  readonly scopes: ReadonlySet<AccessScope>;
  /** Changes with the caller's platform credential, where each has its own: sessions of the old one then end. */
  readonly credentialVersion?: string;
  /** When what the caller proved ends; a stream must not outlive it. */
  readonly expiresAtMs?: number;
}

/** The only caller of a server that listens to its own machine and asks for no sign-in. */
export const localPrincipal: Principal = { id: 'local', scopes: new Set(accessScopes) };

/** The HTTP answer to a refused caller; holds nothing that the caller sent. */
interface Challenge {
  /** 401: no token, or a wrong one; 403: a good one without the scope; 503: tokens cannot be checked at present. */
  readonly status: 401 | 403 | 503;
  /** `www-authenticate` or `retry-after`, by lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: { readonly error: string; readonly error_description: string };
}

/** Protected-resource metadata (RFC 9728) and the paths it is served at without a token. */
export interface ResourceMetadata {
  readonly paths: readonly string[];
  readonly document: Readonly<Record<string, unknown>>;
}

/** Decides who calls; one for the whole process. */
export interface SignIn {
  /** Checks the `Authorization` header of one request; never rejects. A principal has the scope `read` at least. */
  authenticate(request: { readonly authorization?: string | undefined }): Promise<{ principal: Principal } | { challenge: Challenge }>;
  /** The answer to a principal whose token lacks this scope. */
  stepUp(scope: AccessScope): Challenge;
  /** Why no caller can be accepted at present, without a secret or a path; undefined where all is well. */
  fault(): Promise<string | undefined>;
  /** Left out where the tokens do not come from an authorization server. */
  readonly metadata?: ResourceMetadata;
}

/** A credential of the platform with what belongs to it. */
export interface PlatformCredential {
  readonly credential: { readonly clientId: string; readonly clientSecret: string };
  readonly enrichmentCredential?: { readonly clientId: string; readonly clientSecret: string };
  readonly defaultProjectId?: number;
}

/** Platform credentials by principal. */
export interface PlatformCredentials {
  /** The principal's own credential; rejects with a `CredentialsError` whose message says what the operator has to do. */
  credentialsOf(principal: Pick<Principal, 'id'>): Promise<PlatformCredential>;
  /** Another text whenever the principal's credential was added, changed or removed; never rejects. */
  versionOf(principal: Pick<Principal, 'id'>): Promise<string>;
}

/** A principal's credential that is not there or cannot be read; the message is meant for the caller and holds no secret. */
export class CredentialsError extends Error {
  override name = 'CredentialsError';
}

/** Longest `Authorization` header that is read; tokens of issuers stay below half of it. */
export const MAX_AUTHORIZATION_CHARS = 8_192;
const BEARER = /^Bearer +([\w.~+/-]+=*)$/i;

/** Why a token lets nobody in; the words are ours, never the caller's. */
export interface TokenFault {
  readonly words: string;
  /** Set where no token can be checked at present. */
  readonly retryAfterSeconds?: number;
}

/** A quoted string of a header; everything but printable ASCII is left out, so that no value ends its line. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}

/** The scopes that a caller asks for when signing in; the issuer grants those that the caller may have. */
const ASKED = accessScopes.join(' ');

/**
 * The sign-in by bearer tokens, answering in the words of RFC 6750 and RFC 9728; `verify` finds out whose a token is, and
 * `metadataAddress` is where the protected-resource metadata are, where there are any.
 */
export function createBearerSignIn(
  metadataAddress: string | undefined,
  verify: (token: string) => Promise<Principal | TokenFault>,
): Pick<SignIn, 'authenticate' | 'stepUp'> {
  const howToGet = metadataAddress === undefined ? 'Ask the operator for a token with' : 'Sign in again and ask for';
  const lasting = { realm: metadataAddress === undefined ? 'web-analytics-mcp' : undefined, resource_metadata: metadataAddress };

  function challenge(status: 401 | 403, scope: string, fault: Partial<Challenge['body']>): Pick<Challenge, 'status' | 'headers'> {
    const parameters = Object.entries({ ...fault, scope, ...lasting });
    const given = parameters.flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${quoted(value)}`]));
    return { status, headers: { 'www-authenticate': `Bearer ${given.join(', ')}` } };
  }

  function refused(words: string): Challenge {
    const body = { error: 'invalid_token', error_description: words };
    return { ...challenge(401, ASKED, body), body };
  }

  /** It names all scopes that the next token needs, because clients ask for exactly these. */
  function stepUp(scope: AccessScope): Challenge {
    const needed = accessScopes.slice(0, accessScopes.indexOf(scope) + 1).join(' ');
    const body = { error: 'insufficient_scope', error_description: `The token lacks the scope ${scope}. ${howToGet}: ${needed}.` };
    return { ...challenge(403, needed, body), body };
  }

  async function challengeOf(authorization: string): Promise<Challenge | Principal> {
    // Where to get a token and with which scope, but no error.
    const asked = { error: 'unauthorized', error_description: 'Sign in: send a bearer token in the Authorization header.' };
    if (authorization.trim() === '') return { ...challenge(401, ASKED, {}), body: asked };
    const token = authorization.length > MAX_AUTHORIZATION_CHARS ? undefined : BEARER.exec(authorization)?.[1];
    if (token === undefined)
      return refused(`The Authorization header holds no bearer token, or one of more than ${MAX_AUTHORIZATION_CHARS} characters.`);
    const found = await verify(token);
    if ('id' in found) return found.scopes.has('read') ? found : stepUp('read');
    const { words, retryAfterSeconds } = found;
    if (retryAfterSeconds === undefined) return refused(words);
    const headers = { 'retry-after': String(retryAfterSeconds) };
    return { status: 503, headers, body: { error: 'temporarily_unavailable', error_description: words } };
  }

  return {
    stepUp,
    async authenticate({ authorization = '' }) {
      const found = await challengeOf(authorization);
      return 'id' in found ? { principal: found } : { challenge: found };
    },
  };
}
