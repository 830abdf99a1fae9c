import { createReadCache } from '../../src/api/read-cache.ts';
import { callTool } from '../../src/tooling/call-tool.ts';
import { createSession } from '../../src/tooling/session.ts';
import { toolsets } from '../../tools/index.ts';
import { openPlatform, type Platform } from '../support/emulator.ts';
import { PLAIN_SESSION } from '../support/no-workspace.ts';
import { createSpeedClient } from './speed-client.ts';
import { seeded } from './verdicts/random.ts';

const QUESTIONS = 100;
const THINKING_MS = 20_000;
/** What the platform does not hold for ever is asked for each time. */
const IMMUTABLE = new Set(['getStepHar', 'getStepReport', 'getScenarioReport']);

type Call = readonly [tool: string, args: Readonly<Record<string, unknown>>];

/** One conversation about the speed of a site: a few pages, each looked at from many sides. */
async function questionsOf(platform: Platform): Promise<Call[]> {
  const token = await platform.token('shop');
  const { uniform } = seeded(1);
  const pick = <T>(from: readonly T[]): T | undefined => from[Math.floor(uniform() * from.length)];
  const reports: { scenarioId: number; date: number; steps: string[] }[] = [];
  for (const scenarioId of [4101, 4102]) {
    const { scenario } = await platform.ask('listScenarioReports', { scenarioId, limit: 3, error: false }, token);
    const found = scenario.reports.map(({ date, steps }) => ({
      scenarioId,
      date,
      steps: (steps ?? []).map((step) => String(step.stepResultId)),
    }));
    reports.push(...found);
  }
  return Array.from({ length: QUESTIONS }, (): Call => {
    const { scenarioId = 4101, date, steps = [] } = pick(reports) ?? {};
    const scenarioStepResultId = pick(steps.slice(0, 3)) ?? '';
    const other = pick(steps.slice(0, 3)) ?? '';
    const calls: readonly Call[] = [
      ['get_scenario_report', { scenarioId, date }],
      ['get_step_report', { stepId: scenarioStepResultId }],
      ['get_step_har', { scenarioStepResultId }],
      ['analyze_har', { scenarioStepResultId }],
      ['analyze_har', { scenarioStepResultId, view: 'third_parties' }],
      ['analyze_har', { scenarioStepResultId, view: 'problems' }],
      ['analyze_har', { scenarioStepResultId, type: 'script' }],
      ['compare_hars', { before: scenarioStepResultId, after: other }],
      ['list_scenario_reports', { scenarioId }],
      ['list_speed_events', {}],
      ['list_scenarios', {}],
    ];
    return pick(calls) ?? ['list_scenarios', {}];
  });
}

async function requestsFor(platform: Platform, questions: readonly Call[], maxBytes: number): Promise<Map<string, number>> {
  const { clock, authUrl, credentials } = platform;
  const { clientId, clientSecret } = credentials.account;
  const tools = new Map(toolsets.flatMap((toolset) => toolset.tools).map((tool) => [tool.name, tool]));
  const session = createSession({
    clock,
    ...PLAIN_SESSION,
    connect: async () =>
      createSpeedClient({
        authUrl,
        credential: { clientId, clientSecret },
        defaultProjectId: 1201,
        clock,
        reads: createReadCache({ maxBytes, clock }),
      }),
  });
  const before = platform.requests.length;
  for (const [name, args] of questions) {
    // A person reads an answer before asking on: longer than lists are kept.
    clock.jump(THINKING_MS);
    const tool = tools.get(name);
    const answer = tool && (await callTool(tool, args, { session, signal: new AbortController().signal, canAsk: false }));
    if (!answer || 'ask' in answer || answer.isError) throw new Error(`${name} failed: ${JSON.stringify(answer)}`);
  }
  await session.close();
  const counts = new Map<string, number>();
  for (const { operation } of platform.requests.slice(before)) counts.set(String(operation), (counts.get(String(operation)) ?? 0) + 1);
  return counts;
}

const total = (counts: ReadonlyMap<string, number>, only: (operation: string) => boolean = () => true) =>
  [...counts].reduce((sum, [operation, count]) => sum + (only(operation) ? count : 0), 0);

/** 100 mixed speed questions of one conversation: requests to the platform without and with what is kept, by operation. */
export async function benchConversation(): Promise<void> {
  const platform = await openPlatform();
  try {
    const questions = await questionsOf(platform);
    const without = await requestsFor(platform, questions, 0);
    const withCache = await requestsFor(platform, questions, 64 * 1_048_576);
    for (const operation of without.keys()) {
      const [was, is] = [without.get(operation) ?? 0, withCache.get(operation) ?? 0];
      process.stdout.write(`${operation.padEnd(22)} ${String(was).padStart(5)} → ${is}\n`);
    }
    const kept = (operation: string) => IMMUTABLE.has(operation);
    process.stdout.write(`${'reports and HAR files'.padEnd(22)} ${String(total(without, kept)).padStart(5)} → ${total(withCache, kept)}\n`);
    process.stdout.write(`${`all, ${QUESTIONS} questions`.padEnd(22)} ${String(total(without)).padStart(5)} → ${total(withCache)}\n`);
  } finally {
    await platform.close();
  }
}
