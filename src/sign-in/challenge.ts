import { type AccessScope, accessScopes, type Challenge } from './principal.ts';

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
export interface Challenges {
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
