import { judgeSeries, type Verdict } from '../../../../src/speed/engine/judge-series.ts';
import { seeded } from '../random.ts';
import type { Cell } from './cells.ts';
import { makeWorld, type World } from './worlds.ts';

/** What the reference sees in a world: the strongest step. */
interface OracleView {
  /** Largest likelihood ratio of a step against none, as a standard score with its sign. */
  readonly z: number;
  /** Place of the first run since the step. */
  readonly at: number;
  /** Largest likelihood ratio of a bump of the length asked for, as a standard score; 0 where none was asked for. */
  readonly bumpZ: number;
  /** Likelihood ratio of an even drift against none, as a standard score. */
  readonly driftZ: number;
}

interface Knowledge {
  readonly noise: number;
  readonly ar: number;
  /** Length of a bump in units of the cadence. */
  readonly bumpPlaces?: number;
}

/**
 * Likelihood-ratio scan for one step by somebody who knows the noise, its correlation, the cycle and which runs are outliers:
 * generalised least squares with exact AR(1) weights, gaps of left-out runs included; only the level and the step are unknown.
 */
function oracleScan(deviations: ArrayLike<number>, places: ArrayLike<number>, { noise, ar, bumpPlaces = 0 }: Knowledge): OracleView {
  const n = deviations.length;
  const [y, one, rho] = [new Float64Array(n), new Float64Array(n), new Float64Array(n)];
  const line = new Float64Array(n);
  for (let i = 0; i < n; i += 1) {
    const r = i === 0 ? 0 : ar ** ((places[i] ?? 0) - (places[i - 1] ?? 0));
    const sd = noise * Math.sqrt(1 - r * r);
    const before = i === 0 ? 0 : 1;
    y[i] = ((deviations[i] ?? 0) - r * before * (deviations[i - 1] ?? 0)) / sd;
    one[i] = (1 - r * before) / sd;
    line[i] = ((places[i] ?? 0) - r * before * (places[i - 1] ?? 0)) / sd;
    rho[i] = 1 / sd;
  }
  const dot = (a: Float64Array, b: Float64Array) => {
    let sum = 0;
    for (let i = 0; i < n; i += 1) sum += (a[i] ?? 0) * (b[i] ?? 0);
    return sum;
  };
  const [yy1, o11] = [dot(y, one), dot(one, one)];
  const [ll, l1, ly] = [dot(line, line), dot(line, one), dot(line, y)];
  const driftZ = (ly - (l1 * yy1) / o11) / Math.sqrt(ll - (l1 * l1) / o11);
  let [best, at] = [0, 0];
  // Sums over the runs after the first one since the step, which weigh alike in the step and in the level.
  let [sy, s1] = [0, 0];
  for (let k = n - 1; k >= 1; k -= 1) {
    const first = rho[k] ?? 0;
    const num = sy + first * (y[k] ?? 0);
    const cross = s1 + first * (one[k] ?? 0);
    const own = s1 + first * first;
    const z = (num - (cross * yy1) / o11) / Math.sqrt(Math.max(1e-12, own - (cross * cross) / o11));
    if (Math.abs(z) > Math.abs(best)) [best, at] = [z, k];
    sy += (one[k] ?? 0) * (y[k] ?? 0);
    s1 += (one[k] ?? 0) ** 2;
  }
  return { z: best, at, driftZ, bumpZ: bumpPlaces > 0 ? strongestBump(y, one, rho, places, bumpPlaces) : 0 };
}

/** The same for a bump of known length, wherever it begins. */
function strongestBump(y: Float64Array, one: Float64Array, rho: Float64Array, places: ArrayLike<number>, length: number): number {
  const n = y.length;
  const [sumY, sum1] = [new Float64Array(n + 1), new Float64Array(n + 1)];
  for (let i = 0; i < n; i += 1) {
    sumY[i + 1] = (sumY[i] ?? 0) + (one[i] ?? 0) * (y[i] ?? 0);
    sum1[i + 1] = (sum1[i] ?? 0) + (one[i] ?? 0) ** 2;
  }
  const [yy1, o11] = [sumY[n] ?? 0, sum1[n] ?? 0];
  let best = 0;
  for (let k = 1, end = 1; k < n - 1; k += 1) {
    while (end < n && (places[end] ?? 0) < (places[k] ?? 0) + length) end += 1;
    if (end >= n) break;
    const [first, last] = [rho[k] ?? 0, (one[end] ?? 0) - (rho[end] ?? 0)];
    const num = first * (y[k] ?? 0) + (sumY[end] ?? 0) - (sumY[k + 1] ?? 0) + last * (y[end] ?? 0);
    const cross = first * (one[k] ?? 0) + (sum1[end] ?? 0) - (sum1[k + 1] ?? 0) + last * (one[end] ?? 0);
    const own = first * first + (sum1[end] ?? 0) - (sum1[k + 1] ?? 0) + last * last;
    const z = (num - (cross * yy1) / o11) / Math.sqrt(Math.max(1e-12, own - (cross * cross) / o11));
    if (Math.abs(z) > Math.abs(best)) best = z;
  }
  return best;
}

/** The scan of a generated world, with places counted in its runs. */
function oracleView({ values, cycle, isOutlier, nature, dates }: World, bumpMs = 0): OracleView {
  const kept = values.map((_, i) => i).filter((i) => isOutlier[i] === 0);
  const deviations = kept.map((i) => Math.log(values[i] ?? 1) - (cycle[i] ?? 0));
  const places = kept.map((i) => Math.round(((dates[i] ?? 0) - (dates[0] ?? 0)) / nature.cadenceMs));
  const view = oracleScan(deviations, places, { ...nature, bumpPlaces: Math.round(bumpMs / nature.cadenceMs) });
  return { ...view, at: kept[view.at] ?? 0 };
}

interface OracleLimits {
  readonly step: number;
  readonly bump: number;
  readonly drift: number;
}

const limits = new Map<string, OracleLimits>();

/** The scores that a share `alpha` of worlds without a change reaches, by 2,000 draws of the reference's own model; each kind by itself. */
function oracleLimits({ nature, dates }: World, alpha: number, bumpMs = 0): OracleLimits {
  const { ar, outliers, cadenceMs } = nature;
  const n = Math.round(dates.length / 40) * 40;
  const bumpPlaces = Math.round(bumpMs / cadenceMs);
  const key = `${n} ${ar} ${outliers} ${alpha} ${bumpPlaces}`;
  const known = limits.get(key);
  if (known) return known;
  const random = seeded(777);
  const views = Array.from({ length: 2_000 }, () => {
    const [deviations, places]: [number[], number[]] = [[], []];
    let deviation = random.normal();
    for (let i = 0; i < n; i += 1) {
      deviation = ar * deviation + Math.sqrt(1 - ar * ar) * random.normal();
      if (random.uniform() < outliers) continue;
      deviations.push(deviation);
      places.push(i);
    }
    return oracleScan(deviations, places, { noise: 1, ar, bumpPlaces });
  });
  const limitOf = (score: (view: OracleView) => number) =>
    views.map((view) => Math.abs(score(view))).toSorted((a, b) => a - b)[Math.floor((1 - alpha) * views.length)] ?? 0;
  const found = { step: limitOf(({ z }) => z), bump: limitOf(({ bumpZ }) => bumpZ), drift: limitOf(({ driftZ }) => driftZ) };
  limits.set(key, found);
  return found;
}

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
  const [view, bounds] = [oracleView(world, bumpMs), oracleLimits(world, ORACLE_ALPHA, bumpMs)];
  if (shape.kind === 'step') return { isRight: Math.abs(view.z) > bounds.step && view.z * shape.size > 0, at: view.at };
  if (shape.kind === 'two steps') return { isRight: view.z > bounds.step, at: view.at };
  if (shape.kind === 'bump') return { isRight: view.bumpZ > bounds.bump, at: view.at };
  if (shape.kind === 'drift') return { isRight: view.driftZ > bounds.drift && view.driftZ ** 2 > view.z ** 2 - 6, at: view.at };
  return { isRight: Math.abs(view.z) <= bounds.step, at: view.at };
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
