import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { callOf, openRawSession, post } from '../support/http.ts';
import { startExternalEmulator } from './emulator.ts';
import { startHttpPeer } from './peer.ts';
import { memoryOf } from './process-figures.ts';
import { seeded } from './verdicts/random.ts';

/** Arguments of one call. */
type Arguments = Readonly<Record<string, unknown>>;

/** What the clients ask: reads of every family and questions, each with several arguments that a team asks for at the same time. */
function questions(steps: readonly string[], dates: readonly number[]): readonly (readonly [string, readonly Arguments[]])[] {
  const scenarios = [4101, 4102, 4103].map((scenarioId) => ({ scenarioId }));
  const weeks = [
    { startDate: '2026-11-01', endDate: '2026-11-07' },
    { startDate: '2026-11-08', endDate: '2026-11-14' },
    { startDate: '2026-10-01', endDate: '2026-10-31' },
  ];
  const ofStep = steps.map((scenarioStepResultId) => ({ scenarioStepResultId }));
  return [
    ['list_segments', [{}]],
    ['list_goals', [{}]],
    ['list_export_jobs', [{}]],
    ['list_scenarios', [{}]],
    ['list_speed_events', [{}]],
    ['get_site_metrics', weeks],
    ['get_site_visits', weeks.map((week) => ({ ...week, period: 'daily' }))],
    ['query_metrics', weeks.map((week) => ({ ...week, metrics: ['conversionRate', 'visits'], breakdown: ['device'] }))],
    ['compare_metrics', weeks.map((week) => ({ ...week, explain: false }))],
    ['find_objects', [{ text: 'checkout' }, { text: 'mobile' }]],
    ['list_scenario_reports', scenarios],
    ['get_scenario_report', [...scenarios, ...dates.map((date) => ({ scenarioId: 4101, date }))]],
    ['get_step_report', steps.map((stepId) => ({ stepId }))],
    ['get_step_har', ofStep],
    ['analyze_har', [...ofStep, ...ofStep.map((step) => ({ ...step, view: 'third_parties' }))]],
    ['compare_hars', steps.slice(1).map((after, index) => ({ before: steps[index], after }))],
    ['analyze_scenario', scenarios],
  ];
}

interface Timed {
  readonly tool: string;
  readonly ms: number;
  /** What was said, where it was an error. */
  readonly error?: string;
}

function percentile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/** One line: how many, how long, how many errors. */
function lineOf(name: string, calls: readonly Timed[]): string {
  const times = calls.map(({ ms }) => ms).toSorted((a, b) => a - b);
  const errors = calls.filter(({ error }) => error !== undefined).length;
  const inMs = (ms: number) => `${ms.toFixed(0)} ms`.padStart(8);
  const cells = [
    name.padEnd(24),
    `${String(calls.length).padStart(6)} calls`,
    `p50 ${inMs(percentile(times, 0.5))}`,
    `p99 ${inMs(percentile(times, 0.99))}`,
    `most ${inMs(times.at(-1) ?? 0)}`,
    `errors ${errors}`,
  ];
  return cells.join('  ');
}

/**
 * Many clients of one team call mixed tools of the built server over HTTP, each the next one `--pause` ms after its answer:
 * `npm run bench -- load [--clients 64] [--seconds 20] [--rounds 3] [--pause 0] [--seed 1]
 * [--cache-mb 64]`. Prints p50, p99, errors and memory.
 */
export async function benchLoad(product: string, args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      clients: { type: 'string', default: '64' },
      seconds: { type: 'string', default: '20' },
      rounds: { type: 'string', default: '3' },
      pause: { type: 'string', default: '0' },
      seed: { type: 'string', default: '1' },
      'cache-mb': { type: 'string', default: '64' },
    },
  });
  const [clients, seconds, rounds, pauseMs, seed] = [values.clients, values.seconds, values.rounds, values.pause, values.seed].map(Number);
  const emulator = await startExternalEmulator(product);
  const quiet = ['--log-level', 'warn', '--log-format', 'words'];
  const serve = [product, 'serve', '--http', '--port', '0', '--report-cache-mb', values['cache-mb'], ...quiet];
  const peer = await startHttpPeer(serve, emulator.environment);
  const { url, pid } = peer;
  try {
    const sessions = await Promise.all(Array.from({ length: clients ?? 1 }, () => openRawSession(url)));
    const call = async (session: Record<string, string>, name: string, given: Arguments) => {
      const { status, message } = await post(url, callOf(name, given), session);
      const { result } = (message ?? {}) as { result?: { isError?: boolean; structuredContent?: unknown; content?: unknown } };
      if (status !== 200 || !result || result.isError) throw new Error(`${status} ${JSON.stringify(result?.content ?? message)}`);
      return result.structuredContent;
    };
    const first = sessions[0] ?? {};
    const dates: number[] = [];
    const steps: string[] = [];
    for (const [scenarioId, hour] of [4101, 4102, 4103].flatMap((id) => [10, 9].map((at) => [id, at] as const))) {
      const time = `2026-11-20T0${hour - 2}:00:00Z`;
      const listed = (await call(first, 'list_scenario_reports', { scenarioId, dateFrom: '2026-11-20', dateTo: time })) as {
        rows: string[][];
      };
      const date = Date.parse(String(listed.rows[0]?.[0]));
      const report = (await call(first, 'get_scenario_report', { scenarioId, date })) as { steps: { stepResultId: string }[] };
      if (scenarioId === 4101) dates.push(date);
      steps.push(...report.steps.map(({ stepResultId }) => stepResultId));
    }
    const asked = questions(steps, dates);
    for (const [tool, given] of asked) await call(first, tool, given[0] ?? {});
    const beforeMb = memoryOf(pid).residentMb;
    process.stdout.write(
      `${clients} clients, ${asked.length} tools, ${steps.length} step results; memory before ${beforeMb.toFixed(0)} MB\n`,
    );
    const all: Timed[] = [];
    for (let round = 1; round <= (rounds ?? 1); round += 1) {
      const endMs = performance.now() + (seconds ?? 1) * 1000;
      const calls: Timed[] = [];
      await Promise.all(
        sessions.map(async (session, index) => {
          const { uniform } = seeded((seed ?? 1) * 10_000 + round * 100 + index);
          const pick = <T>(from: readonly T[]) => from[Math.floor(uniform() * from.length)];
          while (performance.now() < endMs) {
            const [tool, given] = pick(asked) ?? ['', []];
            const startMs = performance.now();
            const error = await call(session, tool, pick(given) ?? {}).then(
              () => undefined,
              (reason: unknown) => String(reason),
            );
            calls.push({ tool, ms: performance.now() - startMs, ...(error !== undefined && { error }) });
            if (pauseMs) await delay(pauseMs * 2 * uniform());
          }
        }),
      );
      // What is only waiting to be collected does not count as kept.
      await delay(2_000);
      const afterMb = memoryOf(pid).residentMb;
      process.stdout.write(`${lineOf(`round ${round}`, calls)}  memory ${afterMb.toFixed(0)} MB = ${(afterMb / beforeMb).toFixed(2)} ×\n`);
      all.push(...calls);
    }
    for (const [tool] of asked)
      process.stdout.write(
        `${lineOf(
          tool,
          all.filter((each) => each.tool === tool),
        )}\n`,
      );
    process.stdout.write(`${lineOf('all', all)}\n`);
    for (const error of new Set(all.flatMap((each) => each.error ?? []))) process.stdout.write(`${error.slice(0, 400)}\n`);
  } finally {
    await peer.stop();
    await emulator.stop();
  }
}
