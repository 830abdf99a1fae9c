/** Longest `Authorization` header that is looked at; issuers' tokens stay below half of it. */
export const MAX_AUTHORIZATION_CHARS = 8_192;

/** What an `Authorization` header holds: a token, nothing, or something that is no bearer token. */
export function bearerToken(authorization: string | undefined): { token: string } | 'missing' | 'malformed' {
  if (authorization === undefined || authorization.trim() === '') return 'missing';
  if (authorization.length > MAX_AUTHORIZATION_CHARS) return 'malformed';
  const token = /^Bearer +([\w.~+/-]+=*)$/i.exec(authorization)?.[1];
  return token === undefined ? 'malformed' : { token };
}
