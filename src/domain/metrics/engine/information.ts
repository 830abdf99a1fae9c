import type { Noise } from './noise.ts';
import { type Series, WEEK } from './series.ts';
import { orthonormalise, project, type Whitener, whitenerOf } from './whiten.ts';

/** Days from index `from` to index `to` − 1 of a series that lie higher or lower than the others; up to its end: a step. */
export interface Interval {
  readonly from: number;
  readonly to: number;
}

/** What moves a series without being news: its level, weekdays, slow drift, and changes that are known already. */
export interface Nuisance {
  /** Number of days, which come first; the rows below them hold the priors of the weekdays and of drift. */
  readonly days: number;
  /** Level, known changes and weekdays. */
  readonly fixed: readonly Float64Array[];
  /** A slope and slow waves, by their prior standard deviations relative to each other. */
  readonly drift: readonly Float64Array[];
  /** The deviations, and what the rows of the priors should be: the weekday factors that deviations leave out. */
  readonly values: Float64Array;
}

/** Prior standard deviations of the waves, against that of the slope over the whole series; wave j has the period of 2 / j series. */
const WAVES = [0.4, 0.14, 0.077, 0.05, 0.036];
const PRIORS = WEEK + WAVES.length + 1;

/** The first `days` of a series; `weekdaySd` is the prior relative standard deviation of weekdays. */
export function nuisanceOf(series: Series, days: number, known: readonly Interval[], weekdaySd: number): Nuisance {
  const column = (of: (at: number) => number) => {
    const values = new Float64Array(days + PRIORS);
    for (let at = 0; at < days; at += 1) values[at] = of(at);
    return values;
  };
  const weekdays = Array.from({ length: WEEK }, (_, weekday) => {
    const values = column((at) => (series.weekdays[at] === weekday ? 1 : 0));
    values[days + weekday] = 1 / weekdaySd;
    return values;
  });
  const { times, block } = series;
  const first = times[block] ?? 0;
  const span = Math.max(1, (times[times.length - 1] ?? 0) - first + 1);
  const positions = times.map((time) => Math.max(0, (time - first + 0.5) / span));
  const levels = [...(block > 0 ? [{ from: 0, to: block }] : []), ...known];
  const values = new Float64Array(days + PRIORS);
  values.set(series.deviations.subarray(0, days));
  for (let weekday = 0; weekday < WEEK; weekday += 1) values[days + weekday] = -Math.log(series.weekdayFactors[weekday] ?? 1) / weekdaySd;
  return {
    days,
    fixed: [column(() => 1), ...levels.map(({ from, to }) => column((at) => (at >= from && at < to ? 1 : 0))), ...weekdays],
    drift: [
      column((at) => (positions[at] ?? 0) - 0.5),
      ...WAVES.map((sd, wave) => column((at) => sd * Math.cos(Math.PI * (wave + 1) * (positions[at] ?? 0)))),
    ],
    values,
  };
}

/** Everything whitened and made orthonormal, drift with this prior standard deviation of its slope. */
export function basisOf({ days, fixed, drift }: Nuisance, driftSd: number, { apply }: Whitener): Float64Array[] {
  const loose = drift.map((column, index) => {
    const own = column.slice();
    own[days + WEEK + index] = 1 / driftSd;
    return apply(own);
  });
  return orthonormalise([...fixed.map((column) => apply(column.slice())), ...loose]);
}

/**
 * What the data say of a change on the days c of a series, all else taken out (generalised least squares in information form): its effect is
 * estimated as c's / c'Gc with variance 1 / c'Gc. G = P − DD', where P is the precision of the noise and D has a column for each
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
