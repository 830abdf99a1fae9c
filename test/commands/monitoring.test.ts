import { expect, it } from 'vitest';
import { openMonitoring } from '../../src/commands/monitoring.ts';
import { manualClock } from '../support/clock.ts';
import { listen } from '../support/stub-platform.ts';

/** What `/readyz` says over a platform whose cache and token service are so. */
async function ready({ isCacheUp, isTokenServiceUp = true }: { isCacheUp?: boolean; isTokenServiceUp?: boolean }) {
  const { pages } = await openMonitoring(
    {},
    {
      sessions: () => ({}),
      platform: {
        clock: manualClock('2026-11-20T10:00:00.000Z'),
        log: () => undefined,
        observe: () => undefined,
        load: () => ({ waiting: 0, inFlight: 0 }),
        isCacheUp: () => isCacheUp,
        async reachTokens() {
          if (!isTokenServiceUp) throw new Error('The authentication server cannot be reached.');
        },
      },
    },
  );
  const { url } = await listen((request, response) => void pages.get('/readyz')?.(request, response));
  const response = await fetch(url);
  return [response.status, ((await response.json()) as { checks: Record<string, string> }).checks];
}

it.each([
  ['whose cache is up', { isCacheUp: true }, 200, { 'token service': 'ok', cache: 'ok' }],
  [
    'that goes on alone',
    { isCacheUp: false },
    200,
    { 'token service': 'ok', cache: 'Redis cannot be reached; this replica goes on alone.' },
  ],
  [
    'without its token service, whatever the cache',
    { isCacheUp: true, isTokenServiceUp: false },
    503,
    { 'token service': 'The authentication server cannot be reached.', cache: 'ok' },
  ],
  ['without a cache', {}, 200, { 'token service': 'ok' }],
])('says whether a replica is ready %s', async (_, platform, status, checks) => {
  expect(await ready(platform)).toEqual([status, checks]);
});
