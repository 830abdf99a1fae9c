import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { SizeLimits } from './exchange.ts';
import type { Http } from './http.ts';
import type { Limiter } from './limiter.ts';
import type { Observer } from './observer.ts';
import type { Scope } from './operation.ts';
import type { ReadCache } from './read-cache.ts';
import type { Credential, SharedTokens } from './tokens.ts';

/** Options of `createClient`. */
export interface ClientOptions {
  authUrl: string;
  credential: Credential;
  /** Credential of the integration, where enrichment has its own. */
  enrichmentCredential?: Credential | undefined;
  defaultProjectId?: number | undefined;
  /** Scopes that the enabled toolsets call for. */
  neededScopes: readonly Scope[];
  /** Domains that an endpoint may belong to; any when empty. */
  endpointDomains?: readonly string[] | undefined;
  /** Longest a call may take, with its repeats and its time in the queue. */
  timeoutMs: number;
  limiter: Limiter;
  /** Whose turn it is in the limiter; left out: the session's own. */
  principalId?: string | undefined;
  sessionId: string;
  clock: Clock;
  /** Chooses the back-off, 0 to 1. */
  random?: (() => number) | undefined;
  version: string;
  log?: Log | undefined;
  observe?: Observer | undefined;
  sizeLimits?: SizeLimits | undefined;
  /** Tokens that replicas share; left out: they stay in this process. */
  sharedTokens?: SharedTokens | undefined;
  /** Shared connections; default an own pool, closed with the client. */
  http?: Http | undefined;
  /** Where answers are kept and reads shared with the other sessions of the same principal; default an own one. */
  reads?: ReadCache | undefined;
  /** Changes when the principal gets another credential. */
  credentialVersion?: string | undefined;
}
