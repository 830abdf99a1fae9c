import { DAY_MS } from '../../lib/clock.ts';
import { nth, nthDouble, nthPlace, nthUnsigned } from '../../lib/nth.ts';
import { byMost } from '../../lib/order.ts';
import { present } from '../../lib/sentences.ts';
import { median } from '../../statistics/order.ts';
import { dot, minus, numbersOf, pick } from '../../statistics/vectors.ts';
import { weightsOf } from '../../statistics/whitening.ts';
import { cycleOf, weeklyLevel } from './cycle.ts';
import {
  type Frame,
  fitParts,
  frameOf,
  gainOf,
  gainOfLine,
  gainOfPart,
  heightsOf,
  likelihoodOf,
  type Noise,
  type Part,
  type Runs,
  searchOn,
} from './gls.ts';
import { localTimes } from './local-time.ts';
import { skewnessOf, slowVariance } from './noise.ts';
import type { Effect, Series } from './run-series.ts';
import { chanceOfAny, type Limits, limitsFor, simulatedChance } from './score-limits.ts';

/** More changes than this in one look-back are no course of levels. */
const MOST_PARTS = 7;
/** Runs that a bump, and the level before the first change, last for at least; in short series an eighth of all. */
const LEAST_RUNS = 12;
/** Lengths of bumps that are tried grow by this factor, and so do the distances between their beginnings. */
const GROWTH = 1.3;
const BEGINNINGS = 5;

/** A part of the fitted course and how sure it is. */
interface Found {
  readonly part: Part;
  /** Square of its standard score, given the other parts. */
  readonly gain: number;
}

/** The penalty of a short part: there are more short bumps than long ones (Dümbgen and Spokoiny 2001). */
export function penaltyOf({ kind, from, to }: Part, n: number): number {
  return kind === 'bump' ? 2 * Math.log(n / (to - from)) : 0;
}

/** Searches on top of some parts: what a new part may be. */
type OpenPlaces = ReturnType<typeof placeOn>;

function placeOn(frame: Frame, parts: readonly Part[], shortest: number) {
  const n = frame.series.length;
  const least = Math.min(LEAST_RUNS, Math.floor(n / 8));
  // 1 where a new edge would leave a level shorter than allowed.
  const blocked = new Uint8Array(n + 1).fill(1, 0, Math.max(shortest, least));
  const edges = parts.flatMap(({ kind, from, to }) => (kind === 'line' ? [] : [from, to])).filter((edge) => edge < n);
  for (const edge of [...edges, n]) blocked.fill(1, Math.max(0, edge - shortest + 1), Math.min(n + 1, edge + shortest));
  return { search: searchOn(frame, parts), n, blocked, leastBump: Math.max(2 * shortest, least) };
}

/** The place in a range at which an edge gains most, and its gain; a range without an open place has none. */
function bestEdge({ blocked }: OpenPlaces, low: number, high: number, gainAt: (place: number) => number) {
  let best = { at: -1, gain: 0 };
  for (let at = Math.max(1, low); at <= high; at += 1) {
    const gain = blocked[at] === 1 ? 0 : gainAt(at);
    if (gain > best.gain) best = { at, gain };
  }
  return best;
}

function bestStep(place: OpenPlaces): Found | undefined {
  const { search, n } = place;
  const { at: from, gain } = bestEdge(place, 1, n - 1, (at) => gainOf(search, at, n));
  return from < 0 ? undefined : { part: { kind: 'step', from, to: n }, gain };
}

/** Moves the edges of a bump to their best places, one after the other. */
function refineBump(place: OpenPlaces, from: number, to: number): Found {
  const { search, n, leastBump } = place;
  const reach = Math.max(leastBump, to - from);
  const begin = bestEdge(place, from - reach, to - leastBump, (at) => gainOf(search, at, to)).at;
  const first = begin < 0 ? from : begin;
  const end = bestEdge(place, first + leastBump, Math.min(n - 1, to + reach), (at) => gainOf(search, first, at)).at;
  const last = end < 0 ? to : end;
  return { part: { kind: 'bump', from: first, to: last }, gain: gainOf(search, first, last) };
}

/** Bumps of geometrically growing length at evenly spread places (Jeng, Cai and Li 2010), the best one moved to its best edges. */
function bestBump(place: OpenPlaces): Found | undefined {
  const { search, n, blocked, leastBump } = place;
  let best: { readonly part: Part; readonly surplus: number } | undefined;
  for (let length = leastBump; length <= n / 2; length = Math.max(length + 1, Math.floor(length * GROWTH))) {
    const penalty = penaltyOf({ kind: 'bump', from: 0, to: length }, n);
    for (let from = 1; from + length < n; from += Math.max(1, Math.floor(length / BEGINNINGS))) {
      if (blocked[from] === 1 || blocked[from + length] === 1) continue;
      const surplus = gainOf(search, from, from + length) - penalty;
      if (!best || surplus > best.surplus) best = { part: { kind: 'bump', from, to: from + length }, surplus };
    }
  }
  return best && refineBump(place, best.part.from, best.part.to);
}

/** Moves each part to its best place given the others. */
function refined(frame: Frame, parts: readonly Part[], shortest: number): Part[] {
  const moved = [...parts];
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'line') continue;
    const place = placeOn(
      frame,
      moved.filter((_, other) => other !== index),
      shortest,
    );
    moved[index] = (part.kind === 'step' ? bestStep(place)?.part : refineBump(place, part.from, part.to).part) ?? part;
  }
  return moved;
}

/** The strongest step and bump on top of other parts. */
export function strongestParts(frame: Frame, parts: readonly Part[], shortest: number): Found[] {
  const place = placeOn(frame, parts, shortest);
  return present(bestStep(place), bestBump(place));
}

/** The course of levels that explains a series best: levels with steps and bumps, or a line with these on top. */
function searchCourse(frame: Frame, limits: Limits, shortest: number): Part[] {
  const n = frame.series.length;
  const needed = (part: Part) => limits[part.kind] + penaltyOf(part, n);
  const surplus = ({ part, gain }: Found) => gain - needed(part);
  /** Adds the part that exceeds its limit by most until none does, and moves all to their best places. */
  function forward(start: readonly Part[]): readonly Part[] {
    let parts = start;
    while (parts.length < MOST_PARTS) {
      const [best] = strongestParts(frame, parts, shortest).toSorted(byMost(surplus));
      if (!best || surplus(best) <= 0) break;
      parts = parts.length === 0 ? [best.part] : refined(frame, [...parts, best.part], shortest);
    }
    return parts;
  }
  /** What is left unexplained, and what the parts need. */
  function cost(parts: readonly Part[]): number {
    const { residual } = fitParts(frame, parts);
    return dot(residual, residual) / frame.sigma ** 2 + parts.reduce((sum, part) => sum + needed(part), 0);
  }
  const levels = forward([]);
  if (gainOfLine(fitParts(frame, [])) <= limits.line) return [...levels];
  const sloped = forward([{ kind: 'line', from: 0, to: n }]);
  return [...(cost(sloped) < cost(levels) ? sloped : levels)];
}

/** Deviations from what neighbours foretell, in standard deviations, from which a run is an outlier. */
const OUTLIER = 3;
/** Share of runs up to which they may be outliers. */
const MOST_OUTLIERS = 0.2;
/** Times that all runs are asked at most: the neighbours of an outlier look odd beside it, and those that are left widen the noise. */
const ROUNDS = 8;
/**
 * Runs in a row, and how many of them lie off to the same side, at least by this part, where a run belongs to a level of its own; the more
 * runs resemble each other, the more alike they must be, because slow waves are off together too. Chosen by
 * `npm run bench -- verdicts speed --seed 501`.
 */
const LEVEL = { runs: 6, agreeing: 5, part: 0.5, partByPhi: 0.8 } as const;

/** Whether a run is one of many neighbours that are off to the same side. */
function isOfLevel(x: Float64Array, run: number, phi: number): boolean {
  const least = Math.max(LEVEL.part, LEVEL.partByPhi * phi);
  for (let from = Math.max(0, run - LEVEL.runs + 1); from <= run; from += 1) {
    let alike = 0;
    for (let other = from; other < Math.min(x.length, from + LEVEL.runs); other += 1)
      alike += nthDouble(x, other) / nthDouble(x, run) >= least ? 1 : 0;
    if (alike >= LEVEL.agreeing) return true;
  }
  return false;
}

interface Deviations {
  /** Deviations from the level as far as it is known. */
  readonly x: Float64Array;
  /** Times of the runs in units of their usual distance. */
  readonly slots: Float64Array;
}

/** How far a run lies from what one on each side (below 0: none) foretell, in standard deviations. */
function scoreOf({ x, slots }: Deviations, phi: number, run: number, left: number, right: number): number {
  let precision = -1;
  let mean = 0;
  for (let side = 0; side < 2; side += 1) {
    const other = side === 0 ? left : right;
    if (other < 0) {
      precision += 1;
      continue;
    }
    const gap = Math.abs(nthDouble(slots, run) - nthDouble(slots, other));
    const rho = gap === 1 ? phi : phi ** gap;
    const own = 1 / (1 - rho * rho);
    precision += own;
    mean += own * (rho * nthDouble(x, other));
  }
  return (nthDouble(x, run) - mean / precision) * Math.sqrt(precision);
}

/** Marks the runs that lie at least so far from what the nearest usual runs on both sides foretell under autoregressive noise. */
function offRuns(series: Deviations, isUsual: Uint8Array, phi: number, least: number): Uint8Array {
  const n = isUsual.length;
  const isOff = new Uint8Array(n);
  // The nearest usual run before each one, and behind it.
  const before = new Int32Array(n).fill(-1);
  for (let run = 1; run < n; run += 1) before[run] = isUsual[run - 1] === 1 ? run - 1 : nthPlace(before, run - 1);
  for (let run = n - 1, after = -1; run >= 0; run -= 1) {
    if (Math.abs(scoreOf(series, phi, run, nthPlace(before, run), after)) >= least) isOff[run] = 1;
    if (isUsual[run] === 1) after = run;
  }
  return isOff;
}

/** Places of the runs that are no outliers, those near to what others foretell and those on a level of their own, and their noise. */
function usualRuns(series: Deviations, start: Int32Array, noiseOf: (places: Int32Array) => Noise): { kept: Int32Array; noise: Noise } {
  const { x } = series;
  const n = x.length;
  let [kept, noise] = [start, noiseOf(start)];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { phi, sigma } = noise;
    const isUsual = new Uint8Array(n);
    for (const run of kept) isUsual[run] = 1;
    const isOff = offRuns(series, isUsual, phi, (OUTLIER * sigma) / Math.sqrt(1 - phi * phi));
    const next = placesOf(n, (run) => nthUnsigned(isOff, run) === 0 || isOfLevel(x, run, phi));
    if (next.length === kept.length && next.every((run) => isUsual[run] === 1)) break;
    [kept, noise] = [next, noiseOf(next)];
  }
  if (kept.length >= (1 - MOST_OUTLIERS) * n) return { kept, noise };
  // Where the exceptions are too many, the scatter is as wide as they make it.
  const all = placesOf(n, () => true);
  return { kept: all, noise: noiseOf(all) };
}

/** The places of some of so many runs. */
function placesOf(n: number, isMeant: (run: number) => boolean): Int32Array {
  const places = new Int32Array(n);
  let count = 0;
  for (let run = 0; run < n; run += 1)
    if (isMeant(run)) {
      places[count] = run;
      count += 1;
    }
  return places.slice(0, count);
}

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
/** Logarithms are multiples of this: what rounding adds to a value in another unit then decides nothing. */
const GRAIN = 2 ** -36;
/** How many times the accepted chance a part may have to be looked at closely. */
const CANDIDATES = 10;

/** A part with the chance that a series without any change would show as strong a one. */
interface Confirmed {
  readonly part: Part;
  readonly p: number;
}

/** A part of a fitted course. */
export interface CoursePart extends Confirmed {
  /** Log scale; of a line, a day. */
  readonly height: number;
  /** False where the difference is too small to matter. */
  readonly counts: boolean;
}

/**
 * The course of a series: its levels over time and its noise, all on the log scale. `level` is that of each run by the parts; `freed` are
 * the logarithms of the values (plus `offset`) in parts of `scale`, their median, without what hour and weekday add; `kept` are the places
 * of the runs that are no outliers, which the parts count; `shortest` is how many runs a level lasts for at least.
 */
export type Course = ReturnType<typeof fitCourse>;

/** The level of each run that heights of parts make; places of the parts count the runs that are `kept`. */
function levelFrom(base: number, found: readonly CoursePart[], days: Float64Array, kept: Int32Array): Float64Array {
  const level = new Float64Array(days.length).fill(base);
  for (const { part, height } of found) {
    const isLine = part.kind === 'line';
    const [first, last] = isLine ? [0, level.length] : [kept[part.from] ?? level.length, kept[part.to] ?? level.length];
    for (let run = first; run < last; run += 1) level[run] = nthDouble(level, run) + height * (isLine ? nthDouble(days, run) : 1);
  }
  return level;
}

/** The length from which a row of slow runs hardly ever consists of outliers. */
function shortestLevel(n: number, outlierShare: number): number {
  const least = Math.ceil(Math.log(n / RUN_OF_OUTLIERS) / -Math.log(Math.max(outlierShare, 1e-4)));
  return Math.min(SHORTEST.most, Math.max(SHORTEST.least, least));
}

/** Times of the runs in days from the middle, and in units of their usual distance. */
function timesOf(dates: readonly number[]) {
  const n = dates.length;
  const middle = (nth(dates, 0) + nth(dates, n - 1)) / 2;
  const times = new Float64Array(dates);
  const gaps = minus(times.subarray(1), times.subarray(0, n - 1));
  const usualMs = median(gaps);
  const slots = new Float64Array(n);
  for (let run = 1; run < n; run += 1)
    slots[run] = nthDouble(slots, run - 1) + Math.min(LONGEST_GAP, Math.max(1, Math.round(nthDouble(gaps, run - 1) / usualMs)));
  return { days: times.map((date) => (date - middle) / DAY_MS), slots };
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
  while (parts.length > 0) {
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
    const [weakest] = found.toSorted((a, b) => a.surplus - b.surplus);
    if (!weakest || weakest.surplus > 0) return { found, noise: whole.noise };
    const rest = parts.filter((part) => part !== weakest.part);
    parts = refined(frame, rest, shortest);
  }
  return { found: [], noise: likelihoodOf(runs, []).noise };
}

/**
 * The same runs and those next to a jump of the level, up to the first usual one, that fit the level on its other side: its place is not
 * sure to a run. Where no run of either level is usual for the other one, the nearer level is the one that a run is of.
 */
function withEdges(usual: Int32Array, level: Float64Array, freed: Float64Array, sd: number): Int32Array {
  const kept = new Uint8Array(level.length);
  for (const run of usual) kept[run] = 1;
  for (let run = 1; run < level.length; run += 1) {
    const before = nthDouble(level, run - 1);
    const after = nthDouble(level, run);
    const jump = Math.abs(after - before);
    if (jump < sd) continue;
    const bound = jump > 2 * OUTLIER * sd ? jump / 2 : 2 * sd;
    const isOf = (at: number, other: number) => kept[at] === 0 && Math.abs(nthDouble(freed, at) - other) < bound;
    for (let at = run - 1; isOf(at, after); at -= 1) kept[at] = 1;
    for (let at = run; isOf(at, before); at += 1) kept[at] = 1;
  }
  return placesOf(kept.length, (run) => kept[run] === 1);
}

/**
 * The offset of all values before their logarithm is taken: the smallest difference that counts, where values reach down to it. It keeps
 * zeros (layout shift, blocking time) finite and differences that do not matter small.
 */
function logOffset(values: readonly number[], { absolute }: Effect): number {
  const least = Math.min(...values);
  return least > absolute && least > 0 ? 0 : Math.max(absolute, Math.max(...values) * 1e-3, Number.MIN_VALUE);
}

/**
 * Fits the course of a series twice: at first the cycle, the outliers and the noise are those around the level of the week, which shifts
 * of level hardly touch, then those around the first course.
 */
export function fitCourse({ dates, values }: Series, { effect, timeZone }: { effect: Effect; timeZone: string }) {
  const n = values.length;
  const offset = logOffset(values, effect);
  const scale = median(values) + offset;
  const logs = numbersOf(values, (value) => Math.round(Math.log((value + offset) / scale) / GRAIN) * GRAIN);
  // Below this, scatter is rounding, and no difference that counts depends on it.
  const floor = Math.log1p(effect.relative) / 8;
  const time = localTimes(dates, timeZone);
  const { days, slots } = timesOf(dates);
  const runsAt = (adjusted: Float64Array, kept: Int32Array): Runs => {
    const own = pick(slots, kept);
    const gaps = own.map((slot, index) => slot - (own[index - 1] ?? 0));
    return { x: pick(adjusted, kept), days: pick(days, kept), gaps, floor };
  };
  const noiseOf = (x: Float64Array, some: Int32Array) => likelihoodOf(runsAt(x, some), []).noise;
  const usualOf = (x: Float64Array, start: Int32Array) => usualRuns({ x, slots }, start, (some) => noiseOf(x, some));
  /** Frees runs of the cycle around a level, leaves out the outliers, and looks for the level anew. */
  function fit(around: Float64Array, known: { kept: Int32Array; noise: Noise }, times: number) {
    const deviations = minus(logs, around);
    const weights = weightsOf(runsAt(deviations, known.kept).gaps, known.noise.phi);
    const cycle = cycleOf({ deviations: pick(deviations, known.kept), places: known.kept, weights, sigma: known.noise.sigma }, time);
    const x = minus(deviations, cycle);
    const freed = minus(logs, cycle);
    const usual = usualOf(x, known.kept);
    const kept = withEdges(usual.kept, around, freed, known.noise.sigma / Math.sqrt(1 - known.noise.phi ** 2));
    const runs = runsAt(freed, kept);
    const outlierShare = 1 - kept.length / n;
    const shortest = shortestLevel(n, outlierShare);
    // A few runs with a jump look like one slow wave until the jump is taken out.
    const apart = kept.length === usual.kept.length ? usual.noise : noiseOf(x, kept);
    const strongest = bestStep(placeOn(frameOf(runs, apart), [], shortest));
    const { noise: rough } = likelihoodOf(runs, strongest ? [strongest.part] : []);
    const candidates = searchCourse(frameOf(runs, rough), limitsFor(n, rough.phi, CANDIDATES), shortest);
    const { found, noise } = confirmed(runs, candidates, { shortest, times, outlierShare });
    const frame = frameOf(runs, noise);
    const [base = 0, ...heights] = heightsOf(
      frame,
      found.map(({ part }) => part),
    );
    const spanDays = nthDouble(runs.days, runs.days.length - 1) - nthDouble(runs.days, 0);
    const sized = found.map((each, index): CoursePart => {
      const height = nth(heights, index);
      const whole = Math.abs(Math.expm1(each.part.kind === 'line' ? height * spanDays : height));
      return { ...each, height, counts: whole >= effect.relative && whole * (scale - offset) >= effect.absolute };
    });
    const level = levelFrom(base, sized, days, kept);
    return { found: sized, frame, runs, noise, level, freed, offset, scale, kept, shortest };
  }
  const weekly = weeklyLevel(logs, time);
  const x = minus(logs, weekly);
  const usual = usualOf(
    x,
    placesOf(n, () => true),
  );
  const first = fit(weekly, usual, CANDIDATES);
  return fit(first.level, first, 1);
}
