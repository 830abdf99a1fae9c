import { nth, nthDouble } from '../../../../src/lib/nth.ts';
import { median } from '../../../../src/statistics/order.ts';
import { MEDIAN_OF_NORMAL } from '../../../../src/statistics/robust-scale.ts';
import { cycleOfRuns } from './calendar.ts';
import {
  CANDIDATES,
  type CourseDraft,
  type CoursePart,
  columnOf,
  confirmed,
  fitAround,
  forward,
  LEAST_RUNS,
  sampleOf,
  searchCourse,
} from './course-parts.ts';
import { deletedResiduals, emptyKnowns, type Fit, fitOf, type IndexRange, informationOn, knownFrom, knownUntil } from './fit.ts';
import type { NoiseShape } from './kalman.ts';
import { dotOf } from './linear.ts';
import { type Likely, learnRunNoise, type RunScale, shapeOf } from './run-noise.ts';

/** A part with the chance that a series without any change would show as strong a one. */
export interface Confirmed {
  readonly part: CoursePart;
  readonly p: number;
  /** Its height and standard error on the log scale, all parts together; of a line, a day. */
  readonly effect: number;
  readonly error: number;
  /** First and last run at which each edge may lie, 95 %: of a step the first one alone. */
  readonly began: IndexRange;
  readonly ended: IndexRange | undefined;
}

/** The course of a series of runs: its levels over time, its cycle and its noise, on the log scale. */
export interface Course {
  readonly scale: RunScale;
  readonly parts: readonly Confirmed[];
  readonly noise: NoiseShape;
  /** The effect of hour and weekday on each run. */
  readonly cycle: Float64Array;
  /** Level of each run by the parts, without the cycle. */
  readonly level: Float64Array;
  /** 1 for a run that lies far off. */
  readonly isFar: Uint8Array;
}
/** Deviations from which a run is far off, in standard deviations of what all others foretell; in the first look of the usual scatter. */
const FAR = 3;
const CLIPPED = 3;
/** Times at most that far runs are looked for: the neighbours of one look odd beside it. */
const ROUNDS = 8;
/** Share of runs up to which they may be far off. */
const MOST_FAR = 0.2;
/** Runs in a row that lie far off by chance are less likely than this over the whole series. */
const ROW_OF_FAR = 0.003;
const SHORTEST = { least: 3, most: 12 } as const;
/** Days on each side from which the level of a day is taken: a week has the same weekdays wherever it begins. */
const HALF_WEEK = 3;

/** The median of the week around each run's day; a shift of level passes it unchanged. */
function weeklyLevel(x: Float64Array, day: Int32Array): Float64Array {
  const level = new Float64Array(x.length);
  const [first = 0, last = 0] = [day[0], day.at(-1)];
  for (let from = 0, to = 0; from < x.length; from = to) {
    const own = nth(day, from);
    while (to < x.length && day[to] === own) to += 1;
    const middle = Math.max(first + HALF_WEEK, Math.min(last - HALF_WEEK, own));
    const low = day.findIndex((each) => each >= middle - HALF_WEEK);
    const high = day.findLastIndex((each) => each <= middle + HALF_WEEK) + 1;
    level.fill(median(x.subarray(low, high)), from, to);
  }
  return level;
}

/** The length from which a row of runs hardly ever consists of far ones. */
function shortestLevel(isFar: Uint8Array): number {
  const share = isFar.reduce((sum, far) => sum + far, 0) / isFar.length;
  const least = Math.ceil(Math.log(isFar.length / ROW_OF_FAR) / -Math.log(Math.max(share, 1e-4)));
  return Math.min(SHORTEST.most, Math.max(SHORTEST.least, least));
}

/** Runs that lie far off from what all others foretell, around some parts. */
function farRuns(draft: CourseDraft, parts: readonly CoursePart[], start: Likely): { draft: CourseDraft; noise: Likely } {
  const { columns } = sampleOf(draft, parts);
  let { isFar } = draft;
  let noise = start;
  const learn = () => learnRunNoise(sampleOf({ ...draft, isFar }, parts), draft.hasDays, noise);
  for (let round = 0; round < ROUNDS; round += 1) {
    const shape = shapeOf(noise, isFar);
    const residuals = deletedResiduals(fitOf(draft.x, draft.scale.timing, columns, shape), shape.sampling);
    const next = Uint8Array.from(residuals, (residual) => Number(Math.abs(residual) > FAR));
    const isSame = next.every((far, at) => far === isFar[at]);
    isFar = next;
    if (isSame) break;
    // Far runs hide how much the others resemble each other, and so further ones.
    noise = learn();
  }
  // Where the exceptions are too many, the scatter is as wide as they make it.
  if (isFar.reduce((sum, far) => sum + far, 0) > MOST_FAR * isFar.length) {
    isFar = new Uint8Array(isFar.length);
    noise = learn();
  }
  return { draft: { ...draft, isFar, shortest: shortestLevel(isFar) }, noise };
}

/** Frees runs of their cycle around a level, finds those that lie far off, and looks for the level anew. */
function courseAround(scale: RunScale, around: Float64Array, parts: readonly CoursePart[] | undefined, hasDays: boolean, times: number) {
  const size = scale.logs.length;
  const deviations = scale.logs.map((log, at) => log - nthDouble(around, at));
  const cycle = cycleOfRuns(deviations, scale.local);
  const left = deviations.map((deviation, at) => deviation - nthDouble(cycle, at));
  const most = (CLIPPED * median(left.map(Math.abs))) / MEDIAN_OF_NORMAL;
  const none = { scale, isFar: new Uint8Array(size), hasDays, shortest: Math.min(LEAST_RUNS >> 1, size >> 3) };
  const clipped: CourseDraft = { ...none, x: left.map((value, at) => nthDouble(around, at) + Math.max(-most, Math.min(most, value))) };
  // What lasts is taken out first, so that its runs are not taken for far ones.
  const rough = learnRunNoise(sampleOf(clipped, parts ?? []), hasDays);
  const lasting = parts ?? forward(clipped, fitAround(clipped, [], rough), [], CANDIDATES);
  const start = lasting === parts ? rough : learnRunNoise(sampleOf(clipped, lasting), hasDays, rough);
  const freed = scale.logs.map((log, at) => log - nthDouble(cycle, at));
  const { draft, noise } = farRuns({ ...none, x: freed }, lasting, start);
  const candidates = searchCourse(draft, noise, CANDIDATES);
  return { draft, cycle, ...confirmed(draft, candidates, noise, times) };
}

/** Runs a day, at the middle, from which on days may have a level of their own. */
const LEAST_OF_DAY = 3;

function sharesDays({ local: { day } }: RunScale): boolean {
  const counts = new Map<number, number>();
  for (const each of day) counts.set(each, (counts.get(each) ?? 0) + 1);
  return median([...counts.values()]) >= LEAST_OF_DAY;
}

/** Deviance that a place may lie above the best one and still be in the range: about 95 % of ranges hold the true place. */
const RANGE_DEVIANCE = 7;

/** The runs between which an edge of a part lies, the other edge fixed. */
function rangeOf(fit: Fit, part: CoursePart, edge: 'from' | 'to'): IndexRange {
  const { size } = fit;
  const known = emptyKnowns(size);
  const { weights, scores } = edge === 'from' ? knownUntil(fit, part.to, known) : knownFrom(fit, part.from, size - 1, known);
  const gainAt = (place: number) => (nthDouble(weights, place) > 0 ? nthDouble(scores, place) ** 2 / nthDouble(weights, place) : 0);
  const most = gainAt(part[edge]);
  const [lowest, highest] = edge === 'from' ? [1, part.to - 1] : [part.from + 1, Math.min(size - 1, 2 * part.to - part.from)];
  let [from, to] = [part[edge], part[edge]];
  for (let place = lowest; place <= highest; place += 1)
    if (most - gainAt(place) <= RANGE_DEVIANCE) [from, to] = [Math.min(from, place), Math.max(to, place)];
  return { from: from - 1, to };
}

/** Fits the course of a series twice: around the level of the week, which shifts of level hardly touch, then around the first course. */
export function courseOf(scale: RunScale): Course {
  const hasDays = sharesDays(scale);
  const size = scale.logs.length;
  const levelBy = (parts: readonly CoursePart[], fit: Fit) => {
    const level = new Float64Array(size).fill(nthDouble(fit.coefficients, 0));
    for (const [index, part] of parts.entries()) {
      const { values } = columnOf(part, scale);
      for (let at = 0; at < size; at += 1)
        level[at] = nthDouble(level, at) + nthDouble(fit.coefficients, index + 1) * nthDouble(values, at);
    }
    return level;
  };
  const first = courseAround(scale, weeklyLevel(scale.logs, scale.local.day), undefined, hasDays, CANDIDATES);
  const parts = first.tested.map(({ part }) => part);
  const around = levelBy(parts, fitAround(first.draft, parts, first.noise));
  const { draft, cycle, tested, noise } = courseAround(scale, around, parts, hasDays, 1);
  const found = tested.map(({ part }) => part);
  const fit = fitAround(draft, found, noise);
  return {
    scale,
    noise: shapeOf(noise, draft.isFar),
    cycle,
    level: levelBy(found, fit),
    isFar: draft.isFar,
    parts: tested.map(({ part, logP }, index): Confirmed => {
      const rest = fitAround(draft, [...found.slice(0, index), ...found.slice(index + 1)], noise);
      const values = columnOf(part, scale).values;
      return {
        part,
        p: Math.exp(logP),
        effect: nthDouble(fit.coefficients, index + 1),
        error: 1 / Math.sqrt(dotOf(informationOn(rest, values), values)),
        began: part.kind === 'line' ? { from: 0, to: size } : rangeOf(rest, part, 'from'),
        ended: part.kind === 'bump' ? rangeOf(rest, part, 'to') : undefined,
      };
    }),
  };
}
