import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { projectDirectory } from '../../../src/exports/store/manifest.ts';
import { missing, startClickHouse } from '../../support/clickhouse/start.ts';
import { startExternalEmulator } from '../emulator.ts';
import { median } from '../measure.ts';
import { openPeer, type Peer } from '../peer.ts';
import { childrenOf, memoryOf, processorMs } from '../process-figures.ts';
import { numberAfter } from '../tables.ts';
import { rangeOf, visitFiles } from './visit-files.ts';

/** A call of a tool over visits. */
type VisitQuestion = readonly [tool: string, input: object];

/** What answers the statements of the product: the embedded engine in processes of its own, or a warehouse. */
interface Engine {
  /** Variables of the product. */
  readonly environment: Record<string, string>;
  /** Seconds of processors that a server took so far, those of its statements among them. */
  readonly cpuSeconds: (peer: Peer) => number;
  /** Memory of the server and of the engine together. */
  readonly memoryMb: (peer: Peer) => number;
  readonly stop: () => Promise<void>;
}

const secondsOf = (pid: number | undefined) => (processorMs(pid ?? 0) ?? Number.NaN) / 1000;

/** DuckDB, as the product starts it. */
const embedded: Engine = {
  environment: {},
  cpuSeconds: ({ child }) => secondsOf(child.pid),
  memoryMb({ child: { pid = 0 } }) {
    return memoryOf(pid).peakMb + Math.max(0, ...childrenOf(pid).map((child) => memoryOf(child).peakMb));
  },
  stop: () => Promise.resolve(),
};

const LOAD_MS = 900_000;

/** Waits until a server has loaded all that lies on its disk, so that an answer notes nothing of it. */
async function loaded(product: string, environment: Record<string, string>, question: VisitQuestion): Promise<void> {
  const peer = await openPeer([product], environment);
  const isLoaded = async () => {
    const { isError, text, structured } = await peer.call(...question);
    return !isError && !(text + JSON.stringify(structured)).includes('warehouse');
  };
  for (const endMs = Date.now() + LOAD_MS; !(await isLoaded()); ) {
    if (Date.now() > endMs) throw new Error('The warehouse has not loaded the visits in time.');
    await setTimeout(2_000);
  }
  await peer.stop();
}

/** ClickHouse with the visits that a product with this environment has on its disk; `question`: a call that reads both scopes. */
async function startWarehouse(product: string, environment: Record<string, string>, question: VisitQuestion): Promise<Engine> {
  if (missing !== undefined) throw new Error(`The benchmark of the warehouse ${missing}.`);
  const before = new Set(childrenOf(process.pid));
  const clickHouse = await startClickHouse();
  const engine = childrenOf(process.pid).find((pid) => !before.has(pid));
  const { address, database, loader, reader } = clickHouse.access;
  const own = {
    WEB_ANALYTICS_WAREHOUSE_URL: `${address.replace('://', `://${loader.user}@`)}/${database}`,
    WEB_ANALYTICS_WAREHOUSE_PASSWORD: loader.password ?? '',
    WEB_ANALYTICS_WAREHOUSE_READER: reader.user,
    WEB_ANALYTICS_WAREHOUSE_READER_PASSWORD: reader.password ?? '',
  };
  await loaded(product, { ...environment, ...own }, question);
  const residentOf = (pid: number | undefined) => memoryOf(pid ?? 0).residentMb;
  return {
    environment: own,
    cpuSeconds: ({ child }) => secondsOf(child.pid) + secondsOf(engine),
    memoryMb: ({ child }) => residentOf(child.pid) + residentOf(engine),
    stop: () => clickHouse.stop(),
  };
}

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
