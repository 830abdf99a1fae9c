import { basisOf, type Interval, nuisanceOf } from './drift-grid.ts';
import type { Noise } from './noise.ts';
import type { Series } from './series.ts';
import { project, type Whitener, whitenerOf } from './whiten.ts';

/**
 * What the data say of a change on the days c of a series, all else taken out (generalised least squares in information form): its effect
 * is estimated as c's / c'Gc with variance 1 / c'Gc. G = P − DD', where P is the precision of the noise and D has a column for each
 * direction that is taken out.
 */
export interface Information {
  /** Number of days. */
  readonly size: number;
  readonly whitener: Whitener;
  /** c'Pc of each interval, by `from × (size + 1) + to`. */
  readonly precision: Float64Array;
  readonly score: Float64Array;
  readonly directions: readonly Float64Array[];
  /** Sums over the days before. */
  readonly scoreSums: Float64Array;
  readonly directionSums: readonly Float64Array[];
}

function sumsOf(column: Float64Array, size: number): Float64Array {
  const sums = new Float64Array(size + 1);
  let sum = 0;
  for (let at = 0; at < size; at += 1) {
    sum += column[at] ?? 0;
    sums[at + 1] = sum;
  }
  return sums;
}

/** Information on all days of a series, with level, weekdays and drift taken out. */
export function informationOf(series: Series, noise: Noise): Information {
  const size = series.times.length;
  const whitener = whitenerOf(series.times, noise);
  const { apply, applyTransposed } = whitener;
  const nuisance = nuisanceOf(series, size, [], noise.weekdaySd);
  const basis = basisOf(nuisance, noise.drift, whitener);
  const score = applyTransposed(project(apply(nuisance.values), basis)).subarray(0, size);
  const directions = basis.map((direction) => applyTransposed(direction).subarray(0, size));
  return {
    size,
    whitener,
    precision: whitener.intervals(),
    score,
    directions,
    scoreSums: sumsOf(score, size),
    directionSums: directions.map((direction) => sumsOf(direction, size)),
  };
}

/** How much the data know of an effect on an interval, 1 / its variance, and the effect times that. */
export function knownOf(information: Information, { from, to }: Interval): { weight: number; score: number } {
  const { size, precision, directionSums, scoreSums } = information;
  let weight = precision[from * (size + 1) + to] ?? 0;
  for (const sums of directionSums) weight -= ((sums[to] ?? 0) - (sums[from] ?? 0)) ** 2;
  return { weight, score: (scoreSums[to] ?? 0) - (scoreSums[from] ?? 0) };
}

/** The information that is left when an effect on an interval is taken out too. */
export function without(information: Information, interval: Interval): Information {
  const { size, whitener, score, directions, directionSums } = information;
  const known = knownOf(information, interval);
  const direction = whitener.applyTransposed(whitener.apply(new Float64Array(size).fill(1, interval.from, interval.to)));
  for (const [index, other] of directions.entries()) {
    const sums = directionSums[index] ?? other;
    const shared = (sums[interval.to] ?? 0) - (sums[interval.from] ?? 0);
    for (let at = 0; at < size; at += 1) direction[at] = (direction[at] ?? 0) - shared * (other[at] ?? 0);
  }
  const left = score.map((value, at) => value - ((direction[at] ?? 0) * known.score) / known.weight);
  const scaled = direction.map((value) => value / Math.sqrt(known.weight));
  return {
    ...information,
    score: left,
    directions: [...directions, scaled],
    scoreSums: sumsOf(left, size),
    directionSums: [...directionSums, sumsOf(scaled, size)],
  };
}
