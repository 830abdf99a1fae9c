import { type ClientOptions, createClient } from '../../src/api/client.ts';
import { createLimiter } from '../../src/api/limiter.ts';

type Chosen = Pick<ClientOptions, 'authUrl' | 'credential' | 'defaultProjectId' | 'clock' | 'reads'>;

/** A client of one session that asks for speed reports, with a limiter of its own. */
export function createSpeedClient(chosen: Chosen) {
  return createClient({
    neededScopes: ['speed-analysis'],
    timeoutMs: 30_000,
    limiter: createLimiter({ clock: chosen.clock }),
    sessionId: 'bench',
    version: '0.0.0',
    ...chosen,
  });
}
