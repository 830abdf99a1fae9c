import { createHash } from 'node:crypto';
import type { Scope } from '../api/operation.ts';
import { app, content, type Project, projects, shop } from './projects.ts';
import { DAY_MS, type Origin } from './world/origin.ts';

/** Credentials expire after 1 year (section 5). */
const LIFE_MS = 365 * DAY_MS;

/** An id and a secret that the console of the platform would have handed out. */
export interface Credential {
  readonly clientId: string;
  readonly clientSecret: string;
  /** An account credential reaches several projects and must name one; a project credential reaches its own. */
  readonly level: 'account' | 'project';
  readonly projects: readonly Project[];
  readonly scopes: readonly Scope[];
  /** Refused from this instant on, ms since 1970. */
  readonly expiresMs: number;
}

export type CredentialName = 'account' | 'shop' | 'app' | 'content' | 'noSpeed' | 'expired' | 'enrichment';
export type Credentials = Readonly<Record<CredentialName, Credential>>;

const READS = ['speed-analysis', 'data-export', 'metrics', 'session-replay'] as const;

/** Text of 40 hex digits that depends on seed and name alone. */
export function secretOf(seed: number, name: string): string {
  return createHash('sha256').update(`web-analytics:${seed}:${name}`).digest('hex').slice(0, 40);
}

/** The credentials of one emulator; ids and secrets depend on the seed, ages on the clock at start. */
export function createCredentials({ seed, startMs }: Origin): Credentials {
  function credential(name: CredentialName, reach: readonly Project[], scopes: readonly Scope[], ageDays = 30): Credential {
    return {
      clientId: `${name}-${secretOf(seed, `${name} id`).slice(0, 12)}`,
      clientSecret: secretOf(seed, `${name} secret`),
      level: reach.length > 1 ? 'account' : 'project',
      projects: reach,
      scopes,
      expiresMs: startMs - ageDays * DAY_MS + LIFE_MS,
    };
  }
  return {
    account: credential('account', projects, READS),
    shop: credential('shop', [shop], READS),
    app: credential('app', [app], READS),
    content: credential('content', [content], READS),
    noSpeed: credential('noSpeed', [shop], ['data-export', 'metrics']),
    expired: credential('expired', [shop], READS, 400),
    enrichment: credential('enrichment', [shop], ['enrichment']),
  };
}
