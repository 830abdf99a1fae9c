import { quantile } from 'simple-statistics';
import { nth, nthDouble } from '../../../lib/nth.ts';
import { keptFit } from '../../../statistics/kept-fits.ts';
import { type Course, fitCourse } from './course.ts';
import { fitParts, gainOf, heightsOf, type Part } from './gls.ts';
import { type Effect, type Level, levelOf, type Move, type RunSeries, type Span, valueAt } from './run-series.ts';

/** Runs between two changes of level. */
interface Plateau {
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
interface CountedPart {
  readonly part: Part;
  /** Log scale; of a line, a day. */
  readonly height: number;
  /** Chance that a series without any change would show as strong a part. */
  readonly p: number;
}

/** The parts of a course without the differences that are too small to matter. */
function partsThatCount(course: Course, median: number, effect: Effect): CountedPart[] {
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
interface HighestP {
  readonly any: number;
  readonly onlyLasting: number;
}

/** Beside a clear change a less clear one is often a dip before it, whose level would pass for the one before; not beside episodes. */
function sureParts(parts: readonly CountedPart[], highest: HighestP | undefined): CountedPart[] {
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
function plateausOf(course: Course, counted: readonly CountedPart[], dates: readonly number[]): Plateau[] {
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
function levelIn({ values }: RunSeries, course: Course, plateaus: readonly Plateau[]): Level {
  const places = plateaus.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, index) => from + index));
  const adjusted = places.map((place) => valueAt(nthDouble(course.logs, place) - nthDouble(course.cycle, place), course));
  return levelOf(
    places.map((place) => values[place] ?? Number.NaN),
    adjusted,
  );
}

/** Fewer runs than this in all, or in the period, are not enough to say anything. */
const NEEDED = { runs: 10, inPeriod: 3 } as const;
/** Interquartile range over median from which runs scatter too much to be relied on singly. */
const UNSTABLE_FROM = 0.32;
/** Levels count as the same again where they differ by less than this share of the excursion between them. */
const SAME_SHARE = 0.2;

/** The states of a series, the worst first; `two levels` is one that several readings of it find together. */
export const SPEED_STATES = [
  'slower',
  'drifting',
  'two levels',
  'was slower',
  'unstable',
  'faster',
  'was faster',
  'steady',
  'not enough data',
] as const;

/** The course of a series, in a word. */
export type State = (typeof SPEED_STATES)[number];

/** The verdict on a series. */
export interface Verdict {
  readonly state: State;
  /** Of the latest plateau, or of all runs where there is one only; undefined with too few runs. */
  readonly level: Level | undefined;
  /** Chance that a series without any change shows one as strong; 1 where none was found, undefined with too few runs. */
  readonly p: number | undefined;
  /** The move that the state is about. */
  readonly move: Move | undefined;
  /** All lasting steps, then all episodes, each oldest first. */
  readonly moves: readonly Move[];
}

/** The period to judge, and the size of changes that matter. */
export interface JudgeOptions {
  readonly period: Span;
  readonly effect: Effect;
  /** IANA zone whose hours and weekdays the cycle follows. */
  readonly timeZone: string;
  /** Parts with a higher chance count as none; what the search asks when left out. */
  readonly highestP?: HighestP | undefined;
}

/** The parts of a series' course, as verdicts use them. */
interface Study {
  readonly series: RunSeries;
  readonly course: Course;
  readonly counted: readonly CountedPart[];
  readonly plateaus: readonly Plateau[];
  readonly options: JudgeOptions;
}

function isSame(a: number, b: number, excursion: number, { relative }: Effect): boolean {
  return Math.abs(a - b) < Math.max(Math.log1p(relative), SAME_SHARE * Math.abs(excursion));
}

const length = ({ from, to }: Plateau) => to - from;

/**
 * Stretches that leave a level and come back to it while most runs are at it; longest first would hide short ones, so each plateau opens
 * one.
 */
function excursionsIn({ plateaus, options: { effect } }: Study): { first: number; back: number }[] {
  const found: { first: number; back: number }[] = [];
  for (let first = 1; first < plateaus.length - 1; first += 1) {
    const base = plateaus[first - 1];
    const away = plateaus[first];
    if (!base || !away) continue;
    const excursion = away.height - base.height;
    const back = plateaus.findIndex((each, place) => place > first && isSame(each.height, base.height, excursion, effect));
    if (back < 0) continue;
    const outside = plateaus.filter((_, place) => place < first || place >= back);
    const runs = (some: readonly Plateau[]) => some.reduce((sum, each) => sum + length(each), 0);
    if (runs(plateaus.slice(first, back)) > runs(outside)) continue;
    found.push({ first, back });
    first = back - 1;
  }
  return found;
}

/** The move from the level of some plateaus to that of others; an episode where a plateau is back at the former one. */
function moveBetween({ series, course }: Study, former: readonly Plateau[], moved: readonly Plateau[], back?: Plateau): Move {
  const [before, after] = [levelIn(series, course, former), levelIn(series, course, moved)];
  const [first] = moved;
  const from = first?.from ?? 0;
  return {
    shape: back ? 'episode' : 'step',
    fromMs: nth(series.dates, from),
    previousMs: nth(series.dates, Math.max(0, from - 1)),
    began: first?.beganIn ?? { startMs: 0, endMs: 0 },
    untilMs: back && nth(series.dates, back.from),
    before,
    after,
    relative: after.typical / before.typical - 1,
  };
}

/** The plateaus outside of all excursions, neighbours at one level joined into groups. */
function lastingLevels({ plateaus, options: { effect } }: Study, excursions: readonly { first: number; back: number }[]): Plateau[][] {
  const groups: Plateau[][] = [];
  for (const [place, plateau] of plateaus.entries()) {
    if (excursions.some(({ first, back }) => place >= first && place < back)) continue;
    const group = groups.at(-1);
    const isBack = excursions.some(({ back }) => back === place);
    if (group && (isBack || isSame(group[0]?.height ?? 0, plateau.height, 0, effect))) group.push(plateau);
    else groups.push([plateau]);
  }
  return groups;
}

/**
 * The step that the present level is owed to: in the period before others, the largest in the direction in which the level has gone since.
 */
function leadingStep(steps: readonly Move[], { startMs }: Span): Move | undefined {
  const now = steps.at(-1)?.after.typical ?? 0;
  const felt = steps.filter(({ before, relative }) => (now - before.typical) * relative > 0);
  const candidates = felt.length > 0 ? felt : steps.slice(-1);
  const isIn = ({ fromMs }: Move) => Number(fromMs >= startMs);
  return candidates.toSorted((a, b) => isIn(b) - isIn(a) || Math.abs(b.relative) - Math.abs(a.relative))[0];
}

/** Interquartile range over median, freed of levels and cycle. */
function scatterOf({ logs, cycle, level, offset }: Course, median: number): number {
  const deviations = Array.from(logs, (log, index) => log - nthDouble(cycle, index) - nthDouble(level, index));
  const [low = 0, high = 0] = quantile(deviations, [0.25, 0.75]);
  return median > 0 ? ((Math.exp(high) - Math.exp(low)) * (median + offset)) / median : 0;
}

/** Series are judged twice, the second time with a stricter limit; the fit is always the same, and what takes long. */
function courseOf(series: RunSeries, { effect, timeZone }: Pick<JudgeOptions, 'effect' | 'timeZone'>): Course {
  return keptFit('course', [series, effect, timeZone], () => fitCourse(series, { effect, timeZone }));
}

/** The parts of a series' course that count up to some chance. */
function countedIn(series: RunSeries, { effect, timeZone, highestP }: JudgeOptions): readonly CountedPart[] {
  const all = keptFit('parts', [series, effect, timeZone], () =>
    partsThatCount(courseOf(series, { effect, timeZone }), quantile([...series.values], 0.5), effect),
  );
  return sureParts(all, highestP);
}

/** A drift: the ends of the line that was fitted, and the scatter of the first and last fifth of the runs. */
function driftOf({ series, course }: Study, slopePerDay: number): Move {
  const runs = series.values.length;
  const fifth = Math.max(NEEDED.inPeriod, Math.ceil(runs / 5));
  const levelAt = (end: number, from: number, to: number): Level => ({
    ...levelIn(series, course, [{ from, to, height: 0, beganIn: undefined }]),
    typical: valueAt(nthDouble(course.level, end), course),
  });
  const fromMs = nth(series.dates, 0);
  return {
    shape: 'drift',
    fromMs,
    previousMs: fromMs,
    began: { startMs: fromMs, endMs: fromMs },
    untilMs: undefined,
    before: levelAt(0, 0, fifth),
    after: levelAt(runs - 1, runs - fifth, runs),
    relative: Math.expm1(30 * slopePerDay),
  };
}

/** Whether a series has too few runs, in all or in the period, to say anything. */
function isShort({ dates }: RunSeries, { period: { startMs, endMs } }: JudgeOptions): boolean {
  return dates.length < NEEDED.runs || dates.filter((date) => date >= startMs && date <= endMs).length < NEEDED.inPeriod;
}

/** Runs freed of what hour and weekday add. */
export interface FreedRuns {
  readonly dates: readonly number[];
  /** As measured. */
  readonly values: readonly number[];
  /** Logarithms in parts of the median; values that reach down to 0 have the smallest difference that counts added before. */
  readonly logs: readonly number[];
  /** False for the outliers. */
  readonly isUsual: readonly boolean[];
  /** The value that a logarithm stands for. */
  readonly valueOf: (log: number) => number;
}

/** The runs of a series without its cycle; none where there are too few to tell. */
export function freedOfCycle(series: RunSeries, options: Pick<JudgeOptions, 'effect' | 'timeZone'>): FreedRuns {
  if (series.values.length < NEEDED.runs) return { dates: [], values: [], logs: [], isUsual: [], valueOf: (log) => log };
  const course = courseOf(series, options);
  const { logs, cycle, kept } = course;
  const usual = new Set(kept);
  return {
    dates: series.dates,
    values: series.values,
    logs: series.dates.map((_, run) => nthDouble(logs, run) - nthDouble(cycle, run)),
    isUsual: series.dates.map((_, run) => usual.has(run)),
    valueOf: (log) => valueAt(log, course),
  };
}

/**
 * Says which state a series is in. Runs before and in the period count alike, wherever a change lies; the period only says which change to
 * name first.
 */
export function judgeSeries(series: RunSeries, options: JudgeOptions): Verdict {
  if (isShort(series, options)) return { state: 'not enough data', level: undefined, p: undefined, move: undefined, moves: [] };
  // A stricter limit that leaves the same parts leaves the same verdict.
  const counted = countedIn(series, options);
  const { highestP: _, ...asked } = options;
  return keptFit('verdict', [series, asked, counted], () => {
    const course = courseOf(series, options);
    return judge({ series, course, counted, plateaus: plateausOf(course, counted, series.dates), options });
  });
}

function judge(study: Study): Verdict {
  const { series, options } = study;
  const excursions = excursionsIn(study);
  const groups = lastingLevels(study, excursions);
  const level = levelIn(series, study.course, groups.at(-1) ?? []);
  const { plateaus } = study;
  const steps = groups.slice(1).map((group, place) => moveBetween(study, groups[place] ?? [], group));
  const episodes = excursions.map(({ first, back }) =>
    moveBetween(study, plateaus.slice(first - 1, first), plateaus.slice(first, back), plateaus[back]),
  );
  const p = Math.min(1, ...study.counted.map((each) => each.p));
  const verdict = (state: State, move?: Move): Verdict => ({ state, level, p, move, moves: [...steps, ...episodes] });
  const step = leadingStep(steps, options.period);
  if (step) return verdict(step.relative > 0 ? 'slower' : 'faster', step);
  const line = study.counted.find(({ part }) => part.kind === 'line');
  if (line) return verdict('drifting', driftOf(study, line.height));
  const isLate = ({ untilMs = 0 }: Move) => Number(untilMs >= options.period.startMs);
  const episode = episodes.toSorted((a, b) => isLate(b) - isLate(a) || Math.abs(b.relative) - Math.abs(a.relative))[0];
  if (episode) return verdict(episode.relative > 0 ? 'was slower' : 'was faster', episode);
  return verdict(scatterOf(study.course, level.median) >= UNSTABLE_FROM ? 'unstable' : 'steady');
}
