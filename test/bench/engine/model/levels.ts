import { nth, nthDouble } from '../../../../src/lib/nth.ts';
import { ascending, median, quantile } from '../../../../src/statistics/order.ts';
import type { Confirmed, Course } from './course.ts';
import type { IndexRange } from './fit.ts';
import type { LeastChange } from './run-noise.ts';

/** Runs between two changes of level. */
export interface Plateau extends IndexRange {
  /** Level above that of the first plateau, log scale, freed of cycle and drift. */
  readonly height: number;
  /** The runs between which it began; undefined for the first one. */
  readonly began: IndexRange | undefined;
}

/** Parts whose size matters: both limits must be reached, by a line over all its days. */
export function partsThatCount({ parts, scale: { days, middle, offset } }: Course, least: LeastChange): Confirmed[] {
  const span = (days.at(-1) ?? 0) - nthDouble(days, 0);
  return parts.filter(({ part, effect }) => {
    const whole = Math.abs(Math.expm1(part.kind === 'line' ? effect * span : effect));
    return whole >= least.relative && whole * (middle - offset) >= least.absolute;
  });
}

/** The plateaus of a course in order; without a part that counts there is one. */
export function plateausOf(runs: number, counted: readonly Confirmed[]): Plateau[] {
  const edges = counted.flatMap(({ part: { kind, from, to }, effect, began, ended }) => {
    if (kind === 'line') return [];
    const begin = { at: from, rise: effect, began };
    return kind === 'step' || !ended ? [begin] : [begin, { at: to, rise: -effect, began: ended }];
  });
  const inOrder = edges.filter(({ at }) => at < runs).toSorted((a, b) => a.at - b.at);
  let height = 0;
  const plateaus: Plateau[] = [{ from: 0, to: inOrder[0]?.at ?? runs, height, began: undefined }];
  for (const [index, { at, rise, began }] of inOrder.entries()) {
    height += rise;
    plateaus.push({ from: at, to: inOrder[index + 1]?.at ?? runs, height, began });
  }
  return plateaus;
}

/** Levels count as the same again where they differ by less than this share of the excursion between them. */
const SAME_SHARE = 0.2;

const isSame = (a: Plateau, b: Plateau, excursion: number, { relative }: LeastChange) =>
  Math.abs(a.height - b.height) < Math.max(Math.log1p(relative), SAME_SHARE * Math.abs(excursion));

/** Plateaus `first` … `back` − 1 leave a level that the one at `back` is at again. */
export interface Excursion {
  readonly first: number;
  readonly back: number;
}

/**
 * Stretches that leave a level and come back to it while most runs are at it; longest first would hide short ones, so each plateau
 * opens one.
 */
export function excursionsIn(plateaus: readonly Plateau[], least: LeastChange): Excursion[] {
  const found: Excursion[] = [];
  const runsIn = (some: readonly Plateau[]) => some.reduce((sum, { from, to }) => sum + to - from, 0);
  for (let first = 1; first < plateaus.length - 1; first += 1) {
    const [base, away] = [plateaus[first - 1], plateaus[first]];
    if (!base || !away) continue;
    const back = plateaus.findIndex((each, place) => place > first && isSame(each, base, away.height - base.height, least));
    if (back < 0) continue;
    const outside = plateaus.filter((_, place) => place < first || place >= back);
    if (runsIn(plateaus.slice(first, back)) > runsIn(outside)) continue;
    found.push({ first, back });
    first = back - 1;
  }
  return found;
}

/** The plateaus outside of all excursions, neighbours at one level joined: each group after the first is a change that lasts. */
export function lastingLevels(plateaus: readonly Plateau[], excursions: readonly Excursion[], least: LeastChange): Plateau[][] {
  const groups: Plateau[][] = [];
  for (const [place, plateau] of plateaus.entries()) {
    if (excursions.some(({ first, back }) => place >= first && place < back)) continue;
    const group = groups.at(-1);
    const isBack = excursions.some(({ back }) => back === place);
    if (group?.[0] && (isBack || isSame(group[0], plateau, 0, least))) group.push(plateau);
    else groups.push([plateau]);
  }
  return groups;
}

/** The level of some runs, in the unit of the metric. */
export interface RunLevel {
  readonly median: number;
  /** Of the values freed of weekday and hour: what a typical hour of the week would show. */
  readonly typical: number;
  readonly p25: number;
  readonly p75: number;
  readonly runs: number;
}

/** The level of some runs, by their places. */
export function levelAt({ scale: { logs, middle, offset }, cycle }: Course, places: readonly number[]): RunLevel {
  const valueOf = (log: number) => middle * Math.exp(log) - offset;
  const own = ascending(places.map((place) => nthDouble(logs, place)));
  const at = (share: number) => valueOf(quantile(own, share));
  const typical = valueOf(median(places.map((place) => nthDouble(logs, place) - nthDouble(cycle, place))));
  return { median: at(0.5), typical, p25: at(0.25), p75: at(0.75), runs: places.length };
}

/** The level of the runs of some plateaus together. */
export function levelOf(course: Course, plateaus: readonly IndexRange[]): RunLevel {
  return levelAt(
    course,
    plateaus.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index)),
  );
}

/** Interquartile range over the middle, freed of levels and cycle. */
export function scatterOf({ scale: { logs, middle, offset }, cycle, level }: Course): number {
  const deviations = ascending(logs.map((log, at) => log - nthDouble(cycle, at) - nthDouble(level, at)));
  const range = Math.exp(quantile(deviations, 0.75)) - Math.exp(quantile(deviations, 0.25));
  return middle > offset ? (range * middle) / (middle - offset) : 0;
}

/**
 * The change that the present level is owed to: the largest in the direction in which the level has gone since, those from a run on first.
 */
export function leadingChange(groups: readonly (readonly Plateau[])[], from: number): { readonly place: number } | undefined {
  const heightOf = (place: number) => groups[place]?.[0]?.height ?? 0;
  const now = heightOf(groups.length - 1);
  const changes = groups.slice(1).map((group, index) => ({
    place: index + 1,
    at: nth(
      group.map((each) => each.from),
      0,
    ),
    rise: heightOf(index + 1) - heightOf(index),
  }));
  const felt = changes.filter(({ place, rise }) => (now - heightOf(place - 1)) * rise > 0);
  return (felt.length > 0 ? felt : changes.slice(-1)).toSorted(
    (a, b) => Number(b.at >= from) - Number(a.at >= from) || Math.abs(b.rise) - Math.abs(a.rise),
  )[0];
}
