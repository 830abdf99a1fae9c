import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectDirectory } from '../../../src/workspace/store/layout.ts';
import { startExternalEmulator } from '../emulator.ts';
import { median, timed } from '../measure.ts';
import { greet, type Peer, startPeer } from '../peer.ts';
import { rangeOf, visitFiles } from './visit-files.ts';

const STEPS = ['/c/*', '/p/*', '/cart', '/checkout/payment', '/checkout/confirmation'];

/** Questions by the name under which `--only` chooses them. */
const QUESTIONS: Readonly<Record<string, readonly [tool: string, input: object]>> = {
  funnel: ['analyze_funnel', { steps: STEPS }],
  'funnel to a purchase, by device': ['analyze_funnel', { steps: ['/p/*', '/cart', 'purchase'], breakdown: 'device' }],
  'funnel, direct': ['analyze_funnel', { steps: ['/p/*', '/cart'], order: 'direct' }],
  'funnel of visitors': ['analyze_funnel', { steps: ['/p/*', '/checkout/confirmation'], within: 'visitor' }],
  'paths after the cart': ['analyze_paths', { from: '/cart' }],
  'paths from entry': ['analyze_paths', { from: 'entry' }],
  retention: ['analyze_retention', {}],
  'impact of all': ['measure_impact', {}],
  'impact of slow product pages': ['measure_impact', { conditions: [{ what: 'slow_page', pages: ['/p/*'] }] }],
  'variants of a test': ['measure_impact', { conditions: [{ what: 'variable', name: 'custom_var_3' }] }],
};

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly peakBytes: number;
}

/** Seconds of processors that children which have ended took, those of the queries among them. */
function cpuSeconds({ child }: Peer): number {
  const fields = readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  // utime, stime, cutime, cstime in hundredths of a second.
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}

function processes(): Process[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const status = readFileSync(`/proc/${name}/status`, 'utf8');
        const number = (pattern: RegExp) => Number(pattern.exec(status)?.[1] ?? 0);
        return [{ pid: Number(name), parent: number(/^PPid:\s+(\d+)$/m), peakBytes: 1024 * number(/^VmHWM:\s+(\d+) kB$/m) }];
      } catch {
        return []; // it has ended meanwhile
      }
    });
}

/** Most memory of the server and of one of its queries together, bytes. */
function peakOf({ child }: Peer): number {
  const all = processes();
  const own = all.find(({ pid }) => pid === child.pid)?.peakBytes ?? 0;
  return own + Math.max(0, ...all.filter(({ parent }) => parent === child.pid).map(({ peakBytes }) => peakBytes));
}

interface Answered {
  readonly said: string;
  readonly chars: number;
}

async function ask(peer: Peer, [name, input]: readonly [string, object]): Promise<Answered> {
  const { result } = (await peer.ask('tools/call', { name, arguments: input })) as {
    result?: { isError?: boolean; content?: { text?: string }[] };
  };
  const text = result?.content?.[0]?.text ?? '';
  return { said: `${result?.isError ? 'ERROR ' : ''}${text.slice(0, 160).replaceAll('\n', ' ')}`, chars: text.length };
}

/** One question to a product that has answered nothing before, several times; the slowest memory, the middle time. */
async function measured(
  question: readonly [string, object],
  { product, environment, turns }: { product: string; environment: Record<string, string>; turns: number },
) {
  const [times, cpu]: [number[], number[]] = [[], []];
  let [peakBytes, answered] = [0, { said: '', chars: 0 }];
  for (let turn = 0; turn < turns; turn += 1) {
    const peer = startPeer([product], environment);
    await greet(peer);
    const watch = setInterval(() => {
      peakBytes = Math.max(peakBytes, peakOf(peer));
    }, 20);
    const before = cpuSeconds(peer);
    times.push(
      await timed(async () => {
        answered = await ask(peer, question);
      }),
    );
    clearInterval(watch);
    cpu.push(cpuSeconds(peer) - before);
    await peer.stop();
  }
  return { seconds: median(times) / 1000, cpu: median(cpu), peakBytes, ...answered };
}

function after(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

/**
 * Time and memory of the tools over visits, asked as a host asks them about all days, over generated files as the conversion leaves them:
 * `--sessions 1000000 --days 14 --turns 3 --only funnel`. 20,000,000 sessions have about 100 million views.
 */
export async function benchJourneys(product: string, args: readonly string[]): Promise<void> {
  const [sessions, days, turns] = [
    ['--sessions', 1_000_000],
    ['--days', 14],
    ['--turns', 3],
  ].map(([name, usual]) => Number(after(args, String(name)) ?? usual)) as [number, number, number]; // three names
  const only = after(args, '--only');
  const kept = await visitFiles({ sessions, days });
  const emulator = await startExternalEmulator(product);
  const dir = mkdtempSync(join(tmpdir(), 'journeys-'));
  try {
    const { environment } = emulator;
    const [authUrl = '', projectId = ''] = [environment['WEB_ANALYTICS_AUTH_URL'], environment['WEB_ANALYTICS_PROJECT_ID']];
    const own = projectDirectory({ dir, principal: 'local', authUrl, projectId: Number(projectId) });
    mkdirSync(dirname(own), { recursive: true });
    symlinkSync(kept, own);
    process.stdout.write('| question | s | CPU s | MB | characters | load | says |\n| --- | --- | --- | --- | --- | --- | --- |\n');
    for (const [what, [tool, input]] of Object.entries(QUESTIONS)) {
      if (only !== undefined && !what.startsWith(only)) continue;
      const question = [tool, { ...input, ...rangeOf({ sessions, days }) }] as const;
      const result = await measured(question, { product, turns, environment: { ...environment, WEB_ANALYTICS_DATA_DIR: dir } });
      const { seconds, cpu, peakBytes, chars, said } = result;
      const figures = [seconds.toFixed(2), cpu.toFixed(2), (peakBytes / 1e6).toFixed(0), chars, (loadavg()[0] ?? 0).toFixed(1)];
      process.stdout.write(`| ${[what, ...figures, said].join(' | ')} |\n`);
    }
  } finally {
    await emulator.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}
