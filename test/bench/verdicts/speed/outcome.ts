import { judgeSeries, type Verdict } from '../../../../src/domain/speed/engine/judge-series.ts';
import { seeded } from '../random.ts';
import type { Cell } from './cells.ts';
import { oracleLimits, oracleView } from './oracle.ts';
import { makeWorld, type World } from './worlds.ts';

/** Share of unchanged worlds that the reference may call changed. */
const ORACLE_ALPHA = 0.01;
export const EFFECT = { relative: 0.05, absolute: 50 };

/** What came of one world. */
export interface Outcome {
  readonly state: Verdict['state'];
  /** The state that the world has, and the reference's answer to the same question. */
  readonly isRight: boolean;
  readonly oracleIsRight: boolean;
  /** Distance of the named instant from the true one, in runs, where the state is right. */
  readonly offRuns: number | undefined;
  readonly oracleOffRuns: number | undefined;
  /** Whether the confidence range holds the true instant. */
  readonly isInRange: boolean | undefined;
  /** Levels before and since over the true medians, less 1, where the state is right. */
  readonly beforeError: number | undefined;
  readonly sinceError: number | undefined;
  readonly cpuMs: number;
}

/** The median that runs in such places have in truth: the mixture of their cycles, noise and outliers, by draws. */
function trueMedian({ cycle, level, nature }: World, from: number, to: number): number {
  const random = seeded(4_242);
  const draws: number[] = [];
  const rounds = Math.ceil(4_000 / (to - from));
  for (let round = 0; round < rounds; round += 1)
    for (let run = from; run < to; run += 1) {
      const slow = random.uniform() < nature.outliers ? Math.log(1.5 + 2.5 * random.uniform()) : 0;
      draws.push((level[run] ?? 0) + (cycle[run] ?? 0) + nature.noise * random.normal() + slow);
    }
  return Math.exp(draws.toSorted((a, b) => a - b)[draws.length >> 1] ?? 0);
}

const EXPECTED: Readonly<Record<Cell['group'], readonly Verdict['state'][]>> = {
  stable: ['steady', 'unstable'],
  'other stable': ['steady', 'unstable'],
  sparse: ['steady', 'unstable'],
  step: ['slower'],
  'recent step': ['slower'],
  'last runs': ['slower'],
  'old step': ['slower'],
  'two steps': ['slower'],
  faster: ['faster'],
  bump: ['was slower'],
  drift: ['drifting'],
  unstable: ['unstable'],
};

function oracleIsRight(world: World, { shape }: Cell): { isRight: boolean; at: number } {
  const bumpMs = shape.kind === 'bump' ? shape.lengthMs : 0;
  const [view, limits] = [oracleView(world, bumpMs), oracleLimits(world, ORACLE_ALPHA, bumpMs)];
  if (shape.kind === 'step') return { isRight: Math.abs(view.z) > limits.step && view.z * shape.size > 0, at: view.at };
  if (shape.kind === 'two steps') return { isRight: view.z > limits.step, at: view.at };
  if (shape.kind === 'bump') return { isRight: view.bumpZ > limits.bump, at: view.at };
  if (shape.kind === 'drift') return { isRight: view.driftZ > limits.drift && view.driftZ ** 2 > view.z ** 2 - 6, at: view.at };
  return { isRight: Math.abs(view.z) <= limits.step, at: view.at };
}

/** Makes one world, judges it, and holds the verdict against the truth. */
export function outcomeOf(cell: Cell, seed: number): Outcome {
  const world = makeWorld(cell.nature, cell.shape, seed);
  const startedAt = process.cpuUsage().user;
  const verdict = judgeSeries(
    { series: { dates: world.dates, values: world.values }, effect: EFFECT },
    { period: world.period, timeZone: 'UTC' },
  );
  const cpuMs = (process.cpuUsage().user - startedAt) / 1000;
  const expected = cell.group === 'sparse' && cell.shape.kind === 'step' ? ['slower'] : EXPECTED[cell.group];
  const isRight = expected.includes(verdict.state);
  const oracle = oracleIsRight(world, cell);
  const truth = world.changes.at(cell.shape.kind === 'bump' ? 0 : -1) ?? 0;
  const none = { offRuns: undefined, isInRange: undefined, beforeError: undefined, sinceError: undefined };
  const base = { state: verdict.state, isRight, oracleIsRight: oracle.isRight, oracleOffRuns: Math.abs(oracle.at - truth), cpuMs };
  if (!isRight || !verdict.move || verdict.move.shape === 'drift') return { ...base, ...none };
  const { shape, fromMs, began, before, after } = verdict.move;
  const trueMs = world.dates[truth] ?? 0;
  const start = cell.shape.kind === 'two steps' ? (world.changes[0] ?? 0) : 0;
  const dated = {
    ...base,
    offRuns: Math.abs(world.dates.indexOf(fromMs) - truth),
    isInRange: began.startMs < trueMs && began.endMs >= trueMs,
  };
  if (shape === 'episode') return { ...none, ...dated };
  return {
    ...dated,
    beforeError: before.median / trueMedian(world, start, truth) - 1,
    sinceError: after.median / trueMedian(world, truth, world.dates.length) - 1,
  };
}
