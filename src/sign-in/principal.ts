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

/** The content of an `Authorization` header: a token, nothing, or something that is not a bearer token. */
export function bearerToken(authorization: string | undefined): { token: string } | 'missing' | 'malformed' {
  if (authorization === undefined || authorization.trim() === '') return 'missing';
  if (authorization.length > MAX_AUTHORIZATION_CHARS) return 'malformed';
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1];
  return token === undefined ? 'malformed' : { token };
}

/** Challenges of one server, in the words of RFC 6750 and RFC 9728. */
interface Challenges {
  /** No token came: where to get one and with which scope, but no error. */
  missing(): Challenge;
  /** The token is not accepted; the words are ours, never the caller's. */
  refused(words: string): Challenge;
  /** A good token without this scope; it names all scopes that the next token needs, because clients ask for exactly these. */
  insufficient(scope: AccessScope): Challenge;
  /** No caller can be accepted at present, whatever the token. */
  unavailable(words: string, retryAfterSeconds: number): Challenge;
}

/** A quoted string of a header; everything but printable ASCII is left out, so that no value ends its line. */
function quoted(text: string): string {
  return `"${text.replace(/[^\x20-\x7e]/g, '').replace(/["\\]/g, '\\$&')}"`;
}

function bearer(parameters: Readonly<Record<string, string | undefined>>): string {
  const given = Object.entries(parameters).flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${quoted(value)}`]));
  return `Bearer ${given.join(', ')}`;
}

/** The scopes that a caller asks for when signing in; the issuer grants those that the caller may have. */
const ASKED = accessScopes.join(' ');

/** Makes the challenges; `metadataAddress` is where the protected-resource metadata are, where there are any. */
export function createChallenges(metadataAddress: string | undefined): Challenges {
  const howToGet = metadataAddress === undefined ? 'Ask the operator for a token with' : 'Sign in again and ask for';
  const lasting = { realm: metadataAddress === undefined ? 'web-analytics-mcp' : undefined, resource_metadata: metadataAddress };

  function challenge(status: 401 | 403, scope: string, error: string, words: string): Challenge {
    const header = bearer({ error, error_description: words, scope, ...lasting });
    return { status, headers: { 'www-authenticate': header }, body: { error, error_description: words } };
  }

  return {
    missing: () => ({
      status: 401,
      headers: { 'www-authenticate': bearer({ scope: ASKED, ...lasting }) },
      body: { error: 'unauthorized', error_description: 'Sign in: send a bearer token in the Authorization header.' },
    }),
    refused: (words) => challenge(401, ASKED, 'invalid_token', words),
    insufficient(scope) {
      const needed = accessScopes.slice(0, accessScopes.indexOf(scope) + 1).join(' ');
      return challenge(403, needed, 'insufficient_scope', `The token lacks the scope ${scope}. ${howToGet}: ${needed}.`);
    },
    unavailable: (words, retryAfterSeconds) => ({
      status: 503,
      headers: { 'retry-after': String(retryAfterSeconds) },
      body: { error: 'temporarily_unavailable', error_description: words },
    }),
  };
}
