import { blamed } from './metrics/blamed.ts';
import { falseAlarms } from './metrics/false-alarms.ts';
import { found } from './metrics/found.ts';
import { foundChanges } from './metrics/found-changes.ts';
import { scanned } from './metrics/scanned.ts';
import type { Table, Trial } from './metrics/trial.ts';
import { speedVerdicts } from './speed/index.ts';
import { speedLimits } from './speed/limits.ts';

const DEFAULTS = { worlds: 300, seed: 1 };

function numberAfter(args: readonly string[], name: string): number | undefined {
  const at = args.indexOf(name);
  if (at < 0) return undefined;
  const value = Number(args[at + 1]);
  if (!Number.isInteger(value) || value < 1) throw new TypeError(`${name} is followed by a whole number of at least 1.`);
  return value;
}

/** Prints tables as Markdown; lines that come later under the same title continue the table. */
function printer(): (table: Table) => void {
  let last: string | undefined;
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  return ({ title, columns, lines }) => {
    if (lines.length === 0) return;
    if (title !== last) process.stdout.write(`\n### ${title}\n\n${row(columns)}${row(columns.map(() => '---'))}`);
    for (const { cells } of lines) process.stdout.write(row(cells));
    last = title;
  };
}

async function* metricVerdicts(trial: Trial): AsyncGenerator<Table> {
  for (const tableOf of [falseAlarms, found, blamed, scanned, foundChanges]) yield await tableOf(trial);
}

/** What can be asked for by its name. */
export type Subjects = Readonly<Record<string, (trial: Trial) => Iterable<Table> | AsyncIterable<Table>>>;

/** What can be asked of the engines. */
export const SUBJECTS: Subjects = { metrics: metricVerdicts, speed: speedVerdicts, 'speed-limits': speedLimits };

/** Prints the tables of a subject, as in `metrics --worlds 300 --seed 1 --cell found/`; of the first one where none is named. */
export async function printTables(subjects: Subjects, args: readonly string[]): Promise<void> {
  const only = args.includes('--cell') ? args[args.indexOf('--cell') + 1] : undefined;
  const trial: Trial = {
    worlds: numberAfter(args, '--worlds') ?? DEFAULTS.worlds,
    seed: numberAfter(args, '--seed') ?? DEFAULTS.seed,
    only,
  };
  process.stdout.write(`${trial.worlds} worlds a cell, seed ${trial.seed}\n`);
  const tablesOf = subjects[args[0] ?? ''] ?? Object.values(subjects)[0];
  if (!tablesOf) throw new TypeError('There is nothing to measure.');
  const print = printer();
  for await (const table of tablesOf(trial)) print(table);
}

/**
 * Judges generated worlds and prints Markdown tables: `--worlds 300 --seed 1 --cell found/`, or of scenarios `speed --cell 'stable, 1 h'`.
 */
export async function benchVerdicts(args: readonly string[]): Promise<void> {
  await printTables(SUBJECTS, args);
}
