import { gammaln, quantile } from 'simple-statistics';
import { MAD_TO_SD } from '../../statistics/robust-scale.ts';
import { minus, pick } from '../../statistics/vectors.ts';
import { frameOf, likelihoodOf, type Runs, sumsOf } from './likelihood.ts';
import { type Fit, fitParts, gainOf, heightsOf, type Noise } from './parts.ts';

/**
 * Runs on each side that a run is compared with: a day of hourly runs for outliers that come in clusters, fewer for those that hide in slow
 * waves.
 */
const REACHES = [12, 6, 3];
/** Deviations from the neighbours, in standard deviations, from which a run is an outlier. */
const OUTLIER = 3;
/** Share of runs up to which they may be outliers. */
const MOST_OUTLIERS = 0.2;
/** Outliers that crowd more than chance does in this share of series are no outliers, but a level of their own. */
const CROWDED = 0.003;
/** A level never needs more than this many slow runs to be distinguished from a crowd of outliers. */
const LONGEST_CROWD = 12;

/** The middle of the neighbourhood of each value, itself included; cut off at the ends. */
function runningMedian(x: Float64Array, reach: number): Float64Array {
  const n = x.length;
  const medians = new Float64Array(n);
  // In order; typed loops, because calls cost more than moving a dozen numbers.
  const window = new Float64Array(2 * reach + 2);
  let size = 0;
  for (let index = -reach; index < n; index += 1) {
    if (index + reach < n) {
      const value = x[index + reach] ?? 0;
      let place = size;
      for (; place > 0 && (window[place - 1] ?? 0) > value; place -= 1) window[place] = window[place - 1] ?? 0;
      window[place] = value;
      size += 1;
    }
    if (index > reach) {
      const value = x[index - reach - 1] ?? 0;
      let place = 0;
      while (place < size - 1 && (window[place] ?? 0) !== value) place += 1;
      size -= 1;
      for (; place < size; place += 1) window[place] = window[place + 1] ?? 0;
    }
    if (index < 0) continue;
    const half = size >> 1;
    medians[index] = size % 2 === 1 ? (window[half] ?? 0) : ((window[half - 1] ?? 0) + (window[half] ?? 0)) / 2;
  }
  return medians;
}

/** Robust standard deviation of values that lie around 0; those at 0, which are medians themselves, say nothing. */
function scaleAroundZero(values: Float64Array): number {
  const sizes: number[] = [];
  for (const value of values) if (value !== 0) sizes.push(Math.abs(value));
  return sizes.length === 0 ? 0 : MAD_TO_SD * quantile(sizes, 0.5);
}

/**
 * Which of the flagged runs do not crowd together: where they do, chance would not put as many among so few neighbours anywhere in the
 * series.
 */
function alone(flagged: readonly number[], n: number): number[] {
  const crowd = new Set<number>();
  const logShare = Math.log((flagged.length + 1) / (n + 1));
  for (let first = 0; first < flagged.length; first += 1) {
    for (let count = 2; count <= LONGEST_CROWD && first + count <= flagged.length; count += 1) {
      const length = (flagged[first + count - 1] ?? 0) - (flagged[first] ?? 0) + 1;
      const logChoices = gammaln(length + 1) - gammaln(count + 1) - gammaln(length - count + 1);
      if (Math.log(n) + logChoices + count * logShare > Math.log(CROWDED)) continue;
      for (let member = first; member < first + count; member += 1) crowd.add(flagged[member] ?? 0);
    }
  }
  return flagged.filter((index) => !crowd.has(index));
}

/**
 * Places of the values that are no outliers, by the Hampel identifier (Hampel 1974; Pearson 2002) at three widths. A shift of level
 * is none: once more slow runs stand together than outliers do by chance, they are kept. `floor` is the least standard deviation.
 */
export function usualRuns(x: Float64Array, floor: number): Int32Array {
  let places = Int32Array.from(x.keys());
  for (const reach of REACHES) {
    const values = pick(x, places);
    const deviations = minus(values, runningMedian(values, reach));
    const limit = OUTLIER * Math.max(floor, scaleAroundZero(deviations));
    const [above, below]: [number[], number[]] = [[], []];
    for (const [index, deviation] of deviations.entries())
      if (deviation > limit) above.push(index);
      else if (deviation < -limit) below.push(index);
    const dropped = new Set([...alone(above, values.length), ...alone(below, values.length)]);
    if (dropped.size > 0) places = places.filter((_, index) => !dropped.has(index));
  }
  return unlessTooMany(places, x.length);
}

/** Keeps all runs where the exceptions are too many: then the scatter is as wide as they make it. */
function unlessTooMany(places: Int32Array, n: number): Int32Array {
  return places.length < (1 - MOST_OUTLIERS) * n ? Int32Array.from({ length: n }, (_, place) => place) : places;
}

/** Rounds in which outliers are taken out, the surest of neighbours first. */
const ROUNDS = 5;
/** The least gain of a patch of outliers, for its first run and for each other one. */
const LEAST_GAIN = OUTLIER ** 2;
const LEAST_GAIN_OF_NEXT = 6;
/** Lengths of levels that runs off the rest may be the beginning or the end of; a step lasts to the end. */
const LEVELS = [6, 12, 24];
/** Gains below which a change of level is too weak to be found, and no reason to keep what looks like outliers. */
const LEAST_STEP = 10;
const LEAST_LEVEL = 20;

interface Patch {
  readonly from: number;
  readonly to: number;
  readonly surplus: number;
}

/**
 * By how much the squares of a fit fall where the runs from one place to another are left out, each with a deviation of its own. The run
 * after them is then predicted by the one before them. `squares` are those of the runs that this touches.
 */
function gainWithout(
  { frame: { weights, sigma }, residual }: Fit,
  { gaps }: Runs,
  phi: number,
): (from: number, to: number, squares: number) => number {
  return (from, to, squares) => {
    // Most places end here, before the expensive part.
    if (to === residual.length || squares < LEAST_GAIN * sigma * sigma) return squares / (sigma * sigma);
    let bridge = 0;
    let share = 1;
    for (let run = to; run >= from; run -= 1) {
      bridge += (share * (residual[run] ?? 0)) / (weights.own[run] ?? 1);
      const carried = gaps[run] === 1 ? phi : phi ** (gaps[run] ?? 1);
      share *= run === 0 ? 0 : carried;
    }
    return (squares - (bridge * bridge * (1 - phi * phi)) / (1 - share * share)) / (sigma * sigma);
  };
}

/** Places of a series at which one to a few neighbouring runs are off, the surest first. */
function patchesIn(fit: Fit, gainOfPatch: (from: number, to: number, squares: number) => number, shortest: number): Patch[] {
  const n = fit.frame.series.length;
  const gain = (from: number, to: number) => (from > 0 && to > from && from < n ? gainOf(fit, from, Math.min(to, n)) : 0);
  const patches: Patch[] = [];
  let atEnd = 0;
  for (let from = Math.max(1, n - 24); from <= n - shortest; from += 1) atEnd = Math.max(atEnd, gain(from, n));
  const { residual } = fit;
  for (let from = 0; from < n; from += 1) {
    let squares = (residual[from] ?? 0) ** 2;
    const last = Math.min(n, from + shortest - 1);
    for (let to = from + 1; to <= last; to += 1) {
      if (to < n) squares += (residual[to] ?? 0) ** 2;
      const own = gainOfPatch(from, to, squares) - LEAST_GAIN_OF_NEXT * (to - from - 1);
      const surplus = own - LEAST_GAIN;
      if (surplus <= 0) continue;
      const steps = [to === n ? atEnd : gain(from, n), from > 0 ? gain(to, n) : 0];
      const levels = LEVELS.flatMap((length) => [to < n ? gain(from, from + length) : 0, from > 0 ? gain(to - length, to) : 0]);
      const credible = [...steps.filter((each) => each > LEAST_STEP), ...levels.filter((each) => each > LEAST_LEVEL)];
      if (own > Math.max(0, ...credible)) patches.push({ from, to, surplus });
    }
  }
  // Single runs first: a longer patch may hold usual runs between two outliers.
  return patches.toSorted((a, b) => a.to - a.from - (b.to - b.from) || b.surplus - a.surplus);
}

/**
 * The same once the noise and most of the level are known: runs are outliers where so few of them lie off what their neighbours on both
 * sides foretell, and where that explains them better than a level that begins or ends there does (Chen and Liu 1993). `runsAt` makes
 * what whitening needs of the runs at some places; `shortest` is the number of runs that a level lasts for.
 */
export function expectedRuns(
  n: number,
  runsAt: (places: Int32Array) => Runs,
  { noise: first, shortest }: { noise: Noise; shortest: number },
): Int32Array {
  const all = Int32Array.from({ length: n }, (_, place) => place);
  function cleaned(start: Int32Array, noise: Noise): Int32Array {
    let places = start;
    for (let round = 0; round < ROUNDS; round += 1) {
      const rest = withoutPatches(places, runsAt(places), noise, shortest);
      if (rest.length === places.length) break;
      places = rest;
    }
    return places;
  }
  const once = cleaned(all, first);
  const noise = likelihoodOf(sumsOf(runsAt(once), [])).noise;
  // Among many outliers usual runs look odd and odd ones usual, so that both are asked again.
  return unlessTooMany(cleaned(withFitting(runsAt(all), once, runsAt(once), noise), noise), n);
}

/** Takes back what was left out only because its neighbours were off: the runs that fit between the nearest ones that are kept. */
function withFitting(all: Runs, places: Int32Array, kept: Runs, { phi, sigma }: Noise): Int32Array {
  const [level = 0] = heightsOf(frameOf(kept, { phi, sigma }), []);
  const isKept = new Uint8Array(all.x.length);
  for (const place of places) isKept[place] = 1;
  /** The prediction of a place by the nearest kept run on one side: precision and deviation, in units of the scatter around the level. */
  function foretold(place: number, by: 1 | -1): { precision: number; weighted: number; own: number } {
    let distance = 0;
    for (let run = place; ; run += by) {
      if (run !== place && isKept[run] === 1) {
        const rho = phi ** distance;
        const precision = 1 / (1 - rho * rho);
        return { precision, weighted: rho * precision * ((all.x[run] ?? 0) - level), own: rho * rho * precision };
      }
      if (run + by < 0 || run + by >= isKept.length) return { precision: 1, weighted: 0, own: 0 };
      distance += all.gaps[by > 0 ? run + 1 : run] ?? 1;
    }
  }
  const fits = (place: number) => {
    const [before, after] = [foretold(place, -1), foretold(place, 1)];
    const precision = before.precision + after.own;
    const distance = (all.x[place] ?? 0) - level - (before.weighted + after.weighted) / precision;
    return (distance * distance * precision * (1 - phi * phi)) / (sigma * sigma) < LEAST_GAIN;
  };
  return Int32Array.from({ length: isKept.length }, (_, place) => place).filter((place) => isKept[place] === 1 || fits(place));
}

/** One round: the surest patches that do not touch each other. */
function withoutPatches(places: Int32Array, runs: Runs, noise: Noise, shortest: number): Int32Array {
  const dropped = new Uint8Array(places.length + 1);
  const fit = fitParts(frameOf(runs, noise), []);
  for (const { from, to } of patchesIn(fit, gainWithout(fit, runs, noise.phi), shortest)) {
    // What is next to a run that goes is looked at again without it.
    if (!dropped.subarray(Math.max(0, from - 1), to + 1).includes(1)) dropped.fill(1, from, to);
  }
  return places.filter((_, index) => dropped[index] === 0);
}
