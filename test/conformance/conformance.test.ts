import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedLimits, type HttpServing, serveHttp } from '../../src/protocol/http/http-server.ts';
import { createSubscriptions } from '../../src/protocol/subscriptions.ts';
import { createSession } from '../../src/tooling/session.ts';
import { manualClock } from '../support/clock.ts';
import { START } from '../support/emulator.ts';
import { sharedService } from '../support/http.ts';
import { NO_WORKSPACE } from '../support/no-workspace.ts';
import { createFixtureServer } from './fixture-server.ts';
import { failures, missing, type Revision, required, runSuite } from './suite.ts';

/** Scenarios that call nothing by name: they run against the product as it is. */
const GENERIC: Readonly<Record<Revision, readonly string[]>> = {
  '2025-11-25': [
    'server-initialize',
    'ping',
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'prompts-list',
    'dns-rebinding-protection',
    'server-session-lifecycle',
  ],
  '2026-07-28': [
    'tools-list',
    'server-sse-multiple-streams',
    'resources-list',
    'sep-2164-resource-not-found',
    'prompts-list',
    'dns-rebinding-protection',
    'caching',
    'input-required-result-unsupported-methods',
    'http-header-validation',
  ],
};

const revisions = ['2025-11-25', '2026-07-28'] as const;

describe.skipIf(missing)(`conformance${missing ? ` (${missing})` : ''}`, () => {
  describe('the unmodified product passes the generic scenarios', () => {
    const service = sharedService();

    it.each(revisions)('of %s', async (revision) => {
      const findings = await runSuite(service().url, revision);
      expect(failures(findings, GENERIC[revision])).toEqual([]);
    });
  });

  describe('with fixtures for what is called by name, every required scenario passes', () => {
    let serving: HttpServing | undefined;
    beforeAll(async () => {
      const clock = manualClock(START);
      const connect = () => Promise.reject(new Error('nothing is asked of the platform'));
      const session = createSession({ connect, clock, timeZone: 'UTC', maxResultTokens: 1_000, rawHar: false, workspace: NO_WORKSPACE });
      serving = await serveHttp({
        host: '127.0.0.1',
        port: 0,
        clock,
        log: () => undefined,
        limits: { ...fixedLimits, maxSessions: 100, idleMs: 60_000, maxRequests: 100, maxConnections: 300 },
        writes: () => false,
        open: () => ({
          createServer: () => createFixtureServer(),
          subscriptions: createSubscriptions(session, []),
          close: () => session.close(),
        }),
      });
    });
    afterAll(() => serving?.close());

    it.each(revisions)('of %s', async (revision) => {
      const findings = await runSuite(serving?.url ?? '', revision);
      expect(required(revision).length).toBeGreaterThan(25);
      expect(failures(findings, required(revision))).toEqual([]);
    });
  });
});
