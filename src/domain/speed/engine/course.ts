import { median } from 'simple-statistics';
import { DAY_MS } from '../../../lib/clock.ts';
import { nth, nthDouble, nthPlace } from '../../../lib/nth.ts';
import { minus, pick } from '../../../statistics/vectors.ts';
import { weightsOf } from '../../../statistics/whitening.ts';
import { cycleOf, weeklyLevel } from './cycle.ts';
import {
  type Frame,
  fitParts,
  frameOf,
  gainOfPart,
  heightsOf,
  type Likelihood,
  likelihoodOf,
  type Noise,
  type Part,
  type Runs,
} from './gls.ts';
import { localTimes } from './local-time.ts';
import { skewnessOf, slowVariance } from './noise.ts';
import { OUTLIER, placesOf, usualRuns } from './outliers.ts';
import { type Effect, logOffset, type RunSeries } from './run-series.ts';
import { chanceOfAny, limitsFor, simulatedChance } from './score-limits.ts';
import { edgesOf, penaltyOf, refined, searchCourse, strongestParts } from './search.ts';

/** A single run that does not repeat may be an outlier; that as many in a row are is less likely than this over the whole series. */
const RUN_OF_OUTLIERS = 0.003;
/** A deviation has died out after this many runs. */
const LONGEST_GAP = 200;
const SHORTEST = { least: 3, most: 12 } as const;
/**
 * Where outliers cannot be separated from wide scatter, they leave the runs skewed, and some pass for changes of level: the accepted chance
 * is divided by 1 and `SKEWED` times the skewness beyond the usual (`npm run bench -- verdicts speed --cell 'stable, 1 h'`).
 */
const USUAL_SKEWNESS = 0.1;
const SKEWED = 30;
/** The same where more runs than usual are outliers: some that are not seen are left. */
const USUAL_OUTLIERS = 0.03;
const LEFT_OUTLIERS = 40;
/** How many times the accepted chance of a step the second edge of a bump may have. */
const EDGE = 2.5;
/** Logarithms are multiples of this: what rounding adds to a value in another unit then decides nothing. */
const GRAIN = 2 ** -36;
/** How many times the accepted chance a part may have to be looked at closely. */
const CANDIDATES = 10;

/** A part with the chance that a series without any change would show as strong a one. */
export interface Confirmed {
  readonly part: Part;
  readonly p: number;
}

/** The course of a series: its levels over time, its cycle and its noise, all on the log scale. */
export interface Course {
  readonly found: readonly Confirmed[];
  readonly frame: Frame;
  readonly noise: Noise;
  /** The effect of hour and weekday on each run. */
  readonly cycle: Float64Array;
  /** Level of each run by the parts, without the cycle. */
  readonly level: Float64Array;
  readonly runs: Runs;
  /** Logarithms of the values (plus `offset`) in parts of `scale`, as measured. */
  readonly logs: Float64Array;
  readonly offset: number;
  /** Median of the values (plus `offset`). */
  readonly scale: number;
  /** Places of the runs that are no outliers; the parts count these. */
  readonly kept: Int32Array;
  /** Runs that a level lasts for at least. */
  readonly shortest: number;
}

function daysOf(dates: readonly number[]): Float64Array {
  const middle = (nth(dates, 0) + (dates.at(-1) ?? 0)) / 2;
  return Float64Array.from(dates, (date) => (date - middle) / DAY_MS);
}

/** The level of each run that heights of parts make; places of the parts count the runs that are `kept`. */
function levelFrom(parts: readonly Part[], heights: readonly number[], days: Float64Array, kept: Int32Array): Float64Array {
  const level = new Float64Array(days.length).fill(nth(heights, 0));
  for (const [index, { kind, from, to }] of parts.entries()) {
    const height = nth(heights, index + 1);
    const [first, last] = kind === 'line' ? [0, level.length] : [kept[from] ?? level.length, kept[to] ?? level.length];
    for (let run = first; run < last; run += 1) level[run] = nthDouble(level, run) + height * (kind === 'line' ? nthDouble(days, run) : 1);
  }
  return level;
}

/** The length from which a row of slow runs hardly ever consists of outliers. */
function shortestLevel(n: number, outlierShare: number): number {
  const least = Math.ceil(Math.log(n / RUN_OF_OUTLIERS) / -Math.log(Math.max(outlierShare, 1e-4)));
  return Math.min(SHORTEST.most, Math.max(SHORTEST.least, least));
}

/** Times of the runs in units of their usual distance. */
function slotsOf(dates: readonly number[]): Float64Array {
  const usualMs = median(dates.slice(1).map((date, index) => date - nth(dates, index)));
  const slots = new Float64Array(dates.length);
  for (let run = 1; run < dates.length; run += 1)
    slots[run] =
      nthDouble(slots, run - 1) + Math.min(LONGEST_GAP, Math.max(1, Math.round((nth(dates, run) - nth(dates, run - 1)) / usualMs)));
  return slots;
}

/** The parts with a step in place of the first bump one of whose edges is not needed: to have come back is more than to have left. */
function withoutNeedlessEdge(runs: Runs, parts: readonly Part[], whole: Likelihood, inflation: number): Part[] | undefined {
  const n = runs.x.length;
  const needed = inflation * limitsFor(n, whole.noise.phi, EDGE).step;
  for (const part of parts.filter(({ kind }) => kind === 'bump')) {
    const others = parts.filter((other) => other !== part);
    const taken = edgesOf(others, n);
    const [simpler] = [part.from, part.to]
      .filter((from) => !taken.includes(from))
      .map((from): Part[] => parts.map((other) => (other === part ? { kind: 'step', from, to: n } : other)))
      .map((simplified) => ({ simplified, deviance: likelihoodOf(runs, simplified).deviance }))
      .toSorted((one, other) => one.deviance - other.deviance);
    if (simpler && simpler.deviance - whole.deviance < needed) return simpler.simplified;
  }
  return undefined;
}

/**
 * Keeps the parts that the likelihood asks for: each must exceed its limit also where the noise is estimated without it, so that slow
 * waves are not taken for changes of level by a noise that was estimated around these very changes.
 */
function confirmed(
  runs: Runs,
  candidates: readonly Part[],
  { shortest, times, outlierShare }: { shortest: number; times: number; outlierShare: number },
): { found: Confirmed[]; noise: Noise } {
  const n = runs.x.length;
  let parts = [...candidates];
  for (;;) {
    const whole = likelihoodOf(runs, parts);
    // Short bumps stay in: a few of them hardly touch a robust variance, many are what the noise is like.
    const lasting = parts.filter(({ kind, from, to }) => kind !== 'bump' || to - from > n / 12);
    const frame = frameOf(runs, whole.noise);
    const inflation = slowVariance(fitParts(frame, lasting).residual, whole.noise.sigma);
    // Rounded, so that what decides does not depend on the unit.
    const skewness = Math.round(20 * Math.abs(skewnessOf(fitParts(frame, parts).residual))) / 20;
    const unseen = Math.max(0, Math.round(100 * outlierShare) / 100 - USUAL_OUTLIERS);
    const fewer = 1 + SKEWED * Math.max(0, skewness - USUAL_SKEWNESS) + LEFT_OUTLIERS * unseen;
    const found = parts.map((part) => {
      const { gain: own, phi } = gainOfPart(runs, parts, part, whole);
      const gain = own / inflation - penaltyOf(part, n);
      const p = simulatedChance(Math.min(1, chanceOfAny(part.kind, gain, n, phi) * fewer), phi);
      return { part, p, surplus: gain - limitsFor(n, phi, times / fewer)[part.kind] };
    });
    const weakest = found.toSorted((a, b) => a.surplus - b.surplus)[0];
    const rest =
      weakest && weakest.surplus <= 0 ? parts.filter((part) => part !== weakest.part) : withoutNeedlessEdge(runs, parts, whole, inflation);
    if (!rest) return { found, noise: whole.noise };
    parts = refined(frame, rest, shortest);
  }
}

/** Variance of runs around their level. */
const spreadOf = ({ phi, sigma }: Noise) => sigma ** 2 / (1 - phi ** 2);

/**
 * The same runs and those beside a jump of the level that fit the level on its other side: its place is not sure to a run. Where no run of
 * either level is usual for the other one, the nearer level is the one that a run is of.
 */
function withEdges(usual: Int32Array, level: Float64Array, freed: Float64Array, sd: number): Int32Array {
  const kept = new Uint8Array(level.length);
  for (let index = 0; index < usual.length; index += 1) kept[nthPlace(usual, index)] = 1;
  for (let run = 1; run < level.length; run += 1) {
    const before = nthDouble(level, run - 1);
    const after = nthDouble(level, run);
    const jump = Math.abs(after - before);
    if (jump < sd) continue;
    const bound = jump > 2 * OUTLIER * sd ? jump / 2 : 2 * sd;
    if (Math.abs(nthDouble(freed, run - 1) - after) < bound) kept[run - 1] = 1;
    if (Math.abs(nthDouble(freed, run) - before) < bound) kept[run] = 1;
  }
  return placesOf(level, (run) => kept[run] === 1);
}

/**
 * Fits the course of a series twice: at first the cycle, the outliers and the noise are those around the level of the week, which shifts
 * of level hardly touch, then those around the first course.
 */
export function fitCourse({ dates, values }: RunSeries, { effect, timeZone }: { effect: Effect; timeZone: string }): Course {
  const n = values.length;
  const offset = logOffset(values, effect);
  const scale = median([...values]) + offset;
  const logs = new Float64Array(n);
  for (let run = 0; run < n; run += 1) logs[run] = Math.round(Math.log((nth(values, run) + offset) / scale) / GRAIN) * GRAIN;
  // Below this, scatter is rounding, and no difference that counts depends on it.
  const floor = Math.log1p(effect.relative) / 8;
  const time = localTimes(dates, timeZone);
  const days = daysOf(dates);
  const slots = slotsOf(dates);
  const runsAt = (adjusted: Float64Array, kept: Int32Array): Runs => {
    const at = pick(slots, kept);
    const gaps = new Float64Array(at.length).fill(1, 0, 1);
    for (let index = 1; index < at.length; index += 1) gaps[index] = nthDouble(at, index) - nthDouble(at, index - 1);
    return { x: pick(adjusted, kept), days: pick(days, kept), gaps, floor };
  };
  /** Frees runs of the cycle around a level, leaves out the outliers, and looks for the level anew. */
  function fit(around: Float64Array, known: { kept: Int32Array; noise: Noise }, times: number) {
    const deviations = minus(logs, around);
    const weights = weightsOf(runsAt(deviations, known.kept).gaps, known.noise.phi);
    const cycle = cycleOf({ deviations: pick(deviations, known.kept), places: known.kept, weights, sigma: known.noise.sigma }, time);
    const x = minus(deviations, cycle);
    const noiseOf = (some: Int32Array) => likelihoodOf(runsAt(x, some), []).noise;
    const freed = minus(logs, cycle);
    const kept = withEdges(usualRuns({ x, slots }, known.kept, noiseOf), around, freed, Math.sqrt(spreadOf(known.noise)));
    const runs = runsAt(freed, kept);
    const outlierShare = 1 - kept.length / n;
    const shortest = shortestLevel(n, outlierShare);
    const flat = noiseOf(kept);
    const [strongest] = strongestParts(frameOf(runs, flat), [], shortest);
    // A few runs with a jump look like one slow wave until the jump is taken out.
    const jumped = likelihoodOf(runs, strongest ? [strongest.part] : []).noise;
    const rough = spreadOf(jumped) < spreadOf(flat) ? jumped : flat;
    const candidates = searchCourse(frameOf(runs, rough), limitsFor(n, rough.phi, CANDIDATES), shortest);
    const { found, noise } = confirmed(runs, candidates, { shortest, times, outlierShare });
    const frame = frameOf(runs, noise);
    const parts = found.map(({ part }) => part);
    const level = levelFrom(parts, heightsOf(frame, parts), days, kept);
    return { found, frame, runs, noise, cycle, level, logs, offset, scale, kept, shortest };
  }
  const weekly = weeklyLevel(logs, time);
  const x = minus(logs, weekly);
  const noiseOf = (some: Int32Array) => likelihoodOf(runsAt(x, some), []).noise;
  const kept = usualRuns(
    { x, slots },
    placesOf(x, () => true),
    noiseOf,
  );
  const first = fit(weekly, { kept, noise: noiseOf(kept) }, CANDIDATES);
  return fit(first.level, first, 1);
}
