import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { benchAnswers } from './answers/index.ts';
import { buildBareServer } from './bare-server.ts';
import { benchBig } from './big.ts';
import { benchDownloads } from './downloads.ts';
import { directReader, type ExternalEmulator, startExternalEmulator } from './emulator.ts';
import { benchGate } from './gate/index.ts';
import { benchHar } from './har.ts';
import { benchHttp } from './http.ts';
import { benchImpact } from './impact/index.ts';
import { benchJourneys } from './journeys/index.ts';
import { benchLatency } from './latency.ts';
import { benchLoad } from './load.ts';
import { median, type Row, timed } from './measure.ts';
import { benchMetrics } from './metrics.ts';
import { benchNature } from './nature/index.ts';
import { benchPages } from './pages/index.ts';
import { benchPairs } from './pairs.ts';
import { benchParquet } from './parquet.ts';
import { greet, type Peer, peakMegabytes, startPeer } from './peer.ts';
import { benchReplicas } from './replicas.ts';
import { benchStory } from './story/index.ts';
import { benchVerdicts } from './verdicts/index.ts';
import { benchWarehouse } from './warehouse.ts';

const PRODUCT = 'dist/main.js';
const STARTS = 25;
const CALLS = 300;
const WORLDS = 5;

const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

/** From the start of the process to the whole answer of tools/list. */
async function startMs(script: string): Promise<number> {
  let peer: Peer | undefined;
  const elapsedMs = await timed(async () => {
    peer = startPeer([script]);
    const greeted = greet(peer);
    await Promise.all([greeted, peer.ask('tools/list')]);
  });
  await peer?.stop();
  return elapsedMs;
}

async function emptyStartMs(): Promise<number> {
  return timed(() => once(spawn(process.execPath, ['--eval', '0'], { stdio: 'ignore' }), 'close'));
}

async function coldStart(bare: string): Promise<Row[]> {
  const times = { product: [] as number[], bare: [] as number[], node: [] as number[] };
  for (let turn = 0; turn < STARTS + 2; turn += 1) {
    // Each takes its turn in every round, so that what else the machine does meets all alike; two rounds warm the caches of files.
    const round = { product: await startMs(PRODUCT), bare: await startMs(bare), node: await emptyStartMs() };
    if (turn < 2) continue;
    times.product.push(round.product);
    times.bare.push(round.bare);
    times.node.push(round.node);
  }
  const [product, plain, node] = [median(times.product), median(times.bare), median(times.node)];
  return [
    {
      what: 'cold start to tools/list, over a bare server',
      measured: `${(product / plain).toFixed(2)} × (${ms(product)} : ${ms(plain)}; node alone ${ms(node)})`,
      aim: '≤ 1.15 ×',
    },
  ];
}

/** Reads of four families, as an assistant mixes them. */
const mix: readonly [string, object][] = [
  ['list_segments', {}],
  ['get_site_metrics', { startDate: '2026-11-01', endDate: '2026-11-07' }],
  ['list_scenario_reports', { scenarioId: 4101 }],
  ['list_export_jobs', {}],
  ['get_site_visits', { startDate: '2026-10-01', endDate: '2026-10-31', period: 'daily' }],
];

async function peakAfterCalls(peer: Peer, calls: readonly (readonly [string, object])[]): Promise<number | undefined> {
  await greet(peer);
  await peer.ask('tools/list');
  for (let index = 0; index < 100; index += 1) {
    const [name, args] = calls[index % calls.length] ?? ['', {}];
    const { result } = (await peer.ask('tools/call', { name, arguments: args })) as { result?: { isError?: boolean; content?: unknown } };
    if (!result || result.isError) throw new Error(`${name}: ${JSON.stringify(result?.content)}`);
  }
  const peak = peakMegabytes(peer);
  await peer.stop();
  return peak;
}

async function memory(bare: string, environment: Record<string, string>): Promise<Row[]> {
  const peaks = { product: [] as number[], bare: [] as number[] };
  for (let turn = 0; turn < 5; turn += 1) {
    const product = await peakAfterCalls(startPeer([PRODUCT], environment), mix);
    const plain = await peakAfterCalls(startPeer([bare]), [['list_segments', {}]]);
    if (product === undefined || plain === undefined) return [{ what: 'peak memory', measured: 'not told by this system', aim: '≤ 1.3 ×' }];
    peaks.product.push(product);
    peaks.bare.push(plain);
  }
  const [product, plain] = [median(peaks.product), median(peaks.bare)];
  return [
    {
      what: 'peak memory after 100 calls, over a bare server',
      measured: `${(product / plain).toFixed(2)} × (${product.toFixed(0)} MB : ${plain.toFixed(0)} MB)`,
      aim: '≤ 1.3 ×',
    },
  ];
}

async function overhead(bare: string, environment: Record<string, string>, read: (target: string) => Promise<number>): Promise<Row[]> {
  // Nothing is kept, so that each call sends its request.
  const peer = startPeer([PRODUCT], { ...environment, WEB_ANALYTICS_REPORT_CACHE_MB: '0' });
  const bystander = startPeer([bare]);
  await Promise.all([greet(peer), greet(bystander)]);
  const project = environment['WEB_ANALYTICS_PROJECT_ID'];
  const call = { name: 'list_segments', arguments: {} };
  const direct: number[] = [];
  const through: number[] = [];
  const trivial: number[] = [];
  for (let turn = 0; turn < CALLS + 50; turn += 1) {
    const directMs = await timed(() => read(`/v1/segments?projectId=${project}`));
    const throughMs = await timed(() => peer.ask('tools/call', call));
    const trivialMs = await timed(() => bystander.ask('tools/call', call));
    if (turn < 50) continue;
    direct.push(directMs);
    through.push(throughMs);
    trivial.push(trivialMs);
  }
  await Promise.all([peer.stop(), bystander.stop()]);
  const [plain, tool, floor] = [median(direct), median(through), median(trivial)];
  return [
    {
      what: 'a tool call over the direct HTTP call, median',
      measured: `+ ${ms(tool - plain)} (${ms(tool)} : ${ms(plain)}; an empty call of the bare server ${ms(floor)})`,
      aim: '≤ 1.5 ms',
    },
  ];
}

const QUARTERS = {
  latest: 'startDate=2026-08-20T00:00:00.000Z&endDate=2026-11-19T23:59:59.999Z',
  before: 'startDate=2026-05-20T00:00:00.000Z&endDate=2026-08-19T23:59:59.999Z',
};

async function world(): Promise<Row[]> {
  const starts: number[] = [];
  const first: number[] = [];
  const again: number[] = [];
  const other: number[] = [];
  for (let turn = 0; turn < WORLDS; turn += 1) {
    const emulator = await startExternalEmulator(PRODUCT);
    const read = await directReader(emulator);
    const site = `/v1/metrics/site?projectId=${emulator.environment['WEB_ANALYTICS_PROJECT_ID']}`;
    starts.push(emulator.startMs);
    first.push(await timed(() => read(`${site}&${QUARTERS.latest}`)));
    again.push(await timed(() => read(`${site}&${QUARTERS.latest}`)));
    other.push(await timed(() => read(`${site}&${QUARTERS.before}`)));
    await emulator.stop();
  }
  return [
    { what: '92 days of site metrics, as the first request of a process', measured: ms(median(first)), aim: '< 100 ms' },
    { what: '92 days of site metrics, other days of a running process', measured: ms(median(other)), aim: '< 100 ms' },
    { what: '92 days of site metrics, the same once more', measured: ms(median(again)), aim: '< 100 ms' },
    { what: 'start of the emulator as a process', measured: ms(median(starts)), aim: '' },
  ];
}

function print(rows: readonly Row[]): void {
  const widths = [Math.max(...rows.map(({ what }) => what.length)), Math.max(...rows.map(({ measured }) => measured.length))];
  for (const { what, measured, aim } of rows) {
    process.stdout.write(`${what.padEnd(widths[0] ?? 0)}  ${measured.padEnd(widths[1] ?? 0)}  ${aim && `aim ${aim}`}\n`);
  }
}

/** Prints what is measured on an emulator of its own. */
async function onEmulator(measure: (emulator: ExternalEmulator) => Promise<readonly Row[]>): Promise<void> {
  const emulator = await startExternalEmulator(PRODUCT);
  try {
    print(await measure(emulator));
  } finally {
    await emulator.stop();
  }
}

async function benchProduct(): Promise<void> {
  const bare = await buildBareServer(PRODUCT);
  await onEmulator(async (emulator) => {
    const rows = await coldStart(bare);
    rows.push(...(await memory(bare, emulator.environment)));
    rows.push(...(await overhead(bare, emulator.environment, await directReader(emulator))));
    rows.push(...(await benchMetrics(PRODUCT, emulator)));
    rows.push(...(await benchHar()));
    rows.push(...(await benchDownloads()));
    rows.push(...(await benchParquet()));
    rows.push(...(await benchHttp(PRODUCT, emulator)));
    rows.push(...(await benchReplicas()));
    rows.push(...(await world()));
    return rows;
  });
}

const [subject, ...rest] = process.argv.slice(2);
if (subject === 'verdicts') await benchVerdicts(rest);
else if (subject === 'nature') await benchNature(rest);
else if (subject === 'pairs') await benchNature(['pairs', ...rest]);
else if (subject === 'warehouse') print(await benchWarehouse());
else if (subject === 'downloads') print(await benchDownloads());
else if (subject === 'parquet') print(await benchParquet());
else if (subject === 'http') await onEmulator((emulator) => benchHttp(PRODUCT, emulator));
else if (subject === 'peer') await onEmulator((emulator) => benchPairs(PRODUCT, emulator, rest));
else if (subject === 'start') print(await coldStart(await buildBareServer(PRODUCT)));
else if (subject === 'big') await benchBig(PRODUCT, rest);
else if (subject === 'load') await benchLoad(PRODUCT, rest);
else if (subject === 'impact') await benchImpact(PRODUCT, rest);
else if (subject === 'answers') await benchAnswers(PRODUCT, rest);
else if (subject === 'story') await benchStory(PRODUCT, rest);
else if (subject === 'gate') await benchGate(PRODUCT, rest);
else if (subject === 'latency') await onEmulator((emulator) => benchLatency(PRODUCT, emulator, rest));
else if (subject === 'pages') await benchPages(PRODUCT);
else if (subject === 'journeys') await benchJourneys(PRODUCT, rest);
else await benchProduct();
