import { describe, expect, it } from 'vitest';
import { createIssuerKeys, createOAuthSignIn, type IssuerKeysOptions, metadataAddresses } from '../../src/sign-in/oauth.ts';
import { manualClock } from '../support/clock.ts';
import { AUDIENCE, stubIssuer } from '../support/issuer.ts';
import { times } from '../support/times.ts';

/** Sign-in with a new issuer whose documents a test may change. */
async function place(options: Partial<IssuerKeysOptions> = {}) {
  const clock = manualClock('2026-11-20T10:00:00Z');
  const issuer = await stubIssuer(clock);
  const logged: string[] = [];
  const signIn = createOAuthSignIn({
    issuer: issuer.issuer,
    audience: AUDIENCE,
    algorithms: ['ES256'],
    clockSkewSeconds: 0,
    fetchJson: (address) => issuer.fetchJson(address),
    clock,
    log: (level, message) => void logged.push(`${level}: ${message}`),
    ...options,
  });
  async function enter(token?: string): Promise<number> {
    const answer = await signIn.authenticate({ authorization: `Bearer ${token ?? (await issuer.token())}` });
    return 'principal' in answer ? 200 : answer.challenge.status;
  }
  const reads = () => issuer.asked.filter((path) => path === '/keys').length;
  return { clock, issuer, logged, enter, reads, signIn };
}

describe('the keys of an issuer', () => {
  it('are read once, by one request for all that wait', async () => {
    const { issuer, enter, clock } = await place();
    expect(await Promise.all(times(20, () => enter()))).toEqual(times(20, () => 200));
    await clock.advance(9 * 60_000);
    expect(await enter()).toBe(200);
    expect(issuer.asked).toEqual(['/.well-known/oauth-authorization-server/tenant', '/keys']);
  });

  it('are read again for an unknown key, but not for every one', async () => {
    const { issuer, enter, reads, clock } = await place();
    expect(await enter()).toBe(200);
    await issuer.rotate();
    expect(await enter()).toBe(401);
    await clock.advance(30_000);
    expect(await enter()).toBe(200);
    expect(reads()).toBe(2);
    const unknown = await Promise.all(times(50, (each) => issuer.token({}, { kid: `unknown-${each}` })));
    await clock.advance(30_000);
    expect(new Set(await Promise.all(unknown.map((token) => enter(token))))).toEqual(new Set([401]));
    expect(new Set(await Promise.all(unknown.map((token) => enter(token))))).toEqual(new Set([401]));
    expect(reads()).toBe(3);
  });

  it('that are withdrawn stop working when the kept ones are old', async () => {
    const { issuer, enter, clock } = await place();
    const old = await issuer.token();
    expect(await enter(old)).toBe(200);
    issuer.keys.length = 0;
    await issuer.rotate();
    issuer.keys.forEach((key) => Object.assign(key, { kid: 'next' }));
    expect(await enter(old)).toBe(200);
    await clock.advance(10 * 60_000 + 1);
    expect(await enter(old)).toBe(401);
  });

  it('go on working for a day while the issuer is down, and are asked for every half minute', async () => {
    const { issuer, enter, reads, logged, clock } = await place();
    expect(await enter()).toBe(200);
    issuer.down = true;
    await clock.advance(11 * 60_000);
    expect([await enter(), await enter(), await enter()]).toEqual([200, 200, 200]);
    expect(reads()).toBe(2);
    expect(logged).toEqual([
      expect.stringMatching(/^warn: The keys of the issuer could not be read; the last ones stay in use.* refused the connection\.$/),
    ]);
    await clock.advance(24 * 3_600_000);
    expect(await enter()).toBe(503);
    issuer.down = false;
    await clock.advance(30_000);
    expect(await enter()).toBe(200);
  });

  it('hold nobody up for long while the issuer takes its time', async () => {
    let isSlow = false;
    const hanging = new Promise<never>(() => undefined);
    const { issuer, enter, clock } = await place({ fetchJson: async (address) => (isSlow ? hanging : issuer.fetchJson(address)) });
    const token = await issuer.token();
    expect(await enter(token)).toBe(200);
    isSlow = true;
    await clock.advance(11 * 60_000);
    const [first, second] = [enter(token), enter(token)];
    expect(await clock.nextSleep()).toBe(2_000);
    await clock.advance(2_000);
    expect(await Promise.all([first, second, enter(token)])).toEqual([200, 200, 200]);
    expect(clock.sleeping).toBe(0);
  });

  it('that were never read let nobody in, and ask for patience instead of another token', async () => {
    const { issuer, enter, clock, signIn } = await place();
    issuer.down = true;
    expect([await enter(), await enter()]).toEqual([503, 503]);
    expect(issuer.asked).toHaveLength(metadataAddresses(issuer.issuer).length);
    const words = 'Tokens cannot be checked at present, because the issuer cannot be reached. Try again later.';
    expect(await signIn.authenticate({ authorization: `Bearer ${await issuer.token()}` })).toMatchObject({
      challenge: { headers: { 'retry-after': '30' }, body: { error_description: words } },
    });
    issuer.down = false;
    expect([await enter(), await signIn.fault()]).toEqual([503, 'The keys of the issuer cannot be read.']);
    await clock.advance(30_000);
    expect([await signIn.fault(), await enter()]).toEqual([undefined, 200]);
  });

  it('survive a clock that is set back', async () => {
    const { enter, clock, reads, issuer } = await place();
    expect(await enter()).toBe(200);
    clock.jump(-3_600_000);
    expect(await enter(await issuer.token())).toBe(200);
    expect(reads()).toBe(2);
  });

  it('of which two may have signed a token are not tried one by one', async () => {
    const { issuer, enter, reads, clock, signIn } = await place();
    await issuer.rotate();
    expect(await enter()).toBe(200);
    await clock.advance(30_000);
    const token = await issuer.token({}, { kid: undefined } as never);
    expect(await signIn.authenticate({ authorization: `Bearer ${token}` })).toMatchObject({
      challenge: { status: 401, body: { error_description: 'The token does not say which key signed it.' } },
    });
    expect(reads()).toBe(1);
  });

  it('sign tokens whose type is left out too', async () => {
    const { issuer, enter } = await place();
    expect(await enter(await issuer.token({}, { typ: undefined } as never))).toBe(200);
  });

  it('come from the address of the settings without a look at the metadata', async () => {
    const { enter, issuer } = await place({ jwksAddress: 'https://issuer.example.com/keys' });
    expect(await enter()).toBe(200);
    expect(issuer.asked).toEqual(['/keys']);
  });

  it.each<[string, (path: string) => unknown, string]>([
    [
      'metadata of another issuer',
      () => ({ issuer: 'https://issuer.example.com', jwks_uri: 'https://issuer.example.com/keys' }),
      'of another issuer',
    ],
    [
      'keys at an address without encryption',
      () => ({ issuer: 'https://issuer.example.com/tenant', jwks_uri: 'http://issuer.example.com/keys' }),
      'jwks_uri is neither https',
    ],
    [
      'keys in a file',
      () => ({ issuer: 'https://issuer.example.com/tenant', jwks_uri: 'file:///etc/passwd' }),
      'jwks_uri is neither https',
    ],
    ['metadata without keys', () => ({ issuer: 'https://issuer.example.com/tenant' }), 'no metadata of an authorization server'],
    ['a list', () => [], 'no metadata of an authorization server'],
    [
      'keys that are none',
      (path) =>
        path === '/keys' ? { keys: 'x' } : { issuer: 'https://issuer.example.com/tenant', jwks_uri: 'https://issuer.example.com/keys' },
      'not a JSON Web Key Set',
    ],
  ])('are not taken from %s', async (_name, answer, words) => {
    const { enter, logged } = await place({ fetchJson: async (address) => answer(new URL(address).pathname) });
    expect(await enter()).toBe(503);
    expect(logged.join('\n')).toContain(words);
  });

  it('that are nowhere are reported with each place that was looked at', async () => {
    const { enter, logged } = await place({ fetchJson: () => Promise.reject(new Error('It answered 404.')) });
    expect(await enter()).toBe(503);
    const places = ['oauth-authorization-server/tenant', 'openid-configuration/tenant'].map((name) => `.well-known/${name}`);
    expect(logged).toEqual([
      'warn: The keys of the issuer could not be read. Check WEB_ANALYTICS_ISSUER and WEB_ANALYTICS_JWKS_URL. ' +
        'The metadata of the issuer cannot be used. ' +
        [...places, 'tenant/.well-known/openid-configuration']
          .map((path) => `https://issuer.example.com/${path}: It answered 404.`)
          .join(' '),
    ]);
  });

  it('are found with either kind of metadata', async () => {
    expect(metadataAddresses('https://issuer.example.com/tenant')).toEqual([
      'https://issuer.example.com/.well-known/oauth-authorization-server/tenant',
      'https://issuer.example.com/.well-known/openid-configuration/tenant',
      'https://issuer.example.com/tenant/.well-known/openid-configuration',
    ]);
    expect(metadataAddresses('https://issuer.example.com/')).toEqual([
      'https://issuer.example.com/.well-known/oauth-authorization-server',
      'https://issuer.example.com/.well-known/openid-configuration',
    ]);
    const issuer = 'https://issuer.example.com/tenant';
    const stub = await stubIssuer(manualClock('2026-11-20T10:00:00Z'));
    const asked: string[] = [];
    const fetchJson = async (address: string): Promise<unknown> => {
      asked.push(address);
      if (address.endsWith('/tenant/.well-known/openid-configuration')) return { issuer, jwks_uri: `${issuer}/keys` };
      if (address === `${issuer}/keys`) return { keys: stub.keys };
      throw new Error('it answered 404.');
    };
    const keys = createIssuerKeys({ issuer, fetchJson, clock: manualClock('2026-11-20T10:00:00Z'), log: () => undefined });
    await expect(keys.keyOf({ alg: 'ES256', kid: 'key-1' }, {} as never)).resolves.toMatchObject({ type: 'public' });
    expect(asked).toHaveLength(4);
  });
});
