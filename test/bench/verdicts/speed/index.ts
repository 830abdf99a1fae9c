import { markdownTable } from '../../../../src/lib/markdown-table.ts';
import { type Cell, cells } from './cells.ts';
import { type Outcome, outcomeOf } from './outcome.ts';

export interface SpeedVerdictOptions {
  /** Worlds of each cell. */
  readonly worlds: number;
  readonly seed: number;
  /** Only cells whose id contains this. */
  readonly cell?: string | undefined;
}

const percent = (share: number, digits = 1) => `${(100 * share).toFixed(digits)} %`;
const shareOf = (outcomes: readonly Outcome[], holds: (outcome: Outcome) => boolean) => outcomes.filter(holds).length / outcomes.length;

/** The middle of the numbers that are there. */
function middle(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined).toSorted((a, b) => a - b);
  return known[known.length >> 1];
}

function rowOf({ id }: Cell, outcomes: readonly Outcome[]): string[] {
  const states = new Map<string, number>();
  for (const { state, isRight } of outcomes) if (!isRight) states.set(state, (states.get(state) ?? 0) + 1);
  const wrong = [...states].toSorted((a, b) => b[1] - a[1]).map(([state, count]) => `${state} ${count}`);
  const off = middle(outcomes.map(({ offRuns }) => offRuns));
  const oracleOff = middle(outcomes.filter(({ oracleIsRight }) => oracleIsRight).map(({ oracleOffRuns }) => oracleOffRuns));
  const inRange = outcomes.filter(({ isInRange }) => isInRange !== undefined);
  const error = (of: (outcome: Outcome) => number | undefined) => {
    const size = middle(
      outcomes
        .map((outcome) => of(outcome) ?? Number.NaN)
        .filter((value) => !Number.isNaN(value))
        .map(Math.abs),
    );
    return size === undefined ? '' : percent(size);
  };
  return [
    id,
    percent(shareOf(outcomes, ({ isRight }) => isRight)),
    percent(shareOf(outcomes, ({ oracleIsRight }) => oracleIsRight)),
    wrong.join(', '),
    off === undefined ? '' : `${off} (${oracleOff ?? '–'})`,
    inRange.length === 0 ? '' : percent(inRange.filter(({ isInRange }) => isInRange).length / inRange.length, 0),
    error(({ beforeError }) => beforeError),
    error(({ sinceError }) => sinceError),
    (outcomes.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / outcomes.length).toFixed(1),
  ];
}

const HEADER = [
  'world',
  'right',
  'reference',
  'wrong states',
  'instant off, runs (reference)',
  'in range',
  'before off',
  'since off',
  'CPU ms',
];

/** Runs the bench and prints its table in Markdown, a row as soon as its worlds are judged. */
export function benchSpeedVerdicts({ worlds, seed, cell }: SpeedVerdictOptions): void {
  process.stdout.write(`Seed ${seed}, ${worlds} worlds a row.\n\n`);
  const [head = '', rule = ''] = markdownTable(HEADER, []).split('\n');
  process.stdout.write(`${head}\n${rule}\n`);
  for (const [number, each] of cells.entries()) {
    if (cell && !each.id.includes(cell)) continue;
    // Worlds of their own for each row, so that one unlucky draw of noise does not show in all.
    const outcomes = Array.from({ length: worlds }, (_, index) => outcomeOf(each, seed * 1_000_003 + number * 10_007 + index));
    process.stdout.write(
      `${markdownTable(HEADER, [rowOf(each, outcomes)])
        .split('\n')
        .at(-1)}\n`,
    );
  }
}
