import { percent, type Table, type Trial } from '../../tables.ts';
import { type Cell, cells } from './cells.ts';
import { type Outcome, outcomeOf } from './outcome.ts';
import { together } from './together.ts';

const COLUMNS = [
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

const shareOf = (outcomes: readonly Outcome[], holds: (outcome: Outcome) => boolean, digits = 1) =>
  percent(outcomes.filter(holds).length, outcomes.length, digits);

/** The middle of the numbers that are there. */
function middle(numbers: readonly (number | undefined)[]): number | undefined {
  const known = numbers.filter((number) => number !== undefined).toSorted((a, b) => a - b);
  return known[known.length >> 1];
}

/** States that worlds of a cell were called by mistake, the most frequent first. */
function mistakesIn(outcomes: readonly Outcome[]): string {
  const states = new Map<string, number>();
  for (const { state, isRight } of outcomes) if (!isRight) states.set(state, (states.get(state) ?? 0) + 1);
  return [...states]
    .toSorted((a, b) => b[1] - a[1])
    .map(([state, count]) => `${state} ${count}`)
    .join(', ');
}

function cellsOf({ id, group, shape }: Cell, outcomes: readonly Outcome[]): string[] {
  const off = middle(outcomes.map(({ offRuns }) => offRuns));
  const oracleOff = middle(outcomes.filter(({ oracleIsRight }) => oracleIsRight).map(({ oracleOffRuns }) => oracleOffRuns));
  const inRange = outcomes.filter(({ isInRange }) => isInRange !== undefined);
  const error = (of: (outcome: Outcome) => number | undefined) => {
    const size = middle(outcomes.map((outcome) => of(outcome)).map((value) => (value === undefined ? undefined : Math.abs(value))));
    return size === undefined ? '' : percent(size, 1, 1);
  };
  return [
    id,
    shareOf(outcomes, ({ isRight }) => isRight),
    // The reference knows the scatter, and says nothing of it.
    group === 'unstable' ? '' : shareOf(outcomes, ({ oracleIsRight }) => oracleIsRight),
    mistakesIn(outcomes),
    // The reference dates steps only.
    off === undefined ? '' : shape.kind === 'bump' ? `${off}` : `${off} (${oracleOff ?? '–'})`,
    inRange.length === 0 ? '' : shareOf(inRange, ({ isInRange }) => isInRange === true, 0),
    error(({ beforeError }) => beforeError),
    error(({ sinceError }) => sinceError),
    (outcomes.reduce((sum, { cpuMs }) => sum + cpuMs, 0) / outcomes.length).toFixed(1),
  ];
}

/** Verdicts on generated scenarios, a table for each kind of world. */
export function* speedVerdicts({ worlds, seed, only = '' }: Trial): Generator<Table> {
  const numbered = cells.map((cell, number) => ({ cell, number }));
  for (const group of new Set(cells.map((cell) => cell.group))) {
    const asked = numbered.filter(({ cell }) => cell.group === group && cell.id.includes(only));
    const lines = asked.map(({ cell, number }) => {
      // Worlds of their own for each row, so that one unlucky draw of noise does not show in all.
      const outcomes = Array.from({ length: worlds }, (_, index) => outcomeOf(cell, seed * 1_000_003 + number * 10_007 + index));
      return { cells: cellsOf(cell, outcomes) };
    });
    yield { title: `Scenarios: ${group}`, columns: COLUMNS, lines };
  }
  yield together({ worlds, seed, only });
}
