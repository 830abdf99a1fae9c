import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { projectDirectory } from '../../../src/workspace/store/manifest.ts';
import { startExternalEmulator } from '../emulator.ts';
import { median } from '../measure.ts';
import { openPeer } from '../peer.ts';
import { numberAfter } from '../tables.ts';
import { type Engine, embedded, startWarehouse, type VisitQuestion } from './engines.ts';
import { rangeOf, visitFiles } from './visit-files.ts';

const STEPS = ['/c/*', '/p/*', '/cart', '/checkout/payment', '/checkout/confirmation'];

/** Questions by the name under which `--only` chooses them. */
const QUESTIONS: Readonly<Record<string, VisitQuestion>> = {
  funnel: ['analyze_funnel', { steps: STEPS }],
  'funnel to a purchase, by device': ['analyze_funnel', { steps: ['/p/*', '/cart', 'purchase'], breakdown: 'device' }],
  'funnel, direct': ['analyze_funnel', { steps: ['/p/*', '/cart'], order: 'direct' }],
  'funnel of visitors': ['analyze_funnel', { steps: ['/p/*', '/checkout/confirmation'], within: 'visitor' }],
  'paths after the cart': ['analyze_paths', { from: '/cart' }],
  'paths from entry': ['analyze_paths', { from: 'entry' }],
  retention: ['analyze_retention', {}],
  'retention beside hourly runs': ['analyze_retention', {}],
  'impact of all': ['measure_impact', {}],
  'impact of slow product pages': ['measure_impact', { conditions: [{ what: 'slow_page', pages: ['/p/*'] }] }],
  'variants of a test': ['measure_impact', { conditions: [{ what: 'variable', name: 'custom_var_3' }] }],
};

/** One question to a product that has answered nothing before, several times; the slowest memory, the middle time. */
async function measured(
  question: VisitQuestion,
  { product, environment, engine, turns }: { product: string; environment: Record<string, string>; engine: Engine; turns: number },
) {
  const [times, cpu]: [number[], number[]] = [[], []];
  let [peakMb, said] = [0, ''];
  for (let turn = 0; turn < turns; turn += 1) {
    const peer = await openPeer([product], environment);
    const watch = setInterval(() => {
      peakMb = Math.max(peakMb, engine.memoryMb(peer));
    }, 20);
    const before = engine.cpuSeconds(peer);
    const startedMs = performance.now();
    const { text, isError } = await peer.call(...question);
    times.push(performance.now() - startedMs);
    clearInterval(watch);
    cpu.push(engine.cpuSeconds(peer) - before);
    said = `${isError ? 'ERROR ' : ''}${text}`;
    await peer.stop();
  }
  return { seconds: median(times) / 1000, cpu: median(cpu), peakMb, said };
}

function after(args: readonly string[], name: string): string | undefined {
  const at = args.indexOf(name);
  return at < 0 ? undefined : args[at + 1];
}

/**
 * Time and memory of the tools over visits, asked as a host asks them about all days, over generated files as the conversion leaves them:
 * `--sessions 1000000 --days 14 --turns 3 --only funnel,retention --engine clickhouse`. 20,000,000 sessions have about 100 million views.
 * What a warehouse takes for its merges meanwhile is counted too.
 */
export async function benchJourneys(product: string, args: readonly string[]): Promise<void> {
  const [sessions, days, turns] = [
    numberAfter(args, '--sessions', 1_000_000),
    numberAfter(args, '--days', 14),
    numberAfter(args, '--turns', 3),
  ];
  const only = after(args, '--only')?.split(',');
  const fileSets = [await visitFiles({ sessions, days }), await visitFiles({ sessions, days, hourly: true })] as const;
  const emulator = await startExternalEmulator(product);
  const dir = mkdtempSync(join(tmpdir(), 'journeys-'));
  let engine = embedded;
  try {
    const environment: Record<string, string> = { ...emulator.environment, WEB_ANALYTICS_DATA_DIR: dir };
    const [authUrl = '', projectId = ''] = [environment['WEB_ANALYTICS_AUTH_URL'], environment['WEB_ANALYTICS_PROJECT_ID']];
    const place = projectDirectory({ dir, principal: 'local', authUrl, projectId: Number(projectId) });
    mkdirSync(dirname(place), { recursive: true });
    const show = (hourly: boolean) => {
      rmSync(place, { force: true });
      symlinkSync(fileSets[hourly ? 1 : 0], place);
    };
    show(false);
    const range = rangeOf({ sessions, days });
    const ofBoth = ['analyze_funnel', { steps: ['/cart', 'purchase'], ...range }] as const;
    if (after(args, '--engine') === 'clickhouse') engine = await startWarehouse(product, environment, ofBoth);
    process.stdout.write('| question | s | CPU s | MB | characters | load | says |\n| --- | --- | --- | --- | --- | --- | --- |\n');
    for (const [what, [tool, input]] of Object.entries(QUESTIONS)) {
      if (only?.every((name) => !what.startsWith(name))) continue;
      show(what.endsWith('hourly runs'));
      const own = { ...environment, ...engine.environment };
      const result = await measured([tool, { ...input, ...range }], { product, turns, engine, environment: own });
      const { seconds, cpu, peakMb, said } = result;
      const figures = [seconds.toFixed(2), cpu.toFixed(2), peakMb.toFixed(0), said.length, (loadavg()[0] ?? 0).toFixed(1)];
      process.stdout.write(`| ${[what, ...figures, said.slice(0, 160).replaceAll('\n', ' ')].join(' | ')} |\n`);
    }
  } finally {
    await engine.stop();
    await emulator.stop();
    rmSync(dir, { recursive: true, force: true });
  }
}
