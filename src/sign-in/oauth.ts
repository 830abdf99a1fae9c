import { createLocalJWKSet, errors, type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose';
import * as z from 'zod';
import { addressFault, joinAddress } from '../lib/address.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import {
  type AccessScope,
  accessScopes,
  createBearerSignIn,
  type Principal,
  type ResourceMetadata,
  type SignIn,
  subjectId,
  type TokenAlgorithm,
  type TokenFault,
} from './principal.ts';

/** Reads a JSON document; rejects with a sentence when there is none, and sets its own limits of time and size. */
export type FetchJson = (address: string) => Promise<unknown>;

/** Where an issuer's public keys come from. */
export interface IssuerKeysOptions {
  readonly issuer: string;
  /** Left out: the issuer's metadata say where. */
  readonly jwksAddress?: string | undefined;
  readonly fetchJson: FetchJson;
  readonly clock: Clock;
  readonly log: Log;
}

/** No token can be checked, because there are neither kept keys nor new ones. */
class KeysUnavailableError extends Error {
  override name = 'KeysUnavailableError';
}

/** Keys are read again when they are older, so that a withdrawn key stops working. */
const FRESH_MS = 10 * 60_000;
/** Pause between two attempts to read keys, whatever tokens arrive. */
const KEYS_PAUSE_MS = 30_000;
/** Longest that a caller waits for new keys while there are old ones. */
const RENEWAL_WAIT_MS = 2_000;
/** A withdrawn key works no longer than this while the issuer cannot be reached. */
const LONGEST_USE_MS = DAY_MS;

const metadataSchema = z.looseObject({ issuer: z.string(), jwks_uri: z.string() });
const keySetSchema = z.looseObject({ keys: z.array(z.looseObject({ kty: z.string() })).max(100) });

/** Where the metadata of an issuer may be: RFC 8414, and OpenID Connect in both of its spellings. */
export function metadataAddresses(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  return [
    ...new Set([
      `${origin}/.well-known/oauth-authorization-server${path}`,
      `${origin}/.well-known/openid-configuration${path}`,
      joinAddress(issuer, '.well-known/openid-configuration'),
    ]),
  ];
}

/** Why keys are not read from an address; its query may be anything. */
function keysAddressFault(address: string): string | undefined {
  return addressFault(address.replace(/\?[^#]*$/, ''));
}

const wordsOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

/** The address of an issuer's keys, from the first of its metadata that can be used. */
async function discoverKeys({ issuer, fetchJson }: Pick<IssuerKeysOptions, 'issuer' | 'fetchJson'>): Promise<string> {
  const failures: string[] = [];
  for (const metadataAddress of metadataAddresses(issuer)) {
    try {
      const metadata = metadataSchema.parse(await fetchJson(metadataAddress));
      if (metadata.issuer !== issuer) throw new Error('they are those of another issuer.');
      const fault = keysAddressFault(metadata.jwks_uri);
      if (fault) throw new Error(`their jwks_uri ${fault}.`);
      return metadata.jwks_uri;
    } catch (error) {
      failures.push(`${metadataAddress}: ${error instanceof z.ZodError ? 'no metadata of an authorization server.' : wordsOf(error)}`);
    }
  }
  throw new Error(`The metadata of the issuer cannot be used. ${failures.join(' ')}`);
}

/**
 * Keeps the keys of an issuer: read on first use, when they are old, and for a key id that is not among them. While the issuer is down
 * the last ones stay in use; `createRemoteJWKSet` of jose refuses every token then, and neither finds the keys' address nor takes a clock.
 */
export function createIssuerKeys({ issuer, jwksAddress, fetchJson, clock, log }: IssuerKeysOptions) {
  let kept: { keys: JWTVerifyGetKey; readAtMs: number } | undefined;
  let address = jwksAddress;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function read(): Promise<void> {
    triedAtMs = clock.now();
    try {
      address ??= await discoverKeys({ issuer, fetchJson });
      const keySet = keySetSchema.parse(await fetchJson(address));
      kept = { keys: createLocalJWKSet(keySet), readAtMs: clock.now() };
    } catch (error) {
      // The issuer may have moved its keys.
      address = jwksAddress;
      const words = error instanceof z.ZodError ? 'The answer is not a JSON Web Key Set.' : wordsOf(error);
      log(
        'warn',
        `The keys of the issuer could not be read${kept ? '; the last ones stay in use' : ''}. Check WEB_ANALYTICS_ISSUER and ` +
          `WEB_ANALYTICS_JWKS_URL. ${words}`,
      );
    }
  }

  /** Reads the keys again unless that was just tried; all callers share one attempt. */
  async function renew(): Promise<void> {
    if (!reading && Math.abs(clock.now() - triedAtMs) < KEYS_PAUSE_MS) return;
    reading ??= read().finally(() => {
      reading = undefined;
    });
    await reading;
  }

  function usable(): JWTVerifyGetKey {
    if (!kept || clock.now() - kept.readAtMs > LONGEST_USE_MS) throw new KeysUnavailableError('The keys of the issuer cannot be read.');
    return kept.keys;
  }

  /** Waits for new keys, but not long: the kept ones are still good while the issuer is slow. */
  async function renewSoon(): Promise<void> {
    const renewing = renew();
    const remainingMs = triedAtMs + RENEWAL_WAIT_MS - clock.now();
    if (remainingMs <= 0) return;
    const over = new AbortController();
    await Promise.race([renewing, clock.sleep(remainingMs, over.signal).catch(() => undefined)]);
    over.abort();
  }

  async function fresh(): Promise<JWTVerifyGetKey> {
    if (!kept) await renew();
    else if (Math.abs(clock.now() - kept.readAtMs) > FRESH_MS) await renewSoon();
    return usable();
  }

  return {
    async keyOf(...[header, token]: Parameters<JWTVerifyGetKey>) {
      const keys = await fresh();
      try {
        return await keys(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await renew();
        return usable()(header, token);
      }
    },
    /** Why no token can be checked at present; undefined where they can. */
    fault: () => fresh().then(() => undefined, wordsOf),
  };
}

/** The issuer, the audience and the clock of OAuth. */
export interface OAuthOptions extends IssuerKeysOptions {
  /** Address of the served server as callers know it; a token must name it as its audience. */
  readonly audience: string;
  readonly algorithms: readonly TokenAlgorithm[];
  readonly clockSkewSeconds: number;
}

/** Refuses tokens of another type, which the same keys may have signed. */
const ACCESS_TOKEN_TYPES = /^(?:application\/)?(?:at\+)?jwt$/i;
/** Allowed subjects (OpenID Connect allows 255 characters). */
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
  const keys = createIssuerKeys(options);

  async function verify(token: string): Promise<Principal> {
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

  async function outcomeOf(token: string): Promise<Principal | TokenFault> {
    try {
      return await verify(token);
    } catch (error) {
      if (!(error instanceof KeysUnavailableError)) return { words: refusal(error, options) };
      const words = 'Tokens cannot be checked at present, because the issuer cannot be reached. Try again later.';
      return { words, retryAfterSeconds: KEYS_PAUSE_MS / 1000 };
    }
  }

  return { metadata, fault: () => keys.fault(), ...createBearerSignIn(address, outcomeOf) };
}
