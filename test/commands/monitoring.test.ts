import { describe, expect, it } from 'vitest';
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

describe('ready, with what replicas share', () => {
  it('is a replica whose cache is up', async () => {
    expect(await ready({ isCacheUp: true })).toEqual([200, { 'token service': 'ok', cache: 'ok' }]);
  });

  it('is one that goes on alone, and says so', async () => {
    const cache = 'Redis cannot be reached; this replica goes on alone.';
    expect(await ready({ isCacheUp: false })).toEqual([200, { 'token service': 'ok', cache }]);
  });

  it('is none without its token service, whatever the cache', async () => {
    const checks = { 'token service': 'The authentication server cannot be reached.', cache: 'ok' };
    expect(await ready({ isCacheUp: true, isTokenServiceUp: false })).toEqual([503, checks]);
  });

  it('says nothing of a cache where there is none', async () => {
    expect(await ready({})).toEqual([200, { 'token service': 'ok' }]);
  });
});
