import { abortable } from '../api/deadline.ts';
import { namesIn } from '../lib/sentences.ts';
import type { Settings } from '../settings/settings.ts';
import type { SignIn } from '../sign-in/principal.ts';
import { combineWatches, createCallLog, type WatchedSession } from '../telemetry/call-watch.ts';
import { type Check, createReadiness, monitoringPages } from '../telemetry/pages.ts';
import type { Tracing } from '../telemetry/tracing.ts';
import { createRateLimit } from '../tooling/call-errors.ts';
import type { SessionOptions } from '../tooling/session.ts';
import { name as product, version } from './about.ts';
import type { Platform } from './platform.ts';

/** The parts of the platform that monitoring watches. */
type Watched = Pick<Platform, 'clock' | 'log' | 'observe' | 'load' | 'reachTokens' | 'isCacheUp'>;

function checksOf(platform: Watched, signIn: SignIn | undefined): Check[] {
  return [
    ...(signIn ? [signInCheck(signIn)] : []),
    { name: 'token service', vital: true, run: (signal) => platform.reachTokens(signal) },
    ...(platform.isCacheUp() === undefined ? [] : [cacheCheck(platform)]),
  ];
}

/** Vital: without it no caller is accepted. */
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

/** Begins to watch HTTP serving, and to limit its rate; metrics are loaded only where a token opens them. */
export async function openMonitoring(
  { rateLimit, metricsToken: token }: Pick<Settings, 'rateLimit' | 'metricsToken'>,
  {
    platform,
    signIn,
    tracing,
    sessions,
  }: { platform: Watched; signIn?: SignIn | undefined; tracing?: Tracing | undefined; sessions: () => Readonly<Record<string, number>> },
) {
  const { clock, log } = platform;
  const readings = { sessions, load: () => platform.load() };
  const metrics = token === undefined ? undefined : (await import('../telemetry/metrics.ts')).createMetrics({ clock, readings });
  if (metrics) platform.observe(metrics.observe);
  const limit = rateLimit === undefined ? undefined : createRateLimit({ clock, perMinute: rateLimit });
  const readiness = createReadiness({ checks: checksOf(platform, signIn), clock });
  return {
    /** Options that a watched session is opened with. */
    of: (session: WatchedSession): Pick<SessionOptions, 'watch' | 'admit'> => ({
      watch: combineWatches([tracing?.watch(session), createCallLog(session, { log, clock }), metrics?.watch]),
      admit: limit && (() => limit.admit(session.principalId)),
    }),
    /** By path: alive, ready, metrics. */
    pages: monitoringPages({ readiness, metrics: metrics && token !== undefined ? { token, text: () => metrics.text() } : undefined }),
    /** Counts an answer of the HTTP server. */
    onAnswer: metrics?.answered,
  };
}

/**
 * Whether the environment asks for traces over OTLP, by the variables of OpenTelemetry; complains where they ask for something unsupported.
 */
export function tracingWanted(environment: Readonly<Record<string, string | undefined>>, complain: (message: string) => void): boolean {
  const value = (name: string) => environment[name]?.trim() ?? '';
  if (value('OTEL_SDK_DISABLED').toLowerCase() === 'true') return false;
  const exporters = namesIn(value('OTEL_TRACES_EXPORTER'));
  if (exporters.includes('none')) return false;
  const unknown = exporters.filter((name) => name !== 'otlp');
  if (unknown.length > 0) complain(`OTEL_TRACES_EXPORTER: "${unknown.join(', ')}" is not offered; expected otlp or none`);
  const endpoint = value('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT') || value('OTEL_EXPORTER_OTLP_ENDPOINT');
  const wanted = exporters.includes('otlp') || (exporters.length === 0 && endpoint !== '');
  const protocol = value('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL') || value('OTEL_EXPORTER_OTLP_PROTOCOL');
  if (wanted && protocol === 'grpc') {
    complain('OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" is not offered; expected http/json, whose port is usually 4318');
    return false;
  }
  return wanted;
}

/** Opens traces where the variables of OpenTelemetry ask for them; its packages are not loaded otherwise. */
export async function traceCalls({ clock, log }: Pick<Platform, 'clock' | 'log'>): Promise<Tracing | undefined> {
  if (!tracingWanted(process.env, (message) => log('warn', message))) return undefined;
  const { openTracing } = await import('../telemetry/tracing.ts');
  return openTracing({ service: { name: product, version }, clock, log });
}
