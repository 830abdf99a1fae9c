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
import type { Subjects, Table, Trial } from '../tables.ts';
import { VERDICTS } from '../verdicts/index.ts';
import { type Compared, compare, type Landed, tableOf } from './compare.ts';

interface Kind {
  readonly name: string;
  readonly better: GateRow['better'];
}

const POWER: Kind = { name: 'power', better: 'higher' };
const FALSE: Kind = { name: 'false alarms', better: 'lower' };
const kind = (name: string): Kind => ({ name, better: 'higher' });

/** What a column or a count of a table is a figure of, by its heading; the first that fits counts, and others are for reading. */
const KINDS: readonly (readonly [RegExp, Kind | undefined])[] = [
  [/\(most\)|oracle|reference$|^reference/, undefined],
  [/^found \(75/, kind('changes of the detectable size found')],
  [/within bounds/, kind('values within the expected bounds')],
  [/dated|possible days|in range/, kind('dated')],
  [/^precision/, kind('precision')],
  [/^right about/, kind('reasons right')],
  [/with one day, place and size|right day and place/, kind('one story')],
  [/^(up or down|false|with a false change)|≤|\(0\)/, FALSE],
  [/^(found|right|named|told in all|told by all|recall of|a fallen day low|that week told)|≥/, POWER],
];

/** Cells that hold several counts, each with its name. */
const countsOf = (cell: string) => cell.split(' · ').map((each) => [each.replace(/: [^:]*$/, ''), each.replace(/^.*: /, '')] as const);

/** Every share of a table with what it is a figure of; the states of a calm scenario that are wrong are false alarms. */
function figuresOf({ title, columns, lines }: Table): (Kind & { readonly percent: number })[] {
  const isCalm = /: (other )?stable$/.test(title);
  return lines.flatMap(({ cells }) =>
    cells
      .flatMap((cell, at) => (cell.includes(': ') ? countsOf(cell) : [[columns[at] ?? '', cell] as const]))
      .flatMap(([heading, cell]) => {
        const share = /^([\d.]+) %$/.exec(cell)?.[1];
        const found = KINDS.find(([name]) => name.test(heading))?.[1];
        if (share === undefined || !found) return [];
        const percent = Number(share);
        return [isCalm && heading === 'right' ? { ...FALSE, percent: 100 - percent } : { ...found, percent }];
      }),
  );
}

/** Of each kind of figure the mean over the cells and the worst cell. */
async function tableRows(name: string, tablesOf: Subjects[string] | undefined, trial: Trial): Promise<GateRow[]> {
  if (!tablesOf) throw new TypeError(`There is no subject for ${name}.`);
  const kinds = new Map<string, Kind & { readonly all: number[] }>();
  for await (const table of tablesOf(trial))
    for (const { percent, ...each } of figuresOf(table)) {
      const known = kinds.get(each.name) ?? { ...each, all: [] };
      known.all.push(percent);
      kinds.set(each.name, known);
    }
  return [...kinds.values()].flatMap(({ name: of, better, all }) => [
    {
      what: `${name}: ${of}, mean of ${all.length} cells`,
      value: all.reduce((sum, each) => sum + each, 0) / all.length,
      unit: '%',
      better,
    },
    { what: `${name}: ${of}, worst cell`, value: better === 'higher' ? Math.min(...all) : Math.max(...all), unit: '%', better },
  ]);
}

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
