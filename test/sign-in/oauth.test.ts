import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import { assert, asyncProperty, base64String, constantFrom, nat, oneof, string, tuple } from 'fast-check';
import { type CryptoKey, exportSPKI, importJWK, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { createOAuthSignIn, type OAuthOptions } from '../../src/sign-in/oauth.ts';
import { type SignIn, tokenAlgorithms } from '../../src/sign-in/principal.ts';
import { manualClock } from '../support/clock.ts';
import { AUDIENCE, stubIssuer } from '../support/issuer.ts';
import { sampleSize } from '../support/sample-size.ts';

/** A sign-in that trusts a new issuer, on a clock that stands still. */
async function signInWith(options: Partial<OAuthOptions> = {}, alg = 'ES256') {
  const clock = manualClock('2026-11-20T10:00:00Z');
  const issuer = await stubIssuer(clock, alg);
  const logged: string[] = [];
  const signIn = createOAuthSignIn({
    issuer: issuer.issuer,
    audience: AUDIENCE,
    algorithms: tokenAlgorithms,
    clockSkewSeconds: 30,
    fetchJson: (address) => issuer.fetchJson(address),
    clock,
    log: (level, message) => void logged.push(`${level}: ${message}`),
    ...options,
  });
  return { clock, issuer, signIn, logged, nowSeconds: clock.now() / 1000 };
}

const ask = (signIn: SignIn, token: string) => signIn.authenticate({ authorization: `Bearer ${token}` });

/** Who was let in, or status and words of the refusal. */
async function outcome(signIn: SignIn, token: string): Promise<string> {
  const answer = await ask(signIn, token);
  if ('principal' in answer) return answer.principal.id;
  const { status, headers, body } = answer.challenge;
  const isEchoed = token.length > 20 && JSON.stringify({ headers, body }).includes(token);
  return `${isEchoed ? 'echoed ' : ''}${status} ${body.error}: ${body.error_description}`;
}

describe('a token of the issuer for this audience', () => {
  it.each(['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA'])('signed with %s lets its subject in', { tags: 'nightly' }, async (alg) => {
    const { issuer, signIn, nowSeconds } = await signInWith({}, alg);
    expect(await ask(signIn, await issuer.token({ aud: ['https://other.example.com', AUDIENCE] }))).toEqual({
      principal: {
        id: 'https://issuer.example.com/tenant#alice',
        scopes: new Set(['read', 'write']),
        expiresAtMs: (nowSeconds + 3600 + 30) * 1000,
      },
    });
  });

  it('is the same principal through whichever client it was got', async () => {
    const { issuer, signIn } = await signInWith();
    const ids = await Promise.all(
      [{ client_id: 'a', azp: 'a' }, { client_id: 'b' }].map(async (claims) => outcome(signIn, await issuer.token(claims))),
    );
    expect(new Set(ids).size).toBe(1);
    expect(await outcome(signIn, await issuer.token({ sub: 'host', client_id: 'alice' }))).toBe('https://issuer.example.com/tenant#host');
  });

  it.each<[JWTPayload, string[]]>([
    [{ scope: 'read' }, ['read']],
    [{ scope: 'openid write read' }, ['read', 'write']],
    [{ scope: undefined, scp: 'read' }, ['read']],
    [{ scope: undefined, scp: ['read', 'write', 7] }, ['read', 'write']],
    [{ scope: 'read', scp: 'write' }, ['read']],
  ])('has the scopes of %j', async (claims, scopes) => {
    const { issuer, signIn } = await signInWith();
    expect(await ask(signIn, await issuer.token(claims))).toMatchObject({ principal: { scopes: new Set(scopes) } });
  });

  it.each<JWTPayload>([{ scope: undefined }, { scope: 'reader rewrite' }, { scope: 'write' }, { scope: { read: true } }])(
    'without the scope read is asked to step up: %j',
    async (claims) => {
      const { issuer, signIn } = await signInWith();
      expect(await ask(signIn, await issuer.token(claims))).toMatchObject({
        challenge: {
          status: 403,
          body: { error: 'insufficient_scope' },
          headers: { 'www-authenticate': expect.stringContaining('scope="read"') },
        },
      });
    },
  );

  it('holds within the skew of the clocks, and no longer', async () => {
    const { issuer, signIn, nowSeconds } = await signInWith();
    const at = (claims: JWTPayload) => issuer.token(claims).then((token) => outcome(signIn, token));
    expect(await at({ exp: nowSeconds - 29 })).toContain('#alice');
    expect(await at({ exp: nowSeconds - 30 })).toBe('401 invalid_token: The token has expired. Sign in again.');
    expect(await at({ nbf: nowSeconds + 30 })).toContain('#alice');
    expect(await at({ nbf: nowSeconds + 31 })).toBe('401 invalid_token: The token is not valid yet. Check the clocks.');
  });
});

describe('a token is refused', () => {
  it.each<[string, Record<string, unknown>, Partial<JWTHeaderParameters>, string]>([
    ['for another audience', { aud: 'https://mcp.example.com' }, {}, `is for another audience. Ask for one for the resource ${AUDIENCE}.`],
    ['for an audience that begins alike', { aud: `${AUDIENCE}/` }, {}, 'is for another audience'],
    ['for no audience', { aud: undefined }, {}, 'lacks the claim aud'],
    ['of another issuer', { iss: 'https://issuer.example.com' }, {}, 'was issued elsewhere'],
    ['of no issuer', { iss: undefined }, {}, 'lacks the claim iss'],
    ['that never expires', { exp: undefined }, {}, 'lacks the claim exp'],
    ['that expires in words', { exp: 'never' }, {}, 'claim exp of the token cannot be used'],
    ['of nobody', { sub: undefined }, {}, 'lacks the claim sub'],
    ['of an empty subject', { sub: '' }, {}, 'claim sub of the token cannot be used'],
    ['of a subject with a line end', { sub: 'alice\nbob' }, {}, 'claim sub of the token cannot be used'],
    ['of a subject of 256 characters', { sub: 'a'.repeat(256) }, {}, 'claim sub of the token cannot be used'],
    ['of a subject that is a number', { sub: 7 }, {}, 'claim sub of the token cannot be used'],
    ['of another type', {}, { typ: 'logout+jwt' }, 'cannot be read as a signed access token'],
  ])('%s', async (_name, claims, header, words) => {
    const { issuer, signIn } = await signInWith();
    const said = await outcome(signIn, await issuer.token(claims, header));
    expect(said).toMatch(/^401 invalid_token: /);
    expect(said).toContain(words);
  });

  it('when it calls an extension critical that nobody here knows', async () => {
    const { issuer, signIn } = await signInWith();
    const [, ...rest] = (await issuer.token()).split('.');
    const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: 'key-1', crit: ['x'], x: 1 })).toString('base64url');
    expect(await outcome(signIn, [header, ...rest].join('.'))).toMatch(/^401 invalid_token: The token cannot be read/);
  });

  it('when it is not signed, whatever it calls that', async () => {
    const { issuer, signIn } = await signInWith();
    const [, body] = (await issuer.token()).split('.');
    for (const alg of ['none', 'None', 'NONE', 'nOnE', '', 'HS256', 'RS257', undefined, 7]) {
      const header = Buffer.from(JSON.stringify({ alg, kid: 'key-1' })).toString('base64url');
      expect(await outcome(signIn, `${header}.${body}.`)).toMatch(
        /^401 invalid_token: The token (is not signed with an accepted|cannot be read)/,
      );
    }
  });

  it.each(['RS256', 'ES256'])('when a public key of %s served as its secret', { tags: 'nightly' }, async (alg) => {
    const { issuer, signIn } = await signInWith({}, alg);
    const [, body] = (await issuer.token()).split('.');
    const [jwk] = issuer.keys;
    const pem = await exportSPKI((await importJWK(jwk ?? {}, alg)) as CryptoKey);
    for (const secret of [pem, pem.trim(), JSON.stringify(jwk), jwk?.n ?? jwk?.x ?? '']) {
      for (const [hmac, digest] of [
        ['HS256', 'sha256'],
        ['HS512', 'sha512'],
      ] as const) {
        const signed = `${Buffer.from(JSON.stringify({ alg: hmac, kid: jwk?.kid, typ: 'JWT' })).toString('base64url')}.${body}`;
        const said = await outcome(signIn, `${signed}.${createHmac(digest, secret).update(signed).digest('base64url')}`);
        expect(said).toMatch(/^401 invalid_token: The token is not signed with an accepted algorithm/);
      }
    }
  });

  it('when another key signed it under the id of a known one', async () => {
    const { signIn, issuer } = await signInWith();
    const foreign = await signInWith();
    expect(await outcome(signIn, await foreign.issuer.token())).toBe('401 invalid_token: The signature of the token is wrong.');
    expect(await outcome(signIn, await issuer.token())).toContain('#alice');
  });

  it('when it brings its own key or says where one is', async () => {
    const { signIn, issuer } = await signInWith();
    const foreign = await stubIssuer(manualClock('2026-11-20T10:00:00Z'));
    const header = { jwk: foreign.keys[0], jku: 'https://attacker.example.com/keys', kid: 'key-9' } as never;
    expect(await outcome(signIn, await foreign.token({}, header))).toMatch(/^401 invalid_token: The token is not signed with a key of/);
    expect(issuer.asked.filter((path) => path !== '/keys' && !path.startsWith('/.well-known/'))).toEqual([]);
  });

  it('when its algorithm is not among those of the settings', async () => {
    const { issuer, signIn } = await signInWith({ algorithms: ['RS256'] });
    expect(await outcome(signIn, await issuer.token())).toContain('not signed with an accepted algorithm (RS256)');
  });

  it('when a member of it was changed', async () => {
    const { issuer, signIn } = await signInWith();
    const [header, body = '', signature] = (await issuer.token({ scope: 'read' })).split('.');
    const claims: unknown = JSON.parse(Buffer.from(body, 'base64url').toString());
    const forged = Buffer.from(JSON.stringify({ ...(claims as object), scope: 'read write' })).toString('base64url');
    expect(await outcome(signIn, `${header}.${forged}.${signature}`)).toContain('The signature of the token is wrong');
  });

  it('when the key is too short, or no key of signatures', { tags: 'nightly' }, async () => {
    const { issuer, signIn } = await signInWith({}, 'RS256');
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1024 });
    issuer.keys.push({ ...publicKey.export({ format: 'jwk' }), kid: 'short', alg: 'RS256' });
    issuer.keys.push({ kty: 'oct', k: Buffer.from('shared').toString('base64url'), kid: 'oct' });
    const header = Buffer.from(JSON.stringify({ alg: 'RS256', kid: 'short' })).toString('base64url');
    const signed = `${header}.${(await issuer.token()).split('.')[1]}`;
    const signature = sign('sha256', Buffer.from(signed), privateKey).toString('base64url');
    expect(await outcome(signIn, `${signed}.${signature}`)).toMatch(/^401 /);
    const shared = await new SignJWT({ sub: 'alice' })
      .setProtectedHeader({ alg: 'HS256', kid: 'oct' })
      .sign(Buffer.from('shared'.repeat(8)));
    expect(await outcome(signIn, shared)).toMatch(/^401 /);
  });

  it('when it is no token, at once and without a look at the keys', async () => {
    const { signIn, issuer } = await signInWith();
    const odd = [
      'Basic YTpi',
      'Bearer',
      'Bearer ',
      'bearer a b',
      'Bearer a\r\nx-injected: 1',
      'Bearer é',
      `Bearer ${'a'.repeat(8_200)}`,
      'token',
    ];
    for (const authorization of odd) {
      const answer = await signIn.authenticate({ authorization });
      const words = 'The Authorization header holds no bearer token, or one of more than 8192 characters.';
      expect(answer).toMatchObject({ challenge: { status: 401, body: { error: 'invalid_token', error_description: words } } });
      expect(JSON.stringify(answer)).not.toMatch(/x-injected|YTpi|aaaa/);
    }
    for (const token of ['a', 'a.b', 'a.b.c', '...', 'a.b.c.d.e', `${'a'.repeat(4_000)}.${'b'.repeat(4_000)}.c`]) {
      expect(await outcome(signIn, token)).toBe('401 invalid_token: The token cannot be read as a signed access token.');
    }
    expect(issuer.asked).toEqual([]);
  });
});

describe('whatever is sent', () => {
  /** The same token: the last letter of a signature may be spelled in several ways that mean the same bytes. */
  function isSame(token: string, good: string): boolean {
    const [one, other] = [token, good].map((each) => each.split('.'));
    const bytes = (parts: string[] | undefined) => Buffer.from(parts?.[2] ?? '', 'base64url').toString('hex');
    return one?.length === 3 && one[0] === other?.[0] && one[1] === other?.[1] && bytes(one) === bytes(other);
  }

  it('is answered, and no change of a good token lets anybody in', { tags: 'nightly' }, async () => {
    const { signIn, issuer } = await signInWith({}, 'EdDSA');
    const good = await issuer.token();
    const letter = constantFrom('A', 'B', 'a', 'f', '0', '9', '-', '_', '.', '~', '=', ' ');
    const changed = tuple(nat(good.length - 1), letter, constantFrom('replace', 'insert', 'remove')).map(
      ([at, other, how]) => `${good.slice(0, at)}${how === 'remove' ? '' : other}${good.slice(how === 'insert' ? at : at + 1)}`,
    );
    const sent = oneof(changed, string({ unit: 'binary' }), string(), base64String());
    const isRight = asyncProperty(sent, constantFrom('Bearer ', 'bearer  ', 'DPoP ', ''), async (token, scheme) => {
      const answer = await signIn.authenticate({ authorization: `${scheme}${token}` });
      return 'challenge' in answer || isSame(token, good);
    });
    await assert(isRight, { numRuns: sampleSize({ full: 100, short: 20 }) });
    expect(await ask(signIn, good)).toHaveProperty('principal');
  });
});

it.each([
  [AUDIENCE, ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-protected-resource']],
  ['https://mcp.example.com', ['/.well-known/oauth-protected-resource']],
])('the metadata of the resource of %s name the issuer and the scopes', async (audience, paths) => {
  const { signIn } = await signInWith({ audience });
  expect(signIn.metadata).toEqual({
    paths,
    document: {
      resource: audience,
      authorization_servers: ['https://issuer.example.com/tenant'],
      scopes_supported: ['read', 'write'],
      bearer_methods_supported: ['header'],
      resource_name: 'web-analytics-mcp',
    },
  });
});
