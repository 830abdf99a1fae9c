import { errors, type JWTPayload, jwtVerify } from 'jose';
import { createIssuerKeys, type IssuerKeysOptions, KEYS_PAUSE_MS, KeysUnavailableError } from './issuer-keys.ts';
import {
  type AccessScope,
  accessScopes,
  bearerToken,
  createChallenges,
  MAX_AUTHORIZATION_CHARS,
  type Principal,
  type ResourceMetadata,
  type SignIn,
  subjectId,
  type TokenAlgorithm,
} from './principal.ts';

export interface OAuthOptions extends IssuerKeysOptions {
  /** Address of the served server as callers know it; a token must name it as its audience. */
  readonly audience: string;
  readonly algorithms: readonly TokenAlgorithm[];
  readonly clockSkewSeconds: number;
}

/** Refuses tokens of another type, which the same keys may have signed. */
const ACCESS_TOKEN_TYPES = /^(?:application\/)?(?:at\+)?jwt$/i;
/** What a subject may look like (OpenID Connect allows 255 characters). */
const SUBJECT = /^[^\p{Cc}\p{Cf}\p{Cs}]{1,255}$/u;

function resourceMetadata(issuer: string, audience: string): { address: string; metadata: ResourceMetadata } {
  const { origin, pathname } = new URL(audience);
  const root = '/.well-known/oauth-protected-resource';
  const path = `${root}${pathname === '/' ? '' : pathname}`;
  const document = {
    resource: audience,
    authorization_servers: [issuer],
    scopes_supported: accessScopes,
    bearer_methods_supported: ['header'],
    resource_name: 'web-analytics-mcp',
  };
  return { address: `${origin}${path}`, metadata: { paths: [...new Set([path, root])], document } };
}

/** Scopes as issuers spell them: `scope` with spaces between, or `scp` as text or list. */
function scopesOf({ scope, scp }: JWTPayload): ReadonlySet<AccessScope> {
  const named = new Set([scope ?? scp].flat().flatMap((part) => (typeof part === 'string' ? part.split(' ') : [])));
  return new Set(accessScopes.filter((each) => named.has(each)));
}

/** Why a token is not accepted; claims are spoken of only once the signature was found good. */
function refusal(error: unknown, { issuer, audience, algorithms }: OAuthOptions): string {
  if (error instanceof errors.JWTExpired) return 'The token has expired. Sign in again.';
  if (error instanceof errors.JOSEAlgNotAllowed) return `The token is not signed with an accepted algorithm (${algorithms.join(', ')}).`;
  if (error instanceof errors.JWKSNoMatchingKey) return `The token is not signed with a key of ${issuer}.`;
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'The signature of the token is wrong.';
  if (error instanceof errors.JWKSMultipleMatchingKeys) return 'The token does not say which key signed it.';
  if (error instanceof errors.JWTClaimValidationFailed) {
    if (error.reason === 'missing') return `The token lacks the claim ${error.claim}.`;
    if (error.claim === 'aud') return `The token is for another audience. Ask for one for the resource ${audience}.`;
    if (error.claim === 'iss') return `The token was issued elsewhere. Sign in at ${issuer}.`;
    if (error.claim === 'nbf') return 'The token is not valid yet. Check the clocks.';
    return `The claim ${error.claim} of the token cannot be used.`;
  }
  return 'The token cannot be read as a signed access token.';
}

/** Accepts callers with a JWT access token of this issuer for this audience; the token is not passed on. */
export function createOAuthSignIn(options: OAuthOptions): SignIn {
  const { issuer, audience, algorithms, clockSkewSeconds, clock } = options;
  const { address, metadata } = resourceMetadata(issuer, audience);
  const challenges = createChallenges(address);
  const keys = createIssuerKeys(options);

  async function verify(token: string): Promise<Principal & { expiresAtMs: number }> {
    const { payload, protectedHeader } = await jwtVerify(token, (header, input) => keys.keyOf(header, input), {
      issuer,
      audience,
      algorithms: [...algorithms],
      clockTolerance: clockSkewSeconds,
      currentDate: new Date(clock.now()),
      requiredClaims: ['exp', 'sub'],
    });
    const { sub, exp = 0 } = payload;
    if (protectedHeader.typ !== undefined && !ACCESS_TOKEN_TYPES.test(protectedHeader.typ)) throw new errors.JWTInvalid('no access token');
    // The library checks the type of the times alone: the number 7 must not be the subject "7".
    if (typeof sub !== 'string' || !SUBJECT.test(sub)) throw new errors.JWTClaimValidationFailed('unusable', payload, 'sub', 'invalid');
    return { id: subjectId(issuer, sub), scopes: scopesOf(payload), expiresAtMs: (exp + clockSkewSeconds) * 1000 };
  }

  return {
    metadata,
    fault: () => keys.fault(),
    stepUp: (scope) => challenges.insufficient(scope),
    async authenticate({ authorization }) {
      const sent = bearerToken(authorization);
      if (sent === 'missing') return { challenge: challenges.missing() };
      if (sent === 'malformed') {
        const words = `The Authorization header holds no bearer token, or one of more than ${MAX_AUTHORIZATION_CHARS} characters.`;
        return { challenge: challenges.refused(words) };
      }
      try {
        const principal = await verify(sent.token);
        return principal.scopes.has('read') ? { principal } : { challenge: challenges.insufficient('read') };
      } catch (error) {
        if (!(error instanceof KeysUnavailableError)) return { challenge: challenges.refused(refusal(error, options)) };
        const words = 'Tokens cannot be checked at present, because the issuer cannot be reached. Try again later.';
        return { challenge: challenges.unavailable(words, KEYS_PAUSE_MS / 1000) };
      }
    },
  };
}
