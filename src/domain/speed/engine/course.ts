import { median } from 'simple-statistics';
import { DAY_MS } from '../../../lib/clock.ts';
import { minus, pick } from '../../statistics/vectors.ts';
import { localTimes, robustCycle, weeklyLevel, whitenedCycle } from './calendar-factors.ts';
import { expectedRuns, usualRuns } from './cleaning.ts';
import { frameOf, gainOfPart, type Likelihood, likelihoodOf, type Runs, sumsOf } from './likelihood.ts';
import { type Frame, fitParts, heightsOf, makeUpOf, type Noise, noiseFromDifferences, type Part, slowVariance, tailsOf } from './parts.ts';
import { type Effect, logOffset, type RunSeries } from './run-series.ts';
import { asNormalScore, chanceOfAny, limitsFor, simulatedChance } from './score-limits.ts';
import { edgesOf, type Found, limitOf, penaltyOf, refined, searchCourse } from './search.ts';

/** A single run that does not repeat may be an outlier; that as many in a row are is less likely than this over the whole series. */
const RUN_OF_OUTLIERS = 0.003;
/** A deviation has died out after this many runs. */
const LONGEST_GAP = 200;
const SHORTEST = 3;
const LONGEST_SHORTEST = 12;
/**
 * Where more runs than usual are outliers, some that are not seen pass for changes of level. The accepted chance is divided by 1 and
 * `LEFT_OUTLIERS` times the share beyond the usual, times a constant and the autocorrelation, because a deviation that lasts does more;
 * chosen by the bench.
 */
const USUAL_OUTLIERS = 0.03;
const LEFT_OUTLIERS = 25;
const LEFT_WITHOUT_PHI = 0.7;
/** The same where outliers cannot be separated from wide scatter and leave the runs skewed; chosen by the bench. */
const USUAL_SKEWNESS = 0.1;
const SKEWED = 30;
/** How many times the accepted chance of a step the second edge of a bump may have. */
const EDGE = 2.5;
/** Logarithms are multiples of this: what rounding adds to a value in another unit then decides nothing. */
const GRAIN = 2 ** -36;
/** How many times the accepted chance a part may have to be looked at closely. */
const CANDIDATES = 10;

/** A part with the chance that a series without any change would show as strong a one. */
export interface Confirmed extends Found {
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
  readonly outlierShare: number;
  /** Runs that a level lasts for at least. */
  readonly shortest: number;
}

function daysOf(dates: readonly number[]): Float64Array {
  const middle = ((dates[0] ?? 0) + (dates.at(-1) ?? 0)) / 2;
  return Float64Array.from(dates, (date) => (date - middle) / DAY_MS);
}

/** The level of each run that heights of parts make. */
function levelFrom(parts: readonly Part[], heights: readonly number[], days: Float64Array): Float64Array {
  const level = new Float64Array(days.length).fill(heights[0] ?? 0);
  for (const [index, part] of parts.entries()) {
    const height = heights[index + 1] ?? 0;
    if (part.kind === 'line') for (let run = 0; run < level.length; run += 1) level[run] = (level[run] ?? 0) + height * (days[run] ?? 0);
    else {
      const to = part.kind === 'bump' ? part.to : level.length;
      for (let run = part.from; run < to; run += 1) level[run] = (level[run] ?? 0) + height;
    }
  }
  return level;
}

/** The length from which a row of slow runs hardly ever consists of outliers. */
function shortestLevel(n: number, outlierShare: number): number {
  const least = Math.ceil(Math.log(n / RUN_OF_OUTLIERS) / -Math.log(Math.max(outlierShare, 1e-4)));
  return Math.min(LONGEST_SHORTEST, Math.max(SHORTEST, least));
}

/** Distances of runs in units of the usual one; failed runs and dropped outliers leave gaps. */
function gapsOf(dates: readonly number[], kept: Int32Array, usualMs: number): Float64Array {
  const gaps = new Float64Array(kept.length).fill(1);
  for (let index = 1; index < kept.length; index += 1) {
    const gapMs = (dates[kept[index] ?? 0] ?? 0) - (dates[kept[index - 1] ?? 0] ?? 0);
    gaps[index] = Math.min(LONGEST_GAP, Math.max(1, Math.round(gapMs / usualMs)));
  }
  return gaps;
}

/** The noise around levels that are known already. */
function noiseAround(runs: Runs, level: Float64Array): Noise {
  return likelihoodOf(sumsOf({ ...runs, x: minus(runs.x, level) }, [])).noise;
}

/** Translates a part from the runs that are kept to all runs. */
function toAllRuns(part: Part, kept: Int32Array, n: number): Part {
  if (part.kind === 'line') return part;
  const from = kept[part.from] ?? n;
  return part.kind === 'step' ? { ...part, from } : { ...part, from, to: kept[part.to] ?? n };
}

/** The parts with a step in place of the first bump one of whose edges is not needed: to have come back is more than to have left. */
function withoutNeedlessEdge(runs: Runs, parts: readonly Part[], whole: Likelihood, inflation: number): Part[] | undefined {
  const needed = inflation * limitsFor(runs.x.length, whole.noise.phi, EDGE).step;
  for (const part of parts) {
    if (part.kind !== 'bump') continue;
    const asStep = [part.from, part.to]
      .filter(
        (from) =>
          !edgesOf(
            parts.filter((other) => other !== part),
            runs.x.length,
          ).includes(from),
      )
      .map((from) => parts.map((other): Part => (other === part ? { kind: 'step', from } : other)))
      .map((simpler) => ({ simpler, deviance: likelihoodOf(sumsOf(runs, simpler)).deviance }))
      .toSorted((a, b) => a.deviance - b.deviance)[0];
    if (asStep && asStep.deviance - whole.deviance < needed) return asStep.simpler;
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
    const sums = sumsOf(runs, parts);
    const whole = likelihoodOf(sums);
    // Short bumps stay in: a few of them hardly touch a robust variance, many are what the noise is like.
    const lasting = parts.filter((part) => part.kind !== 'bump' || part.to - part.from > n / 12);
    const frame = frameOf(runs, whole.noise);
    const inflation = slowVariance(fitParts(frame, lasting).residual, whole.noise.sigma);
    const tails = tailsOf(fitParts(frame, parts).residual);
    const skewed = SKEWED * Math.max(0, Math.round(20 * Math.abs(tails.skewness)) / 20 - USUAL_SKEWNESS);
    const found = parts.map((part, index) => {
      const { gain: own, phi } = gainOfPart(sums, index, whole);
      const others = parts.filter((other) => other !== part);
      const { sign, ofSkewness, ofKurtosis } = makeUpOf(fitParts(frame, others), part);
      const score = Math.sqrt(Math.max(0, own) / inflation);
      const gain = asNormalScore(score, sign * tails.skewness * ofSkewness, tails.kurtosis * ofKurtosis) ** 2;
      const unseen = LEFT_OUTLIERS * (LEFT_WITHOUT_PHI + phi) * Math.max(0, Math.round(100 * outlierShare) / 100 - USUAL_OUTLIERS);
      const fewer = 1 / (1 + unseen + skewed);
      const p = simulatedChance(Math.min(1, chanceOfAny(part.kind, gain - penaltyOf(part, n), n, phi) / fewer), phi);
      return { part, gain, p, surplus: gain - limitOf(part, limitsFor(n, phi, times * fewer), n) };
    });
    const weakest = found.toSorted((a, b) => a.surplus - b.surplus)[0];
    if (weakest && weakest.surplus <= 0) {
      const rest = parts.filter((part) => part !== weakest.part);
      parts = refined(frame, rest, shortest).map(({ part }) => part);
      continue;
    }
    const simpler = withoutNeedlessEdge(runs, parts, whole, inflation);
    if (!simpler) return { found: found.map(({ part, gain, p }) => ({ part, gain, p })), noise: whole.noise };
    parts = refined(frame, simpler, shortest).map(({ part }) => part);
  }
}

/**
 * Fits the course of a series twice: at first the cycle and the noise are taken from what shifts of level hardly touch (deviations
 * from the level of the week, differences of neighbouring runs), then from what the first course leaves.
 */
export function fitCourse({ dates, values }: RunSeries, { effect, timeZone }: { effect: Effect; timeZone: string }): Course {
  const n = values.length;
  const offset = logOffset(values, effect);
  const scale = median([...values]) + offset;
  const logs = Float64Array.from(values, (value) => Math.round(Math.log((value + offset) / scale) / GRAIN) * GRAIN);
  // Below this, scatter is rounding, and no difference that counts depends on it.
  const floor = Math.log1p(effect.relative) / 8;
  const time = localTimes(dates, timeZone);
  const days = daysOf(dates);
  const usualMs = median(dates.slice(1).map((date, index) => date - (dates[index] ?? 0)));
  const runsAt = (adjusted: Float64Array, kept: Int32Array): Runs => ({
    x: pick(adjusted, kept),
    days: pick(days, kept),
    gaps: gapsOf(dates, kept, usualMs),
    floor,
  });
  function fit(cycle: Float64Array, kept: Int32Array, times: number, noiseOf: (runs: Runs, kept: Int32Array) => Noise) {
    const runs = runsAt(minus(logs, cycle), kept);
    const outlierShare = 1 - kept.length / n;
    const shortest = shortestLevel(n, outlierShare);
    const noise = noiseOf(runs, kept);
    const candidates = searchCourse(frameOf(runs, noise), {
      limits: limitsFor(n, noise.phi),
      candidates: limitsFor(n, noise.phi, CANDIDATES),
      shortest,
    });
    const { found, noise: finalNoise } = confirmed(
      runs,
      candidates.map(({ part }) => part),
      { shortest, times, outlierShare },
    );
    const frame = frameOf(runs, finalNoise);
    const parts = found.map(({ part }) => part);
    const level = levelFrom(
      parts.map((part) => toAllRuns(part, kept, n)),
      heightsOf(frame, parts),
      days,
    );
    return { found, frame, runs, noise: finalNoise, cycle, level, logs, offset, scale, kept, outlierShare, shortest };
  }
  const roughCycle = robustCycle(minus(logs, weeklyLevel(logs, time)), time);
  const first = fit(roughCycle, usualRuns(minus(logs, roughCycle), floor), CANDIDATES, ({ x }) => noiseFromDifferences(x, floor));
  const {
    kept: places,
    frame: { weights, sigma },
  } = first;
  const deviations = pick(minus(logs, first.level), places);
  const cycle = whitenedCycle({ deviations, places, weights, sigma }, time);
  const around = minus(minus(logs, cycle), first.level);
  const kept = expectedRuns(n, (some) => runsAt(around, some), first);
  return fit(cycle, kept, 1, (runs, some) => noiseAround(runs, pick(first.level, some)));
}
