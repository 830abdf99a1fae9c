import { post2026 } from '../support/http.ts';
import { withEmulator } from './emulator.ts';
import type { GateRow } from './gate-row.ts';
import { median, timed } from './measure.ts';
import { clockModule, openPeer, startHttpPeer } from './peer.ts';
import { processorMs } from './process-figures.ts';

/** The present of the emulated platform, at which the product lives too. */
const CLOCK = '2026-11-20T10:00:00Z';
const MONTH = { startDate: '-28d', endDate: 'yesterday' };

interface Question {
  readonly what: string;
  readonly name: string;
  readonly input: object;
  /** What is aimed at: processor seconds of the first call and of the same call again. */
  readonly aim?: string;
}

const QUESTIONS: readonly Question[] = [
  { what: 'compare_metrics', name: 'compare_metrics', input: { startDate: '-7d', endDate: 'yesterday' }, aim: '0.6 and 0.2 s' },
  {
    what: 'query_metrics with expected',
    name: 'query_metrics',
    input: { metrics: ['visits'], breakdown: ['day'], expected: true, ...MONTH },
    aim: '0.4 s',
  },
  { what: 'find_changes', name: 'find_changes', input: MONTH, aim: '1.5 and 0.3 s' },
  { what: 'find_changes with speed', name: 'find_changes', input: { ...MONTH, include: ['site', 'speed'] }, aim: '4 and 1 s' },
  { what: 'analyze_scenario', name: 'analyze_scenario', input: {}, aim: '2.5 and 0.3 s' },
  { what: 'analyze_scenario, levels', name: 'analyze_scenario', input: { view: 'levels' } },
  {
    what: 'check_speed_budgets',
    name: 'check_speed_budgets',
    input: { budgets: [{ metric: 'largestContentfulPaint', limit: 2500 }] },
  },
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
async function secondsOf(product: string, environment: Environment, { name, input }: Question): Promise<number[]> {
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
async function longestWaitMs(product: string, environment: Environment, { name, input }: Question): Promise<number> {
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
      const { what, aim } = question;
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
