import process from 'node:process';
import { benchAnswers } from './answers/index.ts';
import { benchBig } from './big.ts';
import { benchDownloads } from './downloads.ts';
import { directReader, type ExternalEmulator, startExternalEmulator } from './emulator.ts';
import { benchGate } from './gate/index.ts';
import { benchHar } from './har.ts';
import { benchImpact } from './impact/index.ts';
import { benchJourneys } from './journeys/index.ts';
import { benchLatency } from './latency.ts';
import { benchLoad } from './load.ts';
import { median, type Row, timed } from './measure.ts';
import { benchMetrics } from './metrics.ts';
import { NATURE } from './nature/index.ts';
import { benchPages } from './pages/index.ts';
import { benchParquet } from './parquet.ts';
import { benchReplicas } from './replicas.ts';
import { benchServing } from './serving.ts';
import { benchStory } from './story/index.ts';
import { printTables } from './tables.ts';
import { VERDICTS } from './verdicts/index.ts';
import { benchWarehouse } from './warehouse.ts';

const PRODUCT = 'dist/main.js';
const WORLDS = 5;

const ms = (value: number) => `${value.toFixed(value < 10 ? 2 : 0)} ms`;

const QUARTERS = {
  latest: 'startDate=2026-08-20T00:00:00.000Z&endDate=2026-11-19T23:59:59.999Z',
  before: 'startDate=2026-05-20T00:00:00.000Z&endDate=2026-08-19T23:59:59.999Z',
};

async function world(): Promise<Row[]> {
  const times: [number[], number[], number[], number[]] = [[], [], [], []];
  for (let turn = 0; turn < WORLDS; turn += 1) {
    const emulator = await startExternalEmulator(PRODUCT);
    const read = await directReader(emulator);
    const site = `/v1/metrics/site?projectId=${emulator.environment['WEB_ANALYTICS_PROJECT_ID']}`;
    times[0].push(emulator.startMs);
    for (const [at, days] of [QUARTERS.latest, QUARTERS.latest, QUARTERS.before].entries())
      times[at + 1]?.push(await timed(() => read(`${site}&${days}`)));
    await emulator.stop();
  }
  const [start = '', first = '', again = '', other = ''] = times.map((each) => ms(median(each)));
  return [
    { what: '92 days of site metrics, as the first request of a process', measured: first, aim: '< 100 ms' },
    { what: '92 days of site metrics, other days of a running process', measured: other, aim: '< 100 ms' },
    { what: '92 days of site metrics, the same once more', measured: again, aim: '< 100 ms' },
    { what: 'start of the emulator as a process', measured: start, aim: '' },
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

async function benchProduct(emulator: ExternalEmulator): Promise<Row[]> {
  return [
    ...(await benchServing(PRODUCT, emulator)),
    ...(await benchMetrics(PRODUCT, emulator)),
    ...(await benchHar()),
    ...(await benchDownloads()),
    ...(await benchParquet()),
    ...(await benchReplicas()),
    ...(await world()),
  ];
}

/** What is measured, by the name that the command line has for it. */
const SUBJECTS: Readonly<Record<string, (rest: readonly string[]) => Promise<void>>> = {
  verdicts: (rest) => printTables(VERDICTS, rest),
  nature: (rest) => printTables(NATURE, rest),
  pairs: (rest) => printTables(NATURE, ['pairs', ...rest]),
  warehouse: async () => print(await benchWarehouse()),
  downloads: async () => print(await benchDownloads()),
  parquet: async () => print(await benchParquet()),
  peer: (rest) => onEmulator((emulator) => benchServing(PRODUCT, emulator, rest)),
  latency: (rest) => onEmulator((emulator) => benchLatency(PRODUCT, emulator, rest)),
  big: (rest) => benchBig(PRODUCT, rest),
  load: (rest) => benchLoad(PRODUCT, rest),
  impact: (rest) => benchImpact(PRODUCT, rest),
  answers: (rest) => benchAnswers(PRODUCT, rest),
  story: (rest) => benchStory(PRODUCT, rest),
  gate: (rest) => benchGate(PRODUCT, rest),
  pages: () => benchPages(PRODUCT),
  journeys: (rest) => benchJourneys(PRODUCT, rest),
};

const [subject = '', ...rest] = process.argv.slice(2);
await (SUBJECTS[subject]?.(rest) ?? onEmulator(benchProduct));
