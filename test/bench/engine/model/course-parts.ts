import { nth } from '../../../../src/lib/nth.ts';
import { logTail, scoreOfTail } from '../../../../src/statistics/tails.ts';
import {
  changeColumn,
  emptyKnowns,
  type Fit,
  fitOf,
  type IndexRange,
  informationOn,
  knownOf,
  type Regressor,
  singleWeights,
  without,
  withoutInterval,
} from './fit.ts';
import { bumpDeltas, bumpLengths, logOfBump, logOfStep, stepDeltas } from './limits.ts';
import { dotOf } from './linear.ts';
import { HIGHEST_PHI, type Likely, learnRunNoise, type RunScale, type Sample, shapeOf } from './run-noise.ts';
import { clearest, moveEdges, type Quest } from './search.ts';

/** One element of the course of a level: a step lasts to the end, a line is all. */
export interface CoursePart extends IndexRange {
  readonly kind: 'step' | 'bump' | 'line';
}

/** A part as a column of its own. */
export const columnOf = ({ kind, from, to }: CoursePart, { days }: RunScale): Regressor =>
  kind === 'line' ? { of: 'slope', values: days, mean: 0, sd: Number.POSITIVE_INFINITY } : changeColumn(days.length, { from, to });

const levelColumn = (size: number) => changeColumn(size, { from: 0, to: size });
/** Chance that a series without any change shows one of a kind; together below 1 %. */
const LEVELS: Readonly<Record<CoursePart['kind'], number>> = { step: 0.005, bump: 0.001, line: 0.001 };
/** A score about as large as parts need, at which the number of independent places is taken. */
const USUAL_LIMIT = 4;
/** How many times the chance of a step the second edge of a bump may have: to have come back is more than to have left. */
const EDGE = 2.5;
/** How many times that chance a part may have to be looked at closely. */
export const CANDIDATES = 20;
/** More changes than this are no course of levels. */
const MOST_PARTS = 7;
/** Runs that a bump, and the level before the first change, last for at least; in short series an eighth of all. */
export const LEAST_RUNS = 12;
/** A course under way: what is known of the noise, and the runs that are taken for far ones. */
export interface CourseDraft {
  readonly x: Float64Array;
  readonly scale: RunScale;
  readonly isFar: Uint8Array;
  readonly shortest: number;
  readonly hasDays: boolean;
}

/** The sample that the noise around some parts is learned from. */
export const sampleOf = ({ x, scale, isFar }: CourseDraft, parts: readonly CoursePart[]): Sample => ({
  x,
  timing: scale.timing,
  columns: [levelColumn(x.length), ...parts.map((part) => columnOf(part, scale))],
  isFar,
  floor: scale.floor,
});

/** The information of all runs beside some parts. */
export const fitAround = (draft: CourseDraft, parts: readonly CoursePart[], noise: Likely): Fit =>
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
export function forward(draft: CourseDraft, fit: Fit, start: readonly CoursePart[], times: number): readonly CoursePart[] {
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
export function searchCourse(draft: CourseDraft, noise: Likely, times: number): readonly CoursePart[] {
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
    const taken = new Set(others.flatMap(({ from, to }) => [from, to]));
    const [simpler] = [part.from, part.to]
      .filter((from) => !taken.has(from))
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
export function confirmed(draft: CourseDraft, candidates: readonly CoursePart[], start: Likely, times: number): Tested {
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
