import prometheus from 'prom-client';
import type { ApiEvent } from '../api/operation.ts';
import { requestToken } from '../api/operations/account.ts';
import type { Clock } from '../lib/clock.ts';
import type { CallWatch } from './call-watch.ts';

/** The values that are read at the moment of a scrape. */
export interface Readings {
  /** Sessions that are open, by protocol era. */
  readonly sessions: () => Readonly<Record<string, number>>;
  /** Calls that wait for the platform, and those that it works on. */
  readonly load: () => { readonly waiting: number; readonly inFlight: number };
}

const PREFIX = 'web_analytics_mcp_';
const SECONDS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 40];

/** Makes instruments of a registry; the name of each gets the prefix of this server. */
function instrumentsOf(registry: prometheus.Registry) {
  const { Counter, Gauge, Histogram } = prometheus;
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: PREFIX + name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Histogram({ name: PREFIX + name, help, labelNames, registers, buckets: SECONDS });
  const gauge = (name: string, help: string, labelNames: readonly string[], read: (gauge: prometheus.Gauge) => void) =>
    new Gauge({
      name: PREFIX + name,
      help,
      labelNames,
      registers,
      collect() {
        read(this);
      },
    });
  return { counter, histogram, gauge };
}

/** Makes the counters, those of the process (memory, CPU, event loop) among them. */
export function createMetrics({ clock, readings }: { clock: Clock; readings: Readings }) {
  // The default export, because a bundle gives a CommonJS package no other. A registry of its own: the package's is one for the whole
  // process.
  const registry = new prometheus.Registry();
  prometheus.collectDefaultMetrics({ register: registry });

  const { counter, histogram, gauge } = instrumentsOf(registry);

  const calls = counter('calls_total', 'Calls of tools and reads of resources by outcome.', ['kind', 'name', 'outcome']);
  const callSeconds = histogram('call_duration_seconds', 'Time from a call to its answer.', ['kind', 'name']);
  const requests = counter('platform_requests_total', 'Requests to the platform by outcome.', ['operation', 'outcome']);
  const requestSeconds = histogram('platform_request_duration_seconds', 'Time from a request to the platform to its answer.', [
    'operation',
  ]);
  const retries = counter('platform_retries_total', 'Requests to the platform that repeat a failed one.', ['operation']);
  const tokens = counter('token_requests_total', 'Access tokens asked for, renewals included.', ['outcome']);
  const lookups = counter('cache_lookups_total', 'Look-ups of tokens in what is kept.', ['cache', 'outcome']);
  const queueSeconds = histogram('queue_wait_seconds', 'Time that requests to the platform waited for their turn.', []);
  const answers = counter('http_responses_total', 'Answers of the HTTP server by status.', ['status']);
  gauge('queue_length', 'Requests to the platform that wait for their turn.', [], (one) => one.set(readings.load().waiting));
  gauge('platform_requests_in_flight', 'Requests that the platform works on.', [], (one) => one.set(readings.load().inFlight));
  gauge('sessions', 'Sessions that are open, by protocol era.', ['era'], (one) => {
    for (const [era, count] of Object.entries(readings.sessions())) one.set({ era }, count);
  });

  return {
    /** Hears of what happens on the way to the platform. */
    observe: (event: ApiEvent) => {
      if (event.type === 'token') return lookups.inc({ cache: 'tokens', outcome: event.kept ? 'hit' : 'miss' });
      const seconds = Math.max(0, event.durationMs) / 1000; // a clock can be set back
      if (event.type === 'slot') return queueSeconds.observe(seconds);
      const operation = `${event.operation.method} ${event.operation.path}`;
      requests.inc({ operation, outcome: event.outcome });
      requestSeconds.observe({ operation }, seconds);
      if (event.attempt > 1) retries.inc({ operation });
      if (event.operation === requestToken) tokens.inc({ outcome: event.outcome });
    },
    watch: {
      begin({ kind, name }) {
        const startMs = clock.now();
        return {
          observe: () => undefined,
          end(outcome) {
            calls.inc({ kind, name, outcome });
            callSeconds.observe({ kind, name }, Math.max(0, clock.now() - startMs) / 1000);
          },
        };
      },
    } satisfies CallWatch,
    /** Counts answers of the HTTP server by status. */
    answered: (status: number) => answers.inc({ status }),
    /** All of it in the text format of Prometheus. */
    text: async () => ({ contentType: registry.contentType, body: await registry.metrics() }),
  };
}

/** Counters of one process; labels are names from this program's own lists, never what a caller sent. */
export type Metrics = ReturnType<typeof createMetrics>;
