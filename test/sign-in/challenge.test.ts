import { describe, expect, it } from 'vitest';
import { bearerToken, createChallenges, MAX_AUTHORIZATION_CHARS } from '../../src/sign-in/principal.ts';

const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource';

describe('an Authorization header', () => {
  const longest = 'a'.repeat(MAX_AUTHORIZATION_CHARS - 'Bearer '.length);

  it.each<[string | undefined, ReturnType<typeof bearerToken>]>([
    [undefined, 'missing'],
    ['', 'missing'],
    [' \t', 'missing'],
    ['Bearer abc', { token: 'abc' }],
    ['bearer   a.b-c_d~e+f/g==', { token: 'a.b-c_d~e+f/g==' }],
    ['Bearer', 'malformed'],
    ['Bearer ', 'malformed'],
    ['Bearerabc', 'malformed'],
    ['xBearer abc', 'malformed'],
    [' Bearer abc', 'malformed'],
    ['Bearer abc, Bearer def', 'malformed'],
    ['Bearer a=b', 'malformed'],
    ['Bearer ab\ncd', 'malformed'],
    ['Basic YTpi', 'malformed'],
    [`Bearer ${longest}`, { token: longest }],
    [`Bearer ${longest}a`, 'malformed'],
  ])('%.40s', (authorization, read) => {
    expect(bearerToken(authorization)).toEqual(read);
  });
});

describe('the answer to a refused caller', () => {
  it('without a token asks to sign in', () => {
    const body = { error: 'unauthorized', error_description: 'Sign in: send a bearer token in the Authorization header.' };
    const headers = { 'www-authenticate': `Bearer scope="read write", resource_metadata="${METADATA}"` };
    expect(createChallenges(METADATA).missing()).toEqual({ status: 401, headers, body });
    const ofOperator = { 'www-authenticate': 'Bearer scope="read write", realm="web-analytics-mcp"' };
    expect(createChallenges(undefined).missing()).toEqual({ status: 401, headers: ofOperator, body });
  });

  it('says why in header and body, and in the header in printable ASCII alone', () => {
    const words = 'It says "no" in C:\\café\r\nx: 1.';
    expect(createChallenges(METADATA).refused(words)).toEqual({
      status: 401,
      headers: {
        'www-authenticate':
          'Bearer error="invalid_token", error_description="It says \\"no\\" in C:\\\\cafx: 1.", ' +
          `scope="read write", resource_metadata="${METADATA}"`,
      },
      body: { error: 'invalid_token', error_description: words },
    });
  });
});
