import { createLocalJWKSet, errors, type JWTVerifyGetKey } from 'jose';
import * as z from 'zod';
import { addressFault, joinAddress } from '../lib/address.ts';
import type { Clock } from '../lib/clock.ts';
import { DAY_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';

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

/** The public keys of one issuer. */
export interface IssuerKeys {
  readonly keyOf: JWTVerifyGetKey;
  /** Why no token can be checked at present; undefined where they can. */
  fault(): Promise<string | undefined>;
}

/** No token can be checked, because there are neither kept keys nor new ones. */
export class KeysUnavailableError extends Error {
  override name = 'KeysUnavailableError';
}

/** Keys are read again when they are older, so that a withdrawn key stops working. */
const FRESH_MS = 10 * 60_000;
/** Pause between two attempts to read keys, whatever tokens arrive. */
export const KEYS_PAUSE_MS = 30_000;
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

/**
 * Keeps the keys of an issuer: read on first use, when they are old, and for a key id that is not among them. While the issuer is down
 * the last ones stay in use; `createRemoteJWKSet` of jose refuses every token then, and neither finds the keys' address nor takes a clock.
 */
export function createIssuerKeys({ issuer, jwksAddress, fetchJson, clock, log }: IssuerKeysOptions): IssuerKeys {
  let kept: { keys: JWTVerifyGetKey; readAtMs: number } | undefined;
  let address = jwksAddress;
  let triedAtMs = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | undefined;

  async function discover(): Promise<string> {
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

  async function read(): Promise<void> {
    triedAtMs = clock.now();
    try {
      address ??= await discover();
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
    async keyOf(header, token) {
      const keys = await fresh();
      try {
        return await keys(header, token);
      } catch (error) {
        if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
        await renew();
        return usable()(header, token);
      }
    },
    fault: () => fresh().then(() => undefined, wordsOf),
  };
}
