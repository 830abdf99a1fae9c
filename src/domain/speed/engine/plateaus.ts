import { nth, nthDouble } from '../../../lib/nth.ts';
import type { Course } from './course.ts';
import { fitParts, gainOf, heightsOf, type Part } from './gls.ts';
import { type Effect, type Level, levelOf, type RunSeries, type Span, valueAt } from './run-series.ts';

/** Runs between two changes of level. */
export interface Plateau {
  /** Places in the series; `to` is the first run after it. */
  readonly from: number;
  readonly to: number;
  /** Level above that of the first plateau, log scale, freed of cycle and drift. */
  readonly height: number;
  /** Between which instants the plateau began; undefined for the first one. */
  readonly beganIn: Span | undefined;
}

/** Deviance that a place may lie above the best one and still be in the range: about 95 % of ranges hold the true place. */
const RANGE_DEVIANCE = 7;

/** A part that is large enough to matter. */
export interface CountedPart {
  readonly part: Part;
  /** Log scale; of a line, a day. */
  readonly height: number;
  /** Chance that a series without any change would show as strong a part. */
  readonly p: number;
}

/** The parts of a course without the differences that are too small to matter. */
export function partsThatCount(course: Course, median: number, effect: Effect): CountedPart[] {
  const parts = course.found.map(({ part }) => part);
  const heights = heightsOf(course.frame, parts);
  const { days } = course.runs;
  const spanDays = (days.at(-1) ?? 0) - nthDouble(days, 0);
  return course.found.flatMap(({ part, p }, index) => {
    const height = nth(heights, index + 1);
    const whole = Math.expm1(part.kind === 'line' ? height * spanDays : height);
    const counts = Math.abs(whole) >= effect.relative && Math.abs(whole) * median >= effect.absolute;
    return counts ? [{ part, height, p }] : [];
  });
}

/** Chances up to which parts count: all of them, and those that last in a series in which none is as sure as that. */
export interface HighestP {
  readonly any: number;
  readonly onlyLasting: number;
}

/** Beside a clear change a less clear one is often a dip before it, whose level would pass for the one before; not beside episodes. */
export function sureParts(parts: readonly CountedPart[], highest: HighestP | undefined): CountedPart[] {
  if (highest === undefined) return [...parts];
  const sure = parts.filter(({ p }) => p <= highest.any);
  const lasts = ({ part }: CountedPart) => part.kind !== 'bump';
  return sure.some(lasts) ? sure : parts.filter((each) => each.p <= (lasts(each) ? highest.onlyLasting : highest.any));
}

/** The instants between which an edge of a part lies, the other edges fixed. */
function rangeOf(course: Course, part: Part, edge: 'from' | 'to', dates: readonly number[]): Span {
  const others = course.found.map((each) => each.part).filter((other) => other !== part);
  const fit = fitParts(course.frame, others);
  const n = course.frame.series.length;
  const gainAt = (place: number) => (edge === 'from' ? gainOf(fit, place, part.to) : gainOf(fit, part.from, place));
  const most = gainAt(part[edge]);
  const [lowest, highest] = edge === 'from' ? [1, part.to - 1] : [part.from + 1, n - 1];
  let [low, high] = [part[edge], part[edge]];
  for (let place = lowest; place <= highest; place += 1) {
    if (most - gainAt(place) > RANGE_DEVIANCE) continue;
    low = Math.min(low, place);
    high = Math.max(high, place);
  }
  const dateOf = (place: number) => nth(dates, nth(course.kept, place));
  return { startMs: dateOf(low - 1), endMs: dateOf(high) };
}

/** The plateaus of a course in order; without a part that counts there is one. */
export function plateausOf(course: Course, counted: readonly CountedPart[], dates: readonly number[]): Plateau[] {
  const n = dates.length;
  const place = (index: number) => course.kept[index] ?? n;
  const edges = counted.flatMap(({ part, height }) => {
    if (part.kind === 'line') return [];
    const begin = { at: place(part.from), height, part, edge: 'from' as const };
    return part.kind === 'step' ? [begin] : [begin, { at: place(part.to), height: -height, part, edge: 'to' as const }];
  });
  const inOrder = edges.filter(({ at }) => at < n).toSorted((a, b) => a.at - b.at);
  let height = 0;
  const plateaus: Plateau[] = [{ from: 0, to: inOrder[0]?.at ?? n, height, beganIn: undefined }];
  for (const [index, { at, height: rise, part, edge }] of inOrder.entries()) {
    height += rise;
    plateaus.push({ from: at, to: inOrder[index + 1]?.at ?? n, height, beganIn: rangeOf(course, part, edge, dates) });
  }
  return plateaus;
}

/** The level of the runs of some plateaus together. */
export function levelIn({ values }: RunSeries, course: Course, plateaus: readonly Plateau[]): Level {
  const places = plateaus.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
  const adjusted = places.map((place) => valueAt(nthDouble(course.logs, place) - nthDouble(course.cycle, place), course));
  return levelOf(
    places.map((place) => values[place] ?? Number.NaN),
    adjusted,
  );
}
