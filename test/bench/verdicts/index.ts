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

function print({ title, columns, lines }: Table): void {
  if (lines.length === 0) return;
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |\n`;
  process.stdout.write(`\n### ${title}\n\n${row(columns)}${row(columns.map(() => '---'))}`);
  for (const { cells } of lines) process.stdout.write(row(cells));
}

async function* metricVerdicts(trial: Trial): AsyncGenerator<Table> {
  for (const tableOf of [falseAlarms, found, blamed, scanned, foundChanges]) yield await tableOf(trial);
}

/** What can be asked for by its name. */
const SUBJECTS: Readonly<Record<string, (trial: Trial) => Iterable<Table> | AsyncIterable<Table>>> = {
  metrics: metricVerdicts,
  speed: speedVerdicts,
  'speed-limits': speedLimits,
};

/**
 * Judges generated worlds and prints Markdown tables: `--worlds 300 --seed 1 --cell found/`, or of scenarios `speed --cell 'stable, 1 h'`.
 */
export async function benchVerdicts(args: readonly string[]): Promise<void> {
  const only = args.includes('--cell') ? args[args.indexOf('--cell') + 1] : undefined;
  const trial: Trial = {
    worlds: numberAfter(args, '--worlds') ?? DEFAULTS.worlds,
    seed: numberAfter(args, '--seed') ?? DEFAULTS.seed,
    only,
  };
  process.stdout.write(`${trial.worlds} worlds a cell, seed ${trial.seed}\n`);
  const tablesOf = SUBJECTS[args[0] ?? 'metrics'] ?? metricVerdicts;
  for await (const table of tablesOf(trial)) print(table);
}
