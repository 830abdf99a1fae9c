import { describe, expect, it } from 'vitest';
import { createBearerSignIn, MAX_AUTHORIZATION_CHARS, type SignIn } from '../../src/sign-in/principal.ts';

const METADATA = 'https://mcp.example.com/.well-known/oauth-protected-resource';

/** The answer of a sign-in that knows no token: its words are the token. */
const answer = (authorization: string | undefined, metadata: string | undefined = METADATA) =>
  createBearerSignIn(metadata, async (words) => ({ words })).authenticate({ authorization });

/** What an `Authorization` header holds: a token, nothing, or something that is not a bearer token. */
async function contentOf(authorization: string | undefined): Promise<unknown> {
  const found: Awaited<ReturnType<SignIn['authenticate']>> = await answer(authorization);
  if ('principal' in found || found.challenge.body.error === 'unauthorized') return 'missing';
  const { error_description: words } = found.challenge.body;
  return /^The Authorization header holds no bearer token, or one of more than 8192 characters\.$/.test(words)
    ? 'malformed'
    : { token: words };
}

describe('an Authorization header', () => {
  const longest = 'a'.repeat(MAX_AUTHORIZATION_CHARS - 'Bearer '.length);

  it.each<[string | undefined, unknown]>([
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
  ])('%.40s', async (authorization, read) => {
    expect(await contentOf(authorization)).toEqual(read);
  });
});

it('a caller without a token is asked to sign in', async () => {
  const body = { error: 'unauthorized', error_description: 'Sign in: send a bearer token in the Authorization header.' };
  const headers = { 'www-authenticate': `Bearer scope="read write", resource_metadata="${METADATA}"` };
  expect(await answer(undefined)).toEqual({ challenge: { status: 401, headers, body } });
});

it('a refusal says why in header and body, and in the header in printable ASCII alone', async () => {
  const words = 'It says "no" in C:\\café\r\nx: 1.';
  expect(await createBearerSignIn(METADATA, async () => ({ words })).authenticate({ authorization: 'Bearer abc' })).toEqual({
    challenge: {
      status: 401,
      headers: {
        'www-authenticate':
          'Bearer error="invalid_token", error_description="It says \\"no\\" in C:\\\\cafx: 1.", ' +
          `scope="read write", resource_metadata="${METADATA}"`,
      },
      body: { error: 'invalid_token', error_description: words },
    },
  });
});
