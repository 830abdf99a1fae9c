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
export interface Challenge {
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
