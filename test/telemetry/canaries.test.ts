import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { makeToken, tokenPrincipalId } from '../../src/sign-in/static-tokens.ts';
import { digest } from '../../src/telemetry/call-watch.ts';
import { openPlatform } from '../support/emulator.ts';
import { temporaryFolder } from '../support/folder.ts';
import { openRawSession, post, post2026 } from '../support/http.ts';
import { startHttpServer } from '../support/stdio.ts';
import { openCollector } from './collector.ts';
import { parseMetrics, valuesOf } from './prometheus.ts';

const PERSON = 'canary.person@example.com';
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const METRICS_TOKEN = 'canary-metrics-token-0123456789';
const COLLECTOR_KEY = 'canary-collector-key-0123456789';
const REQUEST_ID = 'canary-request-id-0123456789';
const ARGUMENT = 'canary-argument-0123456789';

it('the built server writes one line of JSON for each call, counts and traces it, and no output holds a secret or a name', async () => {
  const platform = await openPlatform();
  onTestFinished(() => platform.close());
  const collector = await openCollector();
  const folder = temporaryFolder();
  const { token, stored } = makeToken({ name: PERSON, scopes: ['read'], nowMs: Date.now() });
  const tokensFile = join(folder, 'tokens.json');
  await writeFile(tokensFile, JSON.stringify({ version: 1, tokens: [stored] }), { mode: 0o600 });
  const { clientId, clientSecret } = platform.credentials.account;
  const server = await startHttpServer([], {
    WEB_ANALYTICS_AUTH_URL: platform.authUrl,
    WEB_ANALYTICS_CLIENT_ID: clientId,
    WEB_ANALYTICS_CLIENT_SECRET: clientSecret,
    WEB_ANALYTICS_PROJECT_ID: '1201',
    WEB_ANALYTICS_TOKENS_FILE: tokensFile,
    WEB_ANALYTICS_DATA_DIR: join(folder, 'data'),
    WEB_ANALYTICS_METRICS_TOKEN: METRICS_TOKEN,
    WEB_ANALYTICS_RATE_LIMIT: '5',
    WEB_ANALYTICS_LOG_LEVEL: 'debug',
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: `api-key=${COLLECTOR_KEY}`,
  });
  onTestFinished(() => void server.stop());
  const { url } = server;
  const caller = { authorization: `Bearer ${token}` };
  const answers: unknown[] = [];
  const session = await openRawSession(url, caller);
  const callOf = (id: number | string, name: string, args: object = {}) => ({
    id,
    method: 'tools/call',
    params: { name, arguments: args },
  });
  const traced = { ...session, traceparent: `00-${TRACE}-00f067aa0ba902b7-01` };
  answers.push(await post(url, callOf(7, 'list_segments'), traced));
  answers.push(await post(url, callOf(REQUEST_ID, 'list_segments', { [token]: clientSecret }), session));
  platform.faults.add({ kind: 'refused', operation: 'listGoals' });
  answers.push(await post2026(url, 'tools/call', { name: 'list_goals', arguments: {} }, caller));
  answers.push(await post(url, callOf(8, 'get_mapping', { mappingId: ARGUMENT }), session));
  for (const name of ['list_segments', 'list_segments']) answers.push(await post2026(url, 'tools/call', { name, arguments: {} }, caller));
  const metrics = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${METRICS_TOKEN}` } });
  const counted = await metrics.text();
  for (const path of ['/metrics', '/healthz', '/readyz', '/nothing', '/mcp']) {
    answers.push(await (await fetch(new URL(path, url), { headers: { authorization: `Bearer ${token}x` } })).text());
  }
  await server.stop();

  const lines = server
    .stderr()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  const calls = lines.filter(({ message }) => String(message).startsWith('tools/call'));
  const line = {
    time: expect.stringMatching(/^\d{4}-.*Z$/),
    level: 'info',
    ms: expect.any(Number),
    platformRequests: expect.any(Number),
    principal: digest(tokenPrincipalId(PERSON)),
    // That of the caller, or else that of the span: a line leads to its trace.
    trace: expect.stringMatching(/^[\da-f]{32}$/),
  };
  const of2025 = { ...line, session: digest(session['mcp-session-id'] ?? '') };
  expect(calls).toEqual([
    { ...of2025, message: 'tools/call list_segments', outcome: 'ok', platformRequests: 1, request: 7, trace: TRACE },
    { ...of2025, message: 'tools/call list_segments', outcome: 'invalid', request: digest(REQUEST_ID) },
    { ...line, message: 'tools/call list_goals', outcome: expect.stringMatching(/^[a-z]+$/), request: 1 },
    { ...of2025, message: 'tools/call get_mapping', outcome: 'invalid', request: 8 },
    { ...line, message: 'tools/call list_segments', outcome: 'ok', request: 1 },
    { ...line, message: 'tools/call list_segments', outcome: 'limited', platformRequests: 0, request: 1 },
  ]);
  const samples = parseMetrics(counted);
  expect(valuesOf(samples, 'calls_total', { name: 'list_segments', outcome: 'ok' })).toEqual([2]);
  expect(valuesOf(samples, 'calls_total', { outcome: 'limited' })).toEqual([1]);
  // Sent before the process ended.
  expect(collector.spans.filter(({ kind }) => kind === 2)).toHaveLength(6);
  expect(collector.spans.find(({ traceId }) => traceId === TRACE)).toBeDefined();
  const traceIds = collector.spans.filter(({ kind }) => kind === 2).map(({ traceId }) => traceId);
  expect(calls.map(({ trace }) => trace)).toEqual(expect.arrayContaining(traceIds));

  const traces = collector.texts.join('\n').replaceAll(COLLECTOR_KEY, (key, at: number, all: string) => (isHeader(all, at) ? '' : key));
  const written = { stdout: [...server.lines, server.rest()].join('\n'), stderr: server.stderr(), counted, traces };
  expect(written.stdout).toBe('');
  const secrets = { token: token.slice(4), clientSecret, METRICS_TOKEN, COLLECTOR_KEY };
  const personal = { PERSON, sessionId: session['mcp-session-id'] ?? '', REQUEST_ID, ARGUMENT };
  for (const [output, text] of Object.entries(written)) {
    for (const [name, secret] of Object.entries({ ...secrets, ...personal }))
      expect([output, name, text.includes(secret)]).toEqual([output, name, false]);
    expect([output, text.match(/eyJ[\w-]{8,}\.[\w-]+/)]).toEqual([output, null]);
  }
  const shown = JSON.stringify(answers);
  for (const [name, secret] of Object.entries(secrets)) expect([name, shown.includes(secret)]).toEqual([name, false]);
});

/** The key is sent to the collector in the one header that it belongs in. */
function isHeader(all: string, at: number): boolean {
  return all.slice(0, at).endsWith('"api-key":"');
}
