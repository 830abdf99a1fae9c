import { post2026 } from '../support/http.ts';
import { withEmulator } from './emulator.ts';
import type { GateRow } from './gate-row.ts';
import { median, timed } from './measure.ts';
import { clockModule, openPeer, startHttpPeer } from './peer.ts';
import { processorMs } from './process-figures.ts';

/** The present of the emulated platform, at which the product lives too. */
const CLOCK = '2026-11-20T10:00:00Z';
const MONTH = { startDate: '-28d', endDate: 'yesterday' };

/** What is asked of which tool, and what is aimed at: processor seconds of the first call and of the same call again. */
type Question = readonly [what: string, name: string, input: object, aim?: string];

const QUESTIONS: readonly Question[] = [
  ['compare_metrics', 'compare_metrics', { startDate: '-7d', endDate: 'yesterday' }, '0.6 and 0.2 s'],
  ['query_metrics with expected', 'query_metrics', { metrics: ['visits'], breakdown: ['day'], expected: true, ...MONTH }, '0.4 s'],
  ['find_changes', 'find_changes', MONTH, '1.5 and 0.3 s'],
  ['find_changes with speed', 'find_changes', { ...MONTH, include: ['site', 'speed'] }, '4 and 1 s'],
  ['analyze_scenario', 'analyze_scenario', {}, '2.5 and 0.3 s'],
  ['analyze_scenario, levels', 'analyze_scenario', { view: 'levels' }],
  ['check_speed_budgets', 'check_speed_budgets', { budgets: [{ metric: 'largestContentfulPaint', limit: 2500 }] }],
];

/** Processor seconds of a computation that never changes, so that figures of two machines compare. */
function yardstickSeconds(): number {
  const seconds = Array.from({ length: 3 }, () => {
    const before = process.cpuUsage().user;
    let [state, total] = [1, 0];
    for (let step = 0; step < 6e7; step += 1) {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      total += Math.log(1 + state) * Math.sqrt(state);
    }
    if (!Number.isFinite(total)) throw new Error('The computation went wrong.');
    return (process.cpuUsage().user - before) / 1e6;
  });
  return median(seconds);
}

type Environment = Readonly<Record<string, string>>;

/** Processor seconds of a new process for a call and for the same once more. */
async function secondsOf(product: string, environment: Environment, [, name, input]: Question): Promise<number[]> {
  const peer = await openPeer(['--import', clockModule(CLOCK), product], environment);
  const spent = () => processorMs(peer.child.pid ?? 0) ?? Number.NaN;
  try {
    await peer.ask('tools/list');
    const seconds: number[] = [];
    for (let turn = 0; turn < 2; turn += 1) {
      const before = spent();
      await peer.answer(name, input);
      seconds.push((spent() - before) / 1000);
    }
    return seconds;
  } finally {
    await peer.stop();
  }
}

/** The longest in ms that another client of the process waits, while a question is answered, for a call that needs no platform. */
async function longestWaitMs(product: string, environment: Environment, [, name, input]: Question): Promise<number> {
  const peer = await startHttpPeer(['--import', clockModule(CLOCK), product, 'serve', '--http', '--port', '0'], environment);
  const call = async (tool: string, args: object) => {
    const { status, message } = await post2026(peer.url, 'tools/call', { name: tool, arguments: args });
    const { result } = (message ?? {}) as { result?: { isError?: boolean } };
    if (status !== 200 || !result || result.isError) throw new Error(`${tool}: ${status} ${JSON.stringify(message)}`);
  };
  // The token is kept after the first.
  const small = () => call('authenticate', {});
  try {
    await small();
    const state = { isAnswered: false };
    let longest = 0;
    const answered = call(name, input).finally(() => {
      state.isAnswered = true;
    });
    while (!state.isAnswered) longest = Math.max(longest, await timed(small));
    await answered;
    return longest;
  } finally {
    await peer.stop();
  }
}

/** Processor time of the answering tools, apart from the platform, and how long each keeps another client waiting. */
export function processorRows(product: string): Promise<GateRow[]> {
  return withEmulator(product, async ({ environment }) => {
    const yardstick = yardstickSeconds();
    const rows: GateRow[] = [];
    for (const question of QUESTIONS) {
      const [what, , , aim] = question;
      const seconds = await secondsOf(product, environment, question);
      for (const [turn, value] of seconds.entries()) {
        const name = `processor time: ${what}, ${turn === 0 ? 'first' : 'again'}`;
        rows.push({ what: turn === 0 && aim ? `${name} (aim ${aim})` : name, value, unit: 's', better: 'lower' });
        rows.push({ what: `${name}, over a fixed computation`, value: value / yardstick, unit: 'x', better: 'lower' });
      }
      const value = await longestWaitMs(product, environment, question);
      rows.push({ what: `longest wait of a small call beside ${what} (aim 100 ms)`, value, unit: 'ms', better: 'lower' });
    }
    return rows;
  });
}
