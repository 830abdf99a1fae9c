import { abortable } from '../api/deadline.ts';
import type { Settings } from '../settings/settings.ts';
import type { SignIn } from '../sign-in/principal.ts';
import { createCallLog, type WatchedSession } from '../telemetry/call-log.ts';
import { combineWatches } from '../telemetry/call-watch.ts';
import { operationsPages, type Page } from '../telemetry/pages.ts';
import { type Check, createReadiness } from '../telemetry/readiness.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { createRateLimit } from '../tooling/rate-limit.ts';
import type { SessionOptions } from '../tooling/session.ts';
import type { Platform } from './platform.ts';

/** What of the platform is watched. */
type Watched = Pick<Platform, 'clock' | 'log' | 'observe' | 'load' | 'reachTokens' | 'isCacheUp'>;

/** How a served server is watched and held in bounds. */
export interface Operations {
  /** What a session is opened with for that. */
  of(session: WatchedSession): Pick<SessionOptions, 'watch' | 'admit' | 'onNameLookup'>;
  /** By path: alive, ready, metrics. */
  readonly pages: ReadonlyMap<string, Page>;
  /** Counts an answer of the HTTP server. */
  readonly onAnswer: ((status: number) => void) | undefined;
}

function checksOf(platform: Watched, signIn: SignIn | undefined): Check[] {
  return [
    ...(signIn ? [signInCheck(signIn)] : []),
    { name: 'token service', vital: true, run: (signal) => platform.reachTokens(signal) },
    ...(platform.isCacheUp() === undefined ? [] : [cacheCheck(platform)]),
  ];
}

/** Vital: nobody could call. */
function signInCheck(signIn: SignIn): Check {
  return {
    name: 'sign-in',
    vital: true,
    async run(signal) {
      const fault = await abortable(signIn.fault(), signal);
      if (fault !== undefined) throw new Error(fault);
    },
  };
}

/** Not vital: calls go on without what replicas share, only slower. */
function cacheCheck(platform: Watched): Check {
  return {
    name: 'cache',
    vital: false,
    async run() {
      if (!platform.isCacheUp()) throw new Error('Redis cannot be reached; this replica goes on alone.');
    },
  };
}

/** Begins to watch; metrics are loaded only where a token opens them. */
export async function openOperations(
  { rateLimit, metricsToken: token }: Pick<Settings, 'rateLimit' | 'metricsToken'>,
  {
    platform,
    signIn,
    tracing,
    sessions,
  }: { platform: Watched; signIn?: SignIn | undefined; tracing?: Tracing | undefined; sessions: () => Readonly<Record<string, number>> },
): Promise<Operations> {
  const { clock, log } = platform;
  const readings = { sessions, load: () => platform.load() };
  const metrics = token === undefined ? undefined : (await import('../telemetry/metrics.ts')).createMetrics({ clock, readings });
  if (metrics) platform.observe(metrics.observe);
  const limit = rateLimit === undefined ? undefined : createRateLimit({ clock, perMinute: rateLimit });
  const readiness = createReadiness({ checks: checksOf(platform, signIn), clock });
  return {
    of: (session) => ({
      watch: combineWatches([tracing?.watch(session), createCallLog(session, { log, clock }), metrics?.watch]),
      admit: limit && (() => limit.admit(session.principalId)),
      onNameLookup: metrics?.nameLookup,
    }),
    pages: operationsPages({ readiness, metrics: metrics && token !== undefined ? { token, text: () => metrics.text() } : undefined }),
    onAnswer: metrics?.answered,
  };
}
