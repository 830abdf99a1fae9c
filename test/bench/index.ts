import process from 'node:process';
import { benchAnswers } from './answers/index.ts';
import { benchBig } from './big.ts';
import { benchDownloads } from './downloads.ts';
import { type ExternalEmulator, withEmulator } from './emulator.ts';
import { benchGate } from './gate/index.ts';
import { benchHar } from './har.ts';
import { benchImpact } from './impact/index.ts';
import { benchJourneys } from './journeys/index.ts';
import { benchLatency } from './latency.ts';
import { benchLoad } from './load.ts';
import type { Row } from './measure.ts';
import { NATURE } from './nature/index.ts';
import { benchPages } from './pages/index.ts';
import { benchParquet } from './parquet.ts';
import { benchServing } from './serving.ts';
import { benchStory } from './story/index.ts';
import { printTables } from './tables.ts';
import { VERDICTS } from './verdicts/index.ts';
import { benchWarehouse } from './warehouse.ts';

const PRODUCT = 'dist/main.js';

function print(rows: readonly Row[]): void {
  const widths = [Math.max(...rows.map(({ what }) => what.length)), Math.max(...rows.map(({ measured }) => measured.length))];
  for (const { what, measured, aim } of rows) {
    process.stdout.write(`${what.padEnd(widths[0] ?? 0)}  ${measured.padEnd(widths[1] ?? 0)}  ${aim && `aim ${aim}`}\n`);
  }
}

/** Prints what is measured on an emulator of its own. */
const onEmulator = async (measure: (emulator: ExternalEmulator) => Promise<readonly Row[]>) => print(await withEmulator(PRODUCT, measure));

async function benchProduct(emulator: ExternalEmulator): Promise<Row[]> {
  return [...(await benchServing(PRODUCT, emulator)), ...(await benchHar()), ...(await benchDownloads()), ...(await benchParquet())];
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
