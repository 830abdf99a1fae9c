import { createHash } from 'node:crypto';
import { decode, sign, verify } from 'hono/jwt';
import type { Scope } from '../api/operation.ts';
import { type Clock, DAY_MS } from '../lib/clock.ts';
import { Refusal } from './responses.ts';
import type { Origin } from './world/random.ts';

/** Credentials expire after 1 year (section 5). */
const LIFE_MS = 365 * DAY_MS;

const READS = ['speed-analysis', 'data-export', 'metrics', 'session-replay'] as const;

/** Text of 40 hex digits that depends on seed and name alone. */
function secretOf(seed: number, name: string): string {
  return createHash('sha256').update(`web-analytics:${seed}:${name}`).digest('hex').slice(0, 40);
}

/** The emulator's credentials by name. */
export type Credentials = ReturnType<typeof createCredentials>;
/** An id and a secret that the console of the platform would have handed out. */
export type Credential = Credentials['account'];
/** Names of the emulator's credentials. */
export type CredentialName = keyof Credentials;

/** The credentials of one emulator; ids and secrets depend on the seed, ages on the clock at start. */
export function createCredentials({ seed, startMs }: Origin, reached: readonly Project[] = projects) {
  function credential(
    name: string,
    reach: readonly Project[],
    scopes: readonly Scope[],
    { level = 'project', ageDays = 30 }: { level?: 'account' | 'project'; ageDays?: number } = {},
  ) {
    return {
      clientId: `${name}-${secretOf(seed, `${name} id`).slice(0, 12)}`,
      clientSecret: secretOf(seed, `${name} secret`),
      /** An account credential must name one of its projects, even where it has only one; a project credential reaches its own. */
      level,
      projects: reach,
      scopes,
      /** Refused from this instant on, ms since 1970. */
      expiresMs: startMs - ageDays * DAY_MS + LIFE_MS,
    };
  }
  return {
    account: credential('account', reached, READS, { level: 'account' }),
    smallAccount: credential('smallAccount', [shop], READS, { level: 'account' }),
    smallAppAccount: credential('smallAppAccount', [app], READS, { level: 'account' }),
    shop: credential('shop', [shop], READS),
    app: credential('app', [app], READS),
    content: credential('content', [content], READS),
    noSpeed: credential('noSpeed', [shop], ['data-export', 'metrics']),
    expired: credential('expired', [shop], READS, { ageDays: 400 }),
    enrichment: credential('enrichment', [shop], ['enrichment']),
  };
}

/** Seconds that a token lives (section 8). */
export const TOKEN_LIFE_SECONDS = 3600;

/** Claims of a token about its bearer. */
export interface Claims {
  readonly project: number;
  /** Level of the credential that asked for it. */
  readonly level: string;
  readonly scopes: readonly string[];
}

function bearerOf(authorization: string | undefined): string | undefined {
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1];
}

/** The project that a bearer token names, unchecked: enough to count whose requests are in flight. */
export function projectNamed(authorization: string | undefined): unknown {
  try {
    return decode(bearerOf(authorization) ?? '').payload['project'];
  } catch {
    return undefined;
  }
}

/** Signs with a key that depends on the seed, and lets the clock decide what is expired. */
export function createTokens(seed: number, clock: Clock) {
  const key = secretOf(seed, 'signing key');
  let issued = 0;
  return {
    issue(credential: Credential, project: Project, scopes: readonly Scope[]): Promise<string> {
      // The number keeps two tokens of the same second apart, so that a renewal is seen to be one.
      issued += 1;
      const iat = Math.floor(clock.now() / 1000);
      const claims = { project: project.id, level: credential.level, scope: scopes.join(' '), sub: credential.clientId };
      return sign({ ...claims, iat, exp: iat + TOKEN_LIFE_SECONDS, jti: String(issued) }, key, 'HS256');
    },
    /** Claims of an `Authorization` header; a `Refusal` with 401 where it is missing, forged or expired. */
    async check(authorization: string | undefined): Promise<Claims> {
      const token = bearerOf(authorization);
      if (!token) throw new Refusal(401, 'JWT_MISSING', 'The request carries no bearer token.');
      const payload = await verify(token, key, { alg: 'HS256', exp: false, iat: false, nbf: false }).catch(() => undefined);
      const { project, level, scope, exp } = payload ?? {};
      if (typeof project !== 'number' || typeof level !== 'string' || typeof scope !== 'string' || typeof exp !== 'number') {
        throw new Refusal(401, 'JWT_INVALID', 'Auth token is invalid.');
      }
      if (clock.now() >= exp * 1000) throw new Refusal(401, 'JWT_EXPIRED', 'Auth token is expired.');
      return { project, level, scopes: scope.split(' ') };
    },
  };
}

/** Issues and checks the bearer tokens of one emulator. */
export type Tokens = ReturnType<typeof createTokens>;

/** A tracked site or app of the emulated platform. */
export interface Project {
  readonly id: number;
  readonly name: string;
  readonly kind: 'shop' | 'app' | 'content';
  /** ISO 4217; every metric value carries it. */
  readonly currency: string;
  /** Conversions without a `goalId` and revenue exist only where this is true. */
  readonly ecommerce: boolean;
}

/** A shop on the web, with orders. */
export const shop: Project = { id: 1201, name: 'Nordlicht Shop', kind: 'shop', currency: 'EUR', ecommerce: true };
/** A shop as an app: the only project with zone metrics. */
export const app: Project = { id: 1202, name: 'Nordlicht App', kind: 'app', currency: 'EUR', ecommerce: true };
/** A magazine without orders. */
export const content: Project = { id: 1203, name: 'Nordlicht Magazin', kind: 'content', currency: 'EUR', ecommerce: false };

/** All projects of the emulator. */
export const projects: readonly Project[] = [shop, app, content];
