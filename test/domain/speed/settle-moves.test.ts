import { expect, it } from 'vitest';
import type { Move } from '../../../src/domain/speed/engine/run-series.ts';
import { inOneInstant } from '../../../src/domain/speed/scenario-study.ts';

const HOUR = 3_600_000;
const START = Date.parse('2026-11-14T00:00:00Z');

/** A row of a step that is slower since a run of that hour, from one median to another; middle halves of so much. */
function row(rank: number, hour: number, [before, after, spread]: readonly [number, number, number], state = 'slower') {
  const level = (value: number) => ({
    median: value,
    typical: value,
    p25: value - spread / 2,
    p75: value + spread / 2,
    runs: 100,
  });
  const [fromMs, previousMs] = [START + hour * HOUR, START + (hour - 1) * HOUR];
  const began = { startMs: previousMs, endMs: fromMs };
  const levels = { before: level(before), after: level(after), relative: after / before - 1 };
  const move: Move = { shape: 'step', fromMs, previousMs, began, untilMs: undefined, ...levels };
  return { group: '5', rank, state, move, held: undefined } as never;
}

const hoursOf = (rows: readonly never[]) =>
  inOneInstant<{ group: string; rank: number; move: Move; held: undefined; state: never }>(rows).map(
    ({ move }) => (move.fromMs - START) / HOUR,
  );

it('metrics of a step that moved at the same time begin with the one that shows it most clearly', () => {
  const [paint, weight] = [row(0, 12, [1_460, 2_100, 300]), row(9, 14, [1_770, 2_040, 4])];
  expect(hoursOf([paint, weight])).toEqual([14, 14]);
});

it('moves that lie further apart keep their own', () => {
  expect(hoursOf([row(0, 12, [1_460, 2_100, 300]), row(9, 30, [1_770, 2_040, 4])])).toEqual([12, 30]);
  expect(hoursOf([row(0, 12, [1_460, 2_100, 300]), row(9, 14, [1_770, 2_040, 4], 'two levels')])).toEqual([12, 14]);
});
