import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { tracingWanted } from '../../src/commands/monitoring.ts';
import { openTracing, type TracingOptions } from '../../src/telemetry/tracing.ts';
import { manualClock } from '../support/clock.ts';
import { INITIALIZE, openRawSession, openService, post, post2026, spokenSignIn } from '../support/http.ts';
import { DEMO, startServer, strayOutput } from '../support/stdio.ts';
import { type Collector, openCollector, type Span } from './collector.ts';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';
const TRACEPARENT = `00-${TRACE}-${PARENT}-01`;
const anna = { authorization: 'Bearer anna:read' };

/** Traces to this collector, with what the log is told. */
async function trace({ url }: Pick<Collector, 'url'>, options: Partial<TracingOptions> = {}) {
  vi.stubEnv('OTEL_EXPORTER_OTLP_ENDPOINT', url);
  vi.stubEnv('OTEL_BSP_SCHEDULE_DELAY', '60000');
  onTestFinished(() => void vi.unstubAllEnvs());
  const said: string[] = [];
  const clock = manualClock('2026-11-20T10:00:00.000Z');
  const service = { name: 'web-analytics-mcp', version: '1.2.3' };
  const tracing = await openTracing({ service, clock, log: (level, message) => void said.push(`${level}: ${message}`), ...options });
  return { tracing, said, clock };
}

/** A service whose calls are traced to a collector of its own. */
async function traced() {
  const collector = await openCollector();
  const { tracing } = await trace(collector);
  const service = await openService({ signIn: spokenSignIn, ...(tracing && { tracing }) });
  onTestFinished(() => service.close());
  return { ...service, collector, flush: async () => tracing?.close() };
}

const named = (spans: readonly Span[], name: string): Span => {
  const found = spans.find((span) => span.name === name);
  if (!found) throw new Error(`No span ${name} among ${spans.map((span) => span.name).join(', ')}`);
  return found;
};

describe('the trace of a caller goes on', () => {
  it('by the header of the request in the 2025 era: the call, and below it what went to the platform', { tags: 'nightly' }, async () => {
    const { collector, url, flush } = await traced();
    const beginMs = Date.now();
    const session = await openRawSession(url, anna);
    const call = { id: 7, method: 'tools/call', params: { name: 'list_segments', arguments: {} } };
    await post(url, call, { ...session, traceparent: TRACEPARENT });
    await flush();
    const span = named(collector.spans, 'tools/call list_segments');
    expect(span).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: 2, status: 0 });
    expect(span.attributes).toEqual({
      'mcp.method.name': 'tools/call',
      'gen_ai.tool.name': 'list_segments',
      'jsonrpc.request.id': '7',
      'mcp.session.id': expect.stringMatching(/^[\da-f]{12}$/),
      'enduser.pseudo.id': expect.stringMatching(/^[\da-f]{12}$/),
    });
    const request = named(collector.spans, 'GET /v1/segments');
    expect(request).toMatchObject({ traceId: TRACE, parentSpanId: span.spanId, kind: 3 });
    expect(request.attributes).toEqual({
      'http.request.method': 'GET',
      'url.template': '/v1/segments',
      'http.response.status_code': expect.anything(),
    });
    expect(named(collector.spans, 'get a token').parentSpanId).toBe(span.spanId);
    // Of the machine's time, not of the clock that stands still on another day.
    expect(span.startMs).toBeGreaterThanOrEqual(beginMs - 1);
    expect(span.endMs).toBeLessThanOrEqual(Date.now() + 1);
    expect(collector.resources[0]).toMatchObject({ 'service.name': 'web-analytics-mcp', 'service.version': '1.2.3' });
  });

  it('by `_meta` in the 2026-07-28 era, which says it for one request and wins over the header, and never to the platform', async () => {
    const { collector, url, platform, flush } = await traced();
    const other = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const meta = { _meta: { traceparent: TRACEPARENT } };
    await post2026(url, 'tools/call', { name: 'list_goals', arguments: {}, ...meta }, { ...anna, traceparent: other });
    await post2026(url, 'resources/read', { uri: 'analytics://reference/limits' }, { ...anna, traceparent: other });
    await flush();
    expect(named(collector.spans, 'tools/call list_goals')).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
    const read = collector.spans.find(({ name }) => name.startsWith('resources/read'));
    expect(read).toMatchObject({ traceId: 'a'.repeat(32), parentSpanId: 'b'.repeat(16) });
    expect(read?.attributes).not.toHaveProperty('mcp.session.id');
    expect(platform.requests.length).toBeGreaterThan(0);
    expect(JSON.stringify(platform.requests)).not.toContain(TRACE);
  });

  it('and is not recorded where the caller does not record it', async () => {
    const { collector, url, flush } = await traced();
    const traceparent = `00-${TRACE}-${PARENT}-00`;
    await post2026(url, 'tools/call', { name: 'list_goals', arguments: {} }, { ...anna, traceparent });
    await flush();
    expect(collector.spans).toEqual([]);
  });

  it('as one of its own where there is none, or one that the standard does not know', async () => {
    const { collector, url, flush } = await traced();
    for (const traceparent of ['', 'canary', `00-${'0'.repeat(32)}-${PARENT}-01`, `ff-${TRACE}-${PARENT}-01`, `${TRACEPARENT}-x`])
      await post2026(url, 'tools/call', { name: 'list_goals', arguments: {} }, { ...anna, traceparent });
    await flush();
    const spans = collector.spans.filter(({ kind }) => kind === 2);
    expect(spans).toHaveLength(5);
    for (const { traceId, parentSpanId } of spans) expect([traceId === TRACE, parentSpanId]).toEqual([false, '']);
  });
});

it('a call that fails is marked with how, and so is the request that did', async () => {
  const { collector, url, platform, flush } = await traced();
  platform.faults.add({ kind: 'refused', operation: 'listGoals' });
  await post2026(url, 'tools/call', { name: 'list_goals', arguments: {} }, anna);
  await flush();
  const call = named(collector.spans, 'tools/call list_goals');
  const request = named(collector.spans, 'GET /v1/goals');
  expect(call.status).toBe(2);
  expect(call.attributes['error.type']).toBe(request.attributes['error.type']);
  expect(request.attributes['error.type']).toMatch(/^[a-z]+$/);
});

it('a collector that refuses is told of in one line a minute, without the secret that opens it, and holds nothing up', async () => {
  const collector = await openCollector();
  collector.status = 400;
  vi.stubEnv('OTEL_EXPORTER_OTLP_HEADERS', 'api-key=canary-collector-key');
  vi.stubEnv('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', '1');
  const { tracing, said } = await trace(collector);
  const watch = tracing?.watch({ principalId: 'anna' });
  for (let id = 0; id < 5; id += 1) watch?.begin({ kind: 'tool', name: 'list_goals', requestId: id }).end('ok');
  await tracing?.close();
  expect(collector.texts.join('')).toContain('canary-collector-key');
  expect(said).toHaveLength(1);
  expect(said[0]).toMatch(/^warn: traces do not arrive: /);
  expect(said[0]).not.toContain('canary');
});

it('a collector that never answers is not waited for at the end', async () => {
  const collector = await openCollector();
  collector.status = 0;
  const { tracing, clock } = await trace(collector);
  tracing?.watch({ principalId: 'anna' }).begin({ kind: 'tool', name: 'list_goals', requestId: 1 }).end('ok');
  const closing = tracing?.close();
  expect(await clock.nextSleep()).toBe(3_000);
  await clock.advance(3_000);
  await closing;
});

it.each<[Record<string, string>, boolean, RegExp?]>([
  [{}, false],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, true],
  [{ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://collector:4318/v1/traces' }, true],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: ' ' }, false],
  [{ OTEL_TRACES_EXPORTER: 'otlp' }, true],
  [{ OTEL_TRACES_EXPORTER: 'none', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, false],
  [{ OTEL_SDK_DISABLED: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318' }, false],
  [{ OTEL_TRACES_EXPORTER: 'console' }, false, /"console" is not offered; expected otlp or none/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4317', OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc' }, false, /"grpc" is not offered/],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector:4318', OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json' }, true],
])('traces are wanted with %j: %s', (environment, wanted, complaint) => {
  const said: string[] = [];
  expect(tracingWanted(environment, (message) => void said.push(message))).toBe(wanted);
  expect(said.join()).toMatch(complaint ?? /^$/);
});

it('over stdio calls are traced too, without a word on stdout that is no message', { tags: 'nightly' }, async () => {
  const collector = await openCollector();
  const server = await startServer(DEMO, { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  onTestFinished(() => void server.child.kill());
  const write = (message: object) => server.write(JSON.stringify({ jsonrpc: '2.0', ...message }));
  write(INITIALIZE);
  await server.answerTo(INITIALIZE.id);
  write({ method: 'notifications/initialized' });
  write({ id: 2, method: 'tools/call', params: { name: 'list_segments', arguments: {}, _meta: { traceparent: TRACEPARENT } } });
  await server.answerTo(2);
  await server.stop();
  expect(named(collector.spans, 'tools/call list_segments')).toMatchObject({ traceId: TRACE, parentSpanId: PARENT });
  expect(named(collector.spans, 'GET /v1/segments').traceId).toBe(TRACE);
  expect([strayOutput(server), server.stderr()]).toEqual([[], '']);
});
