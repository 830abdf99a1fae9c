import { afterEach, expect, it } from 'vitest';
import { callOf, openRawSession, openService, post, post2026, type Service, spokenSignIn } from '../support/http.ts';
import { whileTimePasses } from '../support/pass-time.ts';
import { parseMetrics, type Sample, valuesOf } from './prometheus.ts';

const TOKEN = 'metrics-token-0123456789';
const DATES = { startDate: '2026-11-10', endDate: '2026-11-12' };

let service: Service | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function open(): Promise<Service> {
  service = await openService({ settings: { METRICS_TOKEN: TOKEN }, signIn: spokenSignIn });
  return service;
}

async function scrape({ url }: Service): Promise<Sample[]> {
  const response = await fetch(new URL('/metrics', url), { headers: { authorization: `Bearer ${TOKEN}` } });
  return parseMetrics(await response.text());
}

const anna = { authorization: 'Bearer anna:read' };
it('count calls by name and outcome, requests, retries, tokens, look-ups, sessions', async () => {
  const running = await open();
  const { url, platform } = running;
  const session = await openRawSession(url, anna);
  await post(url, callOf('get_site_visits', { ...DATES, segmentIds: ['Returning visitors'] }), session);
  await post(url, callOf('get_site_visits', { ...DATES, segmentIds: ['Returning visitors'], device: 'mobile' }), session);
  await post(url, callOf('get_site_visits', { startDate: 'whenever' }), session);
  const fault = platform.faults.add({ kind: 'unavailable', operation: 'listGoals', times: 1, retryAfter: 0 });
  const repeating = post2026(url, 'tools/call', { name: 'list_goals', arguments: {} }, anna);
  await fault.reached();
  await whileTimePasses(platform.clock, repeating);
  await post2026(url, 'resources/read', { uri: 'analytics://reference/limits' }, anna);
  await post2026(url, 'resources/read', { uri: 'analytics://reference/nothing' }, anna);
  await post(url, { id: 9, method: 'tools/list' }, session);
  const samples = await scrape(running);
  const value = (name: string, labels: Record<string, string> = {}) => valuesOf(samples, name, labels);
  expect(value('calls_total', { kind: 'tool', name: 'get_site_visits', outcome: 'ok' })).toEqual([2]);
  expect(value('calls_total', { kind: 'tool', name: 'get_site_visits', outcome: 'invalid' })).toEqual([1]);
  expect(value('calls_total', { kind: 'tool', name: 'list_goals', outcome: 'ok' })).toEqual([1]);
  expect(value('calls_total', { kind: 'resource', outcome: 'ok' })).toEqual([1]);
  expect(value('calls_total', { kind: 'resource', outcome: 'missing' })).toEqual([1]);
  expect(value('call_duration_seconds_count', { name: 'get_site_visits' })).toEqual([3]);
  expect(value('platform_requests_total', { operation: 'GET /v1/metrics/site/visits', outcome: 'ok' })).toEqual([2]);
  expect(value('platform_requests_total', { operation: 'GET /v1/goals' })).toEqual([1, 1]);
  expect(value('platform_retries_total')).toEqual([1]);
  // One session each of two eras, one principal.
  expect(value('token_requests_total', { outcome: 'ok' })).toEqual([2]);
  expect(value('cache_lookups_total', { cache: 'tokens', outcome: 'hit' })[0]).toBeGreaterThan(0);
  expect([value('sessions', { era: '2025' }), value('sessions', { era: '2026' })]).toEqual([[1], [1]]);
  expect([value('queue_length'), value('platform_requests_in_flight')]).toEqual([[0], [0]]);
  expect(value('http_responses_total', { status: '200' })[0]).toBeGreaterThanOrEqual(7);
  expect(samples.find(({ name }) => name === 'nodejs_eventloop_lag_p99_seconds')).toBeDefined();
});

it('show the queue while calls wait, and the sessions that ended no more', async () => {
  const running = await open();
  const { url, platform } = running;
  const session = await openRawSession(url, anna);
  const slow = platform.faults.add({ kind: 'slow', operation: 'listScenarios' });
  // Identical reads would be one request.
  const calls = ['check', 'home', 'search'].map((name, id) => post(url, { ...callOf('list_scenarios', { name }), id }, session));
  await slow.reached();
  let samples = await scrape(running);
  while (valuesOf(samples, 'queue_length')[0] !== 2) samples = await scrape(running);
  expect(valuesOf(samples, 'platform_requests_in_flight')).toEqual([1]);
  slow.release();
  await Promise.all(calls);
  await fetch(url, { method: 'DELETE', headers: session });
  samples = await scrape(running);
  expect(valuesOf(samples, 'sessions', { era: '2025' })).toEqual([0]);
  expect(valuesOf(samples, 'queue_length')).toEqual([0]);
});

it('have labels from the lists of the product alone, whatever callers send', async () => {
  const running = await open();
  const { url } = running;
  const canaries = Array.from({ length: 12 }, (_, index) => `canary-${index}`);
  for (const canary of canaries) {
    const headers = { authorization: `Bearer ${canary}:read` };
    await post2026(url, 'tools/call', { name: canary, arguments: {} }, headers);
    await post2026(url, 'tools/call', { name: 'list_segments', arguments: { [canary]: canary } }, headers);
    await post2026(url, 'resources/read', { uri: `analytics://reference/${canary}` }, headers);
  }
  const samples = await scrape(running);
  expect(JSON.stringify(samples)).not.toContain('canary');
  expect(new Set(samples.map(({ labels }) => labels['name']).filter(Boolean)).size).toBe(2);
});
