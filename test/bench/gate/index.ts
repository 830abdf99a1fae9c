import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { mapConcurrent } from '../../../src/lib/concurrency.ts';
import { answersRows } from '../answers/index.ts';
import { bigRows } from '../big.ts';
import { withEmulator } from '../emulator.ts';
import type { GateRow } from '../gate-row.ts';
import { impactRows } from '../impact/index.ts';
import { NATURE } from '../nature/index.ts';
import { processorRows } from '../processor.ts';
import { httpRows } from '../serving.ts';
import { gateRows as storyRows } from '../story/index.ts';
import { VERDICTS } from '../verdicts/index.ts';
import { type Compared, compare, type Landed, tableOf } from './compare.ts';
import { tableRows } from './tables.ts';

const LANDED = 'test/bench/landed.json';
const SEED = 1;

const ofTables = (name: string, tables: (typeof NATURE)[string] | undefined, worlds: number) => () =>
  tableRows(name, tables, { worlds, seed: SEED, only: undefined });

/** What the gate measures; sizes are such that all takes about 20 minutes on two cores. */
const SUBJECTS: Readonly<Record<string, (product: string) => Promise<GateRow[]>>> = {
  processor: processorRows,
  http: (product) => withEmulator(product, (emulator) => httpRows(product, emulator)),
  big: bigRows,
  answers: (product) => answersRows({ product, seed: SEED }),
  story: (product) => storyRows(product, { worlds: 8, seed: SEED }),
  'verdicts-metrics': ofTables('verdicts of metrics', VERDICTS['metrics'], 40),
  'verdicts-speed': ofTables('verdicts of speed', VERDICTS['speed'], 8),
  'nature-metrics': ofTables('nature of metrics', NATURE['metrics'], 3),
  'nature-speed': ofTables('nature of speed', NATURE['speed'], 6),
  failures: ofTables('failures', NATURE['failures'], 6),
  pairs: ofTables('pairs', NATURE['pairs'], 20),
  impact: (product) => impactRows(product, 40),
};

/** Time is measured alone; the others, of which the longest come first, are measured by two processes at once. */
const TIMED = new Set(['processor', 'http', 'big']);
const LONGEST = ['answers', 'nature-metrics', 'story', 'impact', 'nature-speed', 'failures'];
/** This very program, as .ci/run-script.mjs built it. */
const BUILT = 'node_modules/.cache/scripts/test-bench-index.mjs';
/** Marks the line on which a process of one subject prints its rows. */
const ROWS = 'rows: ';

/** The rows of a subject, by a process of its own: what computes here would keep the platform of another subject from answering. */
async function rowsApart(subject: string): Promise<GateRow[]> {
  const { stdout } = await promisify(execFile)(process.execPath, [BUILT, 'gate', '--rows', subject], { maxBuffer: 2 ** 26 });
  const line = stdout.split('\n').find((each) => each.startsWith(ROWS)) ?? '';
  const rows = JSON.parse(line.slice(ROWS.length)) as GateRow[]; // as `benchGate` prints them
  // JSON writes what is no number as null.
  return rows.map((row) => ({ ...row, value: row.value ?? Number.NaN }));
}

async function readLanded(): Promise<Record<string, Landed>> {
  try {
    return JSON.parse(await readFile(LANDED, 'utf8')) as Record<string, Landed>; // as `-u` writes it
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {};
    throw error;
  }
}

/** Significant digits that a landed figure keeps. */
const rounded = (value: number) => Number(value.toPrecision(4));

/**
 * Measures the subjects, by default all, and prints one table of their figures beside those that landed last and their bounds; `-u` makes
 * these the landed ones. The process fails where a figure is beyond its bound or a subject cannot be measured. `--rows` prints the rows of
 * one subject.
 */
export async function benchGate(product: string, args: readonly string[]): Promise<void> {
  const named = args.filter((arg) => arg !== '-u' && arg !== '--rows');
  const unknown = named.filter((name) => !(name in SUBJECTS));
  if (unknown.length > 0) throw new TypeError(`The gate measures ${Object.keys(SUBJECTS).join(', ')}, and not ${unknown.join(', ')}.`);
  const [own] = args.includes('--rows') ? named : [];
  if (own !== undefined) {
    process.stdout.write(`${ROWS}${JSON.stringify(await SUBJECTS[own]?.(product))}\n`);
    return;
  }
  const landed = await readLanded();
  const measured = new Map<string, Compared[]>();
  const measure = async (subject: string) => {
    const started = performance.now();
    try {
      const rows = await rowsApart(subject);
      measured.set(subject, compare(rows, landed[subject] ?? {}));
      landed[subject] = Object.fromEntries(rows.map(({ what, value }) => [what, rounded(value)]));
      process.stderr.write(`${subject}: ${rows.length} rows, ${((performance.now() - started) / 60_000).toFixed(1)} minutes\n`);
    } catch (error) {
      process.stderr.write(`${subject} cannot be measured: ${String(error)}\n`);
      process.exitCode = 1;
    }
  };
  const asked = [...new Set([...LONGEST, ...Object.keys(SUBJECTS)])].filter((subject) => named.length === 0 || named.includes(subject));
  const isTimed = (subject: string) => TIMED.has(subject);
  await mapConcurrent(asked.filter(isTimed), 1, measure);
  await mapConcurrent(
    asked.filter((subject) => !isTimed(subject)),
    2,
    measure,
  );
  const all = Object.keys(SUBJECTS).flatMap((subject) => measured.get(subject) ?? []);
  process.stdout.write(tableOf(all));
  if (all.some(({ isBeyond }) => isBeyond)) process.exitCode = 1;
  if (args.includes('-u')) await writeFile(LANDED, `${JSON.stringify(landed, undefined, 2)}\n`);
}
