import { median, medianAbsoluteDeviation } from 'simple-statistics';
import { MAD_TO_SD } from '../../../statistics/robust-scale.ts';
import type { PaintTimes } from '../analyse/largest-paint.ts';
import type { Neighbours } from './compare-runs.ts';
import type { Effects } from './paint-effects.ts';

/** By how many ms each paint of one run differs from that of another one, where that is more than runs differ by anyway. */
export type PaintMoves = Effects;

/**
 * Standard deviations of the difference of two runs, or of one run from those near it, from which a paint counts as moved; and the least
 * ratio and ms. Half a percent to a few of unmoved ones pass: what is then named must stand out by itself.
 */
const MOVED = { difference: 2, deviation: 2, ratio: Math.log(1.1), ms: 100 };
/** Standard deviation of the log of a paint where too few runs are known, and the least that is believed. */
const USUAL_SCATTER = 0.12;
const LEAST_SCATTER = 0.03;
const LEAST_RUNS = 8;

const PAINTS = ['fcpMs', 'lcpMs', 'loadMs'] as const;

/** The level of a paint in the runs near each side, as logarithms, and its spread around these. */
function usualOf(name: keyof Effects, near: Neighbours<PaintTimes>) {
  const sides = [near.before, near.after].map((runs) =>
    runs.flatMap((run) => (run[name] === null || run[name] <= 0 ? [] : [Math.log(run[name])])),
  );
  const levels = sides.map((logs) => (logs.length < LEAST_RUNS ? undefined : median(logs)));
  const deviations = sides.flatMap((logs, side) => logs.map((log) => log - (levels[side] ?? median(logs))));
  if (deviations.length < LEAST_RUNS) return { levels, scatter: USUAL_SCATTER };
  return { levels, scatter: Math.max(LEAST_SCATTER, MAD_TO_SD * medianAbsoluteDeviation(deviations)) };
}

/** Whether a paint of two runs differs by more than runs do: from each other, or one of them from those near it. */
function isMoved(name: keyof Effects, before: number, after: number, near: Neighbours<PaintTimes>): boolean {
  const ratio = Math.log(after / before);
  if (Math.abs(ratio) < MOVED.ratio || Math.abs(after - before) < MOVED.ms) return false;
  const { levels, scatter } = usualOf(name, near);
  const [was, is] = levels;
  // The slow one is above its level, or the fast one below.
  const away = [was === undefined ? 0 : was - Math.log(before), is === undefined ? 0 : Math.log(after) - is];
  return (
    Math.abs(ratio) >= MOVED.difference * Math.SQRT2 * scatter || away.some((each) => each * Math.sign(ratio) >= MOVED.deviation * scatter)
  );
}

/** The paints that moved between two runs; a paint that one of them does not know is left out. */
export function paintMoves(was: PaintTimes, is: PaintTimes, near: Neighbours<PaintTimes>): PaintMoves {
  return Object.fromEntries(
    PAINTS.flatMap((name) => {
      const [before, after] = [was[name], is[name]];
      return before && after && isMoved(name, before, after, near) ? [[name, after - before]] : [];
    }),
  );
}
