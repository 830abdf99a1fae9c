import type { ApiEvent } from '../api/operation.ts';
import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { type CallOutcome, type CallWatch, digest, loggedRequestId, readTraceParent, type WatchedSession } from './call-watch.ts';

/** Traces of a process on their way to a collector. */
export interface Tracing {
  /** Makes a span of each call of this session, and below it one of each request to the platform. */
  watch(session: WatchedSession): CallWatch;
  /** Sends what is left; gives up after some seconds. */
  close(): Promise<void>;
}

/** Name of the traced service, its clock and its log. */
export interface TracingOptions {
  readonly service: { readonly name: string; readonly version: string };
  readonly clock: Clock;
  readonly log: Log;
}

/** Longest a stop waits for the collector. */
const CLOSE_MS = 3_000;
/** A collector that cannot be reached is logged at most once in this time. */
const COMPLAINT_PAUSE_MS = 60_000;

type OpenTelemetry = typeof import('./opentelemetry.ts');

/** Sends the complaints of the packages, which can be many, to the log now and then. */
function reportTo(log: Log, clock: Clock, { diag, DiagLogLevel }: OpenTelemetry): void {
  let saidAtMs = Number.NEGATIVE_INFINITY;
  const say = (message: string) => {
    if (Math.abs(clock.now() - saidAtMs) < COMPLAINT_PAUSE_MS) return;
    saidAtMs = clock.now();
    log('warn', `traces do not arrive: ${message.slice(0, 200)}`);
  };
  const quiet = () => undefined;
  diag.setLogger(
    { error: say, warn: say, info: quiet, debug: quiet, verbose: quiet },
    { logLevel: DiagLogLevel.WARN, suppressOverrideMessage: true },
  );
}

const FINE: ReadonlySet<CallOutcome | 'aborted'> = new Set<CallOutcome>(['ok', 'question']);

/** Sends spans to the collector, under the name of this service and what the environment says of it. */
function providerOf(loaded: OpenTelemetry, service: TracingOptions['service']) {
  const named = loaded.resourceFromAttributes({ 'service.name': service.name, 'service.version': service.version });
  return new loaded.BasicTracerProvider({
    resource: loaded
      .defaultResource()
      .merge(named)
      .merge(loaded.detectResources({ detectors: [loaded.envDetector] })),
    spanProcessors: [new loaded.BatchSpanProcessor(new loaded.OTLPTraceExporter())],
  });
}

/** The context of a caller's span; the root where it names none. */
function parentOf(traceparent: string | undefined, { ROOT_CONTEXT, trace }: OpenTelemetry) {
  const parent = readTraceParent(traceparent);
  if (!parent) return ROOT_CONTEXT;
  const { traceId, spanId, flags: traceFlags } = parent;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote: true });
}

/** Waits for the last spans, and says where they are refused, but does not wait for a collector that does not answer. */
async function settledWithin(shutdown: Promise<void>, clock: Clock, { diag }: OpenTelemetry): Promise<void> {
  const over = new AbortController();
  const late = clock.sleep(CLOSE_MS, over.signal).catch(() => undefined);
  await Promise.race([shutdown.catch((error: unknown) => diag.error(String(error))), late]);
  over.abort();
}

/** Opens the way to the collector that the OTEL_ variables of the process name. */
export async function openTracing({ service, clock, log }: TracingOptions): Promise<Tracing> {
  const loaded = await import('./opentelemetry.ts');
  const { SpanKind, SpanStatusCode, trace } = loaded;
  reportTo(log, clock, loaded);
  const provider = providerOf(loaded, service);
  const tracer = provider.getTracer(service.name, service.version);

  /** A span of something that has ended. */
  function record(event: ApiEvent, context: OpenTelemetry['ROOT_CONTEXT']): void {
    // Spans carry the time of the machine, whatever clock the server lives by.
    const startTime = Date.now() - Math.max(0, event.durationMs);
    if (event.type === 'request') {
      const { operation, attempt, outcome, status } = event;
      const attributes = {
        'http.request.method': operation.method,
        'url.template': operation.path,
        ...(status !== undefined && { 'http.response.status_code': status }),
        ...(attempt > 1 && { 'http.request.resend_count': attempt - 1 }),
        ...(!FINE.has(outcome) && { 'error.type': outcome }),
      };
      const span = tracer.startSpan(`${operation.method} ${operation.path}`, { kind: SpanKind.CLIENT, startTime, attributes }, context);
      if (!FINE.has(outcome)) span.setStatus({ code: SpanStatusCode.ERROR });
      span.end();
    } else if (event.type === 'slot' ? event.durationMs > 0 : !event.kept) {
      tracer.startSpan(event.type === 'slot' ? 'wait for a turn' : 'get a token', { startTime }, context).end();
    }
  }

  return {
    watch({ principalId, sessionId }) {
      const whose = {
        'enduser.pseudo.id': digest(principalId),
        ...(sessionId !== undefined && { 'mcp.session.id': digest(sessionId) }),
      };
      return {
        begin({ kind, name, requestId, traceparent }) {
          const method = kind === 'tool' ? 'tools/call' : 'resources/read';
          const attributes = {
            'mcp.method.name': method,
            [kind === 'tool' ? 'gen_ai.tool.name' : 'mcp.resource.name']: name,
            'jsonrpc.request.id': String(loggedRequestId(requestId)),
            ...whose,
          };
          const parent = parentOf(traceparent, loaded);
          const span = tracer.startSpan(`${method} ${name}`, { kind: SpanKind.SERVER, attributes }, parent);
          const context = trace.setSpan(parent, span);
          const { traceId, spanId, traceFlags } = span.spanContext();
          return {
            traceparent: `00-${traceId}-${spanId}-0${traceFlags & 1}`,
            observe: (event) => record(event, context),
            end(outcome) {
              if (!FINE.has(outcome)) span.setAttribute('error.type', outcome).setStatus({ code: SpanStatusCode.ERROR });
              span.end();
            },
          };
        },
      };
    },
    close: () => settledWithin(provider.shutdown(), clock, loaded),
  };
}
