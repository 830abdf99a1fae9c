import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fixedLimits, type HttpServing, serveHttp } from '../../src/protocol/http/http-server.ts';
import { createSubscriptions } from '../../src/protocol/subscriptions.ts';
import { createSession } from '../../src/tooling/session.ts';
import { manualClock } from '../support/clock.ts';
import { START } from '../support/emulator.ts';
import { sharedService } from '../support/http.ts';
import { NO_WORKSPACE } from '../support/no-workspace.ts';
import { freshBundle } from '../support/stdio.ts';
import { conformancePage, type RevisionFindings } from './conformance-page.ts';
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
  const service = sharedService();
  let serving: HttpServing | undefined;
  let runs: readonly Promise<RevisionFindings>[] = [];

  /** The product as it is, and the fixtures on its HTTP side. */
  async function run(revision: Revision): Promise<RevisionFindings> {
    const [product, fixtures] = await Promise.all([service().url, serving?.url ?? ''].map((url) => runSuite(url, revision)));
    return { revision, generic: GENERIC[revision], product: product ?? new Map(), fixtures: fixtures ?? new Map() };
  }

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
      changesSomething: () => false,
      open: () => ({
        createServer: () => createFixtureServer(),
        subscriptions: createSubscriptions(session, []),
        close: () => session.close(),
      }),
    });
    // The view of charts is a part of the build.
    await freshBundle();
    // They wait more than they work, so all go on at the same time.
    runs = revisions.map(run);
  });
  afterAll(() => serving?.close());

  it('is listed scenario by scenario in docs/evidence/conformance.md; what is required, and generic of the product, passes', async () => {
    const all = await Promise.all(runs);
    for (const { revision, generic, product, fixtures } of all) {
      expect(required(revision).length).toBeGreaterThan(25);
      expect([...failures(product, generic), ...failures(fixtures, required(revision))]).toEqual([]);
    }
    const page = conformancePage(all);
    expect(page.split('\n').filter((line) => line.includes('| fails |'))).toEqual([]);
    await expect(page).toMatchFileSnapshot('../../docs/evidence/conformance.md');
  });
});
