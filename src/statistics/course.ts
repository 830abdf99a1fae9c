import { nth, nthDouble } from '../lib/nth.ts';
import { cycleOfRuns } from './calendar.ts';
import {
  changeColumn,
  deletedResiduals,
  emptyKnowns,
  type Fit,
  fitOf,
  type IndexRange,
  informationOn,
  knownFrom,
  knownOf,
  knownUntil,
  type Regressor,
  singleWeights,
  without,
  withoutInterval,
} from './fit.ts';
import type { NoiseShape } from './kalman.ts';
import { bumpDeltas, bumpLengths, logOfBump, logOfStep, stepDeltas } from './limits.ts';
import { dotOf } from './linear.ts';
import { median } from './order.ts';
import { MEDIAN_OF_NORMAL } from './robust-scale.ts';
import { HIGHEST_PHI, type Likely, learnRunNoise, type RunScale, type Sample, shapeOf } from './run-noise.ts';
import { clearest, moveEdges, type Quest } from './search.ts';
import { logTail, scoreOfTail } from './tails.ts';

/** One element of the course of a level: a step lasts to the end, a line is all. */
export interface CoursePart extends IndexRange {
  readonly kind: 'step' | 'bump' | 'line';
}

const columnOf = ({ kind, from, to }: CoursePart, { days }: RunScale): Regressor =>
  kind === 'line' ? { of: 'slope', values: days, mean: 0, sd: Number.POSITIVE_INFINITY } : changeColumn(days.length, { from, to });

const levelColumn = (size: number) => changeColumn(size, { from: 0, to: size });

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

/** Chance that a series without any change shows one of a kind; together below 1 %. */
const LEVELS: Readonly<Record<CoursePart['kind'], number>> = { step: 0.005, bump: 0.001, line: 0.001 };
/** A score about as large as parts need, at which the number of independent places is taken. */
const USUAL_LIMIT = 4;
/** How many times the chance of a step the second edge of a bump may have: to have come back is more than to have left. */
const EDGE = 2.5;
/** How many times that chance a part may have to be looked at closely. */
const CANDIDATES = 20;
/** More changes than this are no course of levels. */
const MOST_PARTS = 7;
/** Runs that a bump, and the level before the first change, last for at least; in short series an eighth of all. */
const LEAST_RUNS = 12;
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

/** A course under way: what is known of the noise, and the runs that are taken for far ones. */
interface CourseDraft {
  readonly x: Float64Array;
  readonly scale: RunScale;
  readonly isFar: Uint8Array;
  readonly shortest: number;
  readonly hasDays: boolean;
}

const sampleOf = ({ x, scale, isFar }: CourseDraft, parts: readonly CoursePart[]): Sample => ({
  x,
  timing: scale.timing,
  columns: [levelColumn(x.length), ...parts.map((part) => columnOf(part, scale))],
  isFar,
  floor: scale.floor,
});

const fitAround = (draft: CourseDraft, parts: readonly CoursePart[], noise: Likely): Fit =>
  fitOf(draft.x, draft.scale.timing, sampleOf(draft, parts).columns, shapeOf(noise, draft.isFar));

const minimumOf = (size: number) => Math.min(LEAST_RUNS, Math.floor(size / 8));

/** The quest for steps or bumps of runs beside some parts: no level may be shorter than what far runs in a row make. */
function questOf(
  { x: { length }, shortest }: CourseDraft,
  shape: 'step' | 'bump',
  beside: readonly CoursePart[],
): Quest & { readonly shortest: number } {
  const least = Math.max(shortest, minimumOf(length));
  const closed = new Uint8Array(length + 1);
  for (const { kind, from, to } of beside)
    for (const edge of kind === 'line' ? [] : [from, to])
      closed.fill(1, Math.max(0, edge - shortest + 1), Math.min(length + 1, edge + shortest));
  closed.fill(1, length - shortest + 1);
  const leastBump = Math.max(2 * shortest, least);
  const places = { from: least, to: length - shortest + 1, level: 1, longest: length >> 1, isCoarse: true, closed };
  return { shape, ...places, shortest: shape === 'step' ? shortest : leastBump };
}

const chanceOfLine = (gain: number) => logTail(Math.sqrt(Math.max(0, gain)));

/** How clear the line is beside what a fit takes out. */
function gainOfLine(fit: Fit, days: Float64Array): number {
  const weight = dotOf(informationOn(fit, days), days);
  return dotOf(fit.score, days) ** 2 / Math.max(weight, Number.MIN_VALUE);
}

/** Takes a part out of what is known. */
const takenOut = (fit: Fit, part: CoursePart, { days }: RunScale): Fit =>
  part.kind === 'line' ? without(fit, days) : withoutInterval(fit, part);

/** Moves each part to its best place given the others. */
function refined(draft: CourseDraft, fit: Fit, parts: readonly CoursePart[]): CoursePart[] {
  const moved = [...parts];
  for (const [index, part] of parts.entries()) {
    if (part.kind === 'line') continue;
    const rest = moved.filter((_, other) => other !== index).reduce((left, other) => takenOut(left, other, draft.scale), fit);
    const quest = questOf(
      draft,
      part.kind,
      moved.filter((_, other) => other !== index),
    );
    const found =
      part.kind === 'step'
        ? clearest(rest, quest, draft.x.length)
        : moveEdges(rest, { ...part, score: Math.sign(knownOf(rest, part).score) * Number.MIN_VALUE }, quest, quest.shortest);
    if (found) moved[index] = { kind: part.kind, from: found.from, to: found.to };
  }
  return moved;
}

/** Adds the part that exceeds its limit by most until none does, on top of others. */
function forward(draft: CourseDraft, fit: Fit, start: readonly CoursePart[], times: number): readonly CoursePart[] {
  let parts = start;
  while (parts.length < MOST_PARTS) {
    const left = parts.reduce((rest, part) => takenOut(rest, part, draft.scale), fit);
    const [best] = (['step', 'bump'] as const)
      .flatMap((shape) => clearest(left, questOf(draft, shape, parts), draft.x.length) ?? [])
      .map((found) => ({ found, beyond: Math.log(times * LEVELS[found.shape === 'step' ? 'step' : 'bump']) - found.logP }))
      .toSorted((a, b) => b.beyond - a.beyond);
    if (!best || best.beyond <= 0) break;
    const part: CoursePart = { kind: best.found.shape === 'step' ? 'step' : 'bump', from: best.found.from, to: best.found.to };
    parts = parts.length === 0 ? [part] : refined(draft, fit, [...parts, part]);
  }
  return parts;
}

/** Standard errors that the autocorrelation may be higher by: three in long series, more where it is known badly. */
const phiErrors = (runs: number) => Math.max(3, 300 / runs);

/** Logarithm of the chance of a part that lowers the deviance by so much, at any of the places where it is looked for. */
function logChanceOf(draft: CourseDraft, rest: Fit, part: CoursePart, gain: number): number {
  const size = draft.x.length;
  const score = Math.sqrt(Math.max(0, gain));
  if (part.kind === 'line') return chanceOfLine(gain);
  const quest = questOf(draft, part.kind, []);
  if (part.kind === 'step') return logOfStep(score, stepDeltas(rest, quest.from, quest.to), size);
  const lengths = bumpLengths(quest.shortest, size >> 1);
  const index = Math.max(
    0,
    lengths.findLastIndex((length) => length <= part.to - part.from),
  );
  const length = nth(lengths, Math.min(index, lengths.length - 2));
  const places = { from: quest.from, to: Math.max(quest.from + 1, size - length) };
  const count = (places.to - places.from) * (nth(lengths, Math.min(index, lengths.length - 2) + 1) - length);
  return logOfBump(score, count, bumpDeltas(rest, places, length, singleWeights(rest), emptyKnowns(size)), lengths.length - 1, size);
}

/** The square of the score that a part needs by itself. */
function neededBy(draft: CourseDraft, fit: Fit, part: CoursePart): number {
  const count = logChanceOf(draft, fit, part, USUAL_LIMIT ** 2) - logTail(USUAL_LIMIT);
  return scoreOfTail(Math.log(LEVELS[part.kind]) - count) ** 2;
}

/** The course of levels that explains a series best: levels with steps and bumps, or a line with these on top. */
function search(draft: CourseDraft, noise: Likely, times: number): readonly CoursePart[] {
  const fit = fitAround(draft, [], noise);
  const levels = forward(draft, fit, [], times);
  const { days } = draft.scale;
  if (chanceOfLine(gainOfLine(fit, days)) > Math.log(times * LEVELS.line)) return levels;
  const sloped = forward(draft, fit, [{ kind: 'line', from: 0, to: draft.x.length }], times);
  // Each with its own noise: levels that were not seen pass for days with a level of their own.
  const costOf = (parts: readonly CoursePart[]) =>
    parts.reduce((sum, part) => sum + neededBy(draft, fit, part), learnRunNoise(sampleOf(draft, parts), draft.hasDays, noise).deviance);
  return costOf(sloped) < costOf(levels) ? sloped : levels;
}

/** The parts with a step in place of the first bump one of whose edges is not needed. */
function withoutNeedlessEdge(draft: CourseDraft, parts: readonly CoursePart[], noise: Likely): CoursePart[] | undefined {
  const { length } = draft.x;
  for (const part of parts.filter(({ kind }) => kind === 'bump')) {
    const others = parts.filter((other) => other !== part);
    const taken = others.flatMap(({ from, to }) => [from, to]);
    const [simpler] = [part.from, part.to]
      .filter((from) => !taken.includes(from))
      .map((from): CoursePart => ({ kind: 'step', from, to: length }))
      .map((step) => ({ step, ...learnRunNoise(sampleOf(draft, [...others, step]), draft.hasDays, noise) }))
      .toSorted((a, b) => a.deviance - b.deviance);
    if (!simpler) continue;
    const rest = fitAround(draft, [...others, simpler.step], noise);
    const edge: CoursePart = { kind: 'step', from: part.to, to: length };
    if (logChanceOf(draft, rest, edge, simpler.deviance - noise.deviance) > Math.log(EDGE * LEVELS.step)) return [...others, simpler.step];
  }
  return undefined;
}

/** Parts with the logarithm of their chance, and the noise around them. */
interface Tested {
  readonly tested: readonly { readonly part: CoursePart; readonly logP: number }[];
  readonly noise: Likely;
}

/**
 * Keeps the parts that the likelihood asks for: each must exceed its limit also where the noise is learned anew without it, so that slow
 * waves are not taken for changes of level by a noise that was learned around these very changes. The autocorrelation may then be higher,
 * but no higher than the series with the part leaves possible (Berger and Boos 1994).
 */
function confirmed(draft: CourseDraft, candidates: readonly CoursePart[], start: Likely, times: number): Tested {
  let parts = [...candidates];
  const size = draft.x.length;
  for (;;) {
    const noise = learnRunNoise(sampleOf(draft, parts), draft.hasDays, start);
    const highest = Math.min(HIGHEST_PHI, noise.phi + phiErrors(size) * Math.sqrt((1 - noise.phi ** 2) / size));
    const tested = parts.map((part) => {
      const others = parts.filter((other) => other !== part);
      const anew = learnRunNoise(sampleOf(draft, others), draft.hasDays, noise, highest);
      const logP = logChanceOf(draft, fitAround(draft, others, anew), part, anew.deviance - noise.deviance);
      return { part, logP, beyond: Math.log(times * LEVELS[part.kind]) - logP };
    });
    const weakest = tested.toSorted((a, b) => a.beyond - b.beyond)[0];
    const isDone = !weakest || weakest.beyond > 0;
    const rest = isDone ? withoutNeedlessEdge(draft, parts, noise) : parts.filter((part) => part !== weakest.part);
    if (!rest) return { tested, noise };
    parts = refined(draft, fitAround(draft, [], noise), rest);
  }
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
  const candidates = search(draft, noise, CANDIDATES);
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
