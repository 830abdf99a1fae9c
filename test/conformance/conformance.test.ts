import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { markdownTable } from '../../src/lib/text-table.ts';
import { fixedLimits, type HttpServing, serveHttp } from '../../src/protocol/http/http-server.ts';
import { createSubscriptions } from '../../src/protocol/subscriptions.ts';
import { createSession } from '../../src/tooling/session.ts';
import { manualClock } from '../support/clock.ts';
import { START } from '../support/emulator.ts';
import { sharedService } from '../support/http.ts';
import { NO_WORKSPACE } from '../support/no-workspace.ts';
import { freshBundle } from '../support/stdio.ts';
import { createFixtureServer } from './fixture-server.ts';
import { type Findings, failures, missing, notScored, type Revision, required, runSuite } from './suite.ts';

/** What a run of the suite found in one revision, against the product and against the fixtures. */
interface RevisionFindings {
  readonly revision: Revision;
  /** Scenarios that the unmodified product has to pass. */
  readonly generic: readonly string[];
  readonly product: Findings;
  readonly fixtures: Findings;
}

/** Why a scenario that is not required does not apply, by the beginning of its name. */
const NOT_APPLICABLE: readonly (readonly [string, string])[] = [
  ['tasks-', 'the tasks extension is not offered: the SDK has no runtime for it yet'],
  ['server-sse-polling', 'streams are not resumed: an answer is asked for again by its handle'],
  ['http-custom-header-server-validation', 'no tool asks hosts to copy arguments into headers'],
];

/**
 * Why the product itself does not offer what a scenario asks for, by a part of its name; the others call names that only the fixtures have.
 */
const NOT_OFFERED: readonly (readonly [string, string])[] = [
  ['logging', 'the product logs to stderr: logging is deprecated in the protocol'],
  ['sampling', 'the product never asks for sampling: it is deprecated in the protocol'],
  ['list-roots', 'the product never asks for roots: they are deprecated in the protocol'],
];

const HEADER = ['Scenario', 'The product as it is', 'With fixtures', 'Remark'];

function verdict(findings: Findings, name: string): string {
  return failures(findings, [name]).length === 0 ? 'passes' : 'fails';
}

function row({ generic, product, fixtures }: RevisionFindings, name: string, reason: string): string[] {
  const reasonNot = NOT_APPLICABLE.find(([beginning]) => name.startsWith(beginning))?.[1];
  if (reasonNot !== undefined) return [`\`${name}\``, 'not applicable', 'not applicable', `${reason}; ${reasonNot}`];
  const own = generic.includes(name) ? verdict(product, name) : 'not applicable';
  const notOffered = NOT_OFFERED.find(([part]) => name.includes(part))?.[1] ?? 'calls names that only the fixtures have';
  const why = generic.includes(name) ? '' : notOffered;
  return [`\`${name}\``, own, verdict(fixtures, name), [reason, why].filter((each) => each !== '').join('; ')];
}

function section(findings: RevisionFindings): string {
  const { revision } = findings;
  const needed = required(revision);
  const others = notScored(revision);
  const rows = [
    ...needed.map((name) => row(findings, name, 'required')),
    ...others.map(({ scenario, reason }) => row(findings, scenario, `not scored (${reason})`)),
  ];
  const passed = needed.filter((name) => verdict(findings.fixtures, name) === 'passes').length;
  const own = findings.generic.filter((name) => verdict(findings.product, name) === 'passes').length;
  return `## ${revision}

${passed} of ${needed.length} required scenarios pass with fixtures; \
${own} of ${findings.generic.length} that need none pass against the product as it is.

${markdownTable(HEADER, rows)}`;
}

/** The page of the documents that lists every scenario of servers. */
function conformancePage(all: readonly RevisionFindings[]): string {
  return `# Conformance

The suite of the protocol ([@modelcontextprotocol/conformance](https://www.npmjs.com/package/@modelcontextprotocol/conformance)) \
runs in the tests, against the product as it is and against fixtures: tools, resources and prompts with the names that the suite calls, \
on a server that is served by the product's HTTP side. \`test/conformance\` writes this page (\`-u\`) \
and fails where it is not what the suite finds.

${all.map(section).join('\n\n')}

[Documents](../README.md)
`;
}

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
