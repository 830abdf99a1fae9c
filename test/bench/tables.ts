import process from 'node:process';

/** A line of a table of the report. */
export interface Line {
  readonly cells: readonly string[];
}

/** A table of the report. */
export interface Table {
  readonly title: string;
  readonly columns: readonly string[];
  readonly lines: readonly Line[];
}

/** What a run of the bench is asked for. */
export interface Trial {
  readonly worlds: number;
  readonly seed: number;
  /** Part of the names of the cells to run; all without one. */
  readonly only: string | undefined;
}

/** What can be asked for by its name. */
export type Subjects = Readonly<Record<string, (trial: Trial) => Iterable<Table> | AsyncIterable<Table>>>;

/** Seeds of the worlds of a cell; `own` keeps those of one kind from another's. */
export const worldSeeds = ({ worlds, seed }: Trial, own: number): number[] =>
  Array.from({ length: worlds }, (_, world) => seed * 1_000_003 + world * 7_919 + own);

/** A table with a line for each case that is asked for by a part of its name, as soon as it is there. */
export async function* lineByLine<Case extends { readonly name: string }>(
  cases: readonly Case[],
  { only = '' }: Trial,
  head: Omit<Table, 'lines'>,
  cellsOf: (each: Case) => Promise<readonly string[]>,
): AsyncGenerator<Table> {
  for (const each of cases) if (each.name.includes(only)) yield { ...head, lines: [{ cells: await cellsOf(each) }] };
}

/** A part of a whole in words; `none` where there is no whole. */
export const percent = (hits: number, of: number, digits = 0, none = '–') => (of > 0 ? `${((100 * hits) / of).toFixed(digits)} %` : none);

/** The whole number of at least 1 behind a flag, or what is usual. */
export function numberAfter(args: readonly string[], name: string, usual: number): number {
  const at = args.indexOf(name);
  const value = at < 0 ? usual : Number(args[at + 1]);
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

/** Prints the tables of a subject, as in `metrics --worlds 300 --seed 1 --cell found/`; of the first one where none is named. */
export async function printTables(subjects: Subjects, args: readonly string[]): Promise<void> {
  const only = args.includes('--cell') ? args[args.indexOf('--cell') + 1] : undefined;
  const trial: Trial = { worlds: numberAfter(args, '--worlds', 300), seed: numberAfter(args, '--seed', 1), only };
  process.stdout.write(`${trial.worlds} worlds a cell, seed ${trial.seed}\n`);
  const tablesOf = subjects[args[0] ?? ''] ?? Object.values(subjects)[0];
  const print = printer();
  for await (const table of tablesOf?.(trial) ?? []) print(table);
}
