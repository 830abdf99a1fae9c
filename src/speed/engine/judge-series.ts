import { interquartileRange } from 'simple-statistics';
import { type Interval, isWithin } from '../../lib/calendar.ts';
import { nth, nthDouble } from '../../lib/nth.ts';
import { byLeast, byMost } from '../../lib/order.ts';
import { discoveryLimit, FALSE_DISCOVERY_RATES } from '../../statistics/discoveries.ts';
import { keptFit } from '../../statistics/kept-fits.ts';
import { meanOf, median } from '../../statistics/order.ts';
import { MAD_TO_SD } from '../../statistics/robust-scale.ts';
import { minus } from '../../statistics/vectors.ts';
import { type Course, type CoursePart, fitCourse } from './course.ts';
import { shareChangeIn } from './failure-trend.ts';
import { gainOf, type Part, searchOn } from './gls.ts';
import { type Effect, type Level, levelOf, type Move, placesFrom, type Series } from './run-series.ts';

/** A series, and the size of changes of it that matter. */
export interface SpeedSeries {
  readonly series: Series;
  readonly effect: Effect;
}

/** The fitted course of a series, made once however often it is asked; needs a few runs. */
export const courseOf = ({ series, effect }: SpeedSeries, timeZone: string): Course =>
  keptFit('course', [series, effect, timeZone], () => fitCourse(series, { effect, timeZone }));

/** The value that a logarithm of a course stands for: no level lies below 0. */
const valueAt = (log: number, { scale, offset }: Course) => Math.max(0, scale * Math.exp(log) - offset);

/** The level of some runs of a series. */
export function levelAt({ values }: Series, course: Course, runs: readonly number[]): Level {
  return levelOf(
    runs.map((run) => nth(values, run)),
    runs.map((run) => valueAt(nthDouble(course.freed, run), course)),
  );
}

/** The move from the level of some runs to that of others, which begins with a run. */
function moveFrom(series: Series, course: Course, from: number, runs: { before: readonly number[]; after: readonly number[] }) {
  const [before, after] = [levelAt(series, course, runs.before), levelAt(series, course, runs.after)];
  const [previousMs, fromMs] = [nth(series.dates, Math.max(0, from - 1)), nth(series.dates, from)];
  return { shape: 'step' as const, fromMs, previousMs, untilMs: undefined, before, after, relative: after.typical / before.typical - 1 };
}

/** Runs between two changes of level. */
interface Plateau {
  /** Places in the series; `to` is the first run after it. */
  readonly from: number;
  readonly to: number;
  /** Level above that of the first plateau, log scale, freed of cycle and drift. */
  readonly height: number;
  /** Between which instants the plateau began. */
  readonly began: Interval;
}

/** Deviance that a place may lie above the best one and still be in the range: about 95 % of ranges hold the true place. */
const RANGE_DEVIANCE = 7;

/** The instants between which an edge of a part lies, the other edges fixed. */
function rangeOf(course: Course, part: Part, edge: 'from' | 'to', dates: readonly number[]): Interval {
  const { found, frame, kept } = course;
  const search = searchOn(
    frame,
    found.flatMap((other) => (other.part === part ? [] : [other.part])),
  );
  const gainAt = (place: number) => (edge === 'from' ? gainOf(search, place, part.to) : gainOf(search, part.from, place));
  const most = gainAt(part[edge]);
  const places = edge === 'from' ? placesFrom(1, part.to) : placesFrom(part.from + 1, frame.series.length);
  const likely = places.filter((place) => most - gainAt(place) <= RANGE_DEVIANCE);
  const dateOf = (place: number) => nth(dates, nth(kept, place));
  return { startMs: dateOf((likely[0] ?? 1) - 1), endMs: dateOf(likely.at(-1) ?? part[edge]) };
}

/** The plateaus of a course in order; without a part there is one. */
function plateausOf(course: Course, parts: readonly CoursePart[], dates: readonly number[]): Plateau[] {
  const n = dates.length;
  const edges = parts.flatMap(({ part, height }) => {
    if (part.kind === 'line') return [];
    const sides = [['from', height] as const, ['to', -height] as const];
    return sides.map(([edge, rise]) => ({ at: course.kept[part[edge]] ?? n, rise, part, edge }));
  });
  const inOrder = edges.filter(({ at }) => at < n).toSorted(byLeast(({ at }) => at));
  let height = 0;
  const plateaus: Plateau[] = [{ from: 0, to: inOrder[0]?.at ?? n, height, began: { startMs: 0, endMs: 0 } }];
  for (const [index, { at, rise, part, edge }] of inOrder.entries()) {
    height += rise;
    plateaus.push({ from: at, to: inOrder[index + 1]?.at ?? n, height, began: rangeOf(course, part, edge, dates) });
  }
  return plateaus;
}

/** Levels count as the same again where they differ by less than this share of the excursion between them. */
const SAME_SHARE = 0.2;

const runsIn = (plateaus: readonly Plateau[]) => plateaus.flatMap(({ from, to }) => placesFrom(from, to));

/**
 * The steps between the lasting levels of a course, its episodes, which leave a level and come back to it while most runs are at it, and
 * its latest level. Longest first would hide short episodes, so each plateau opens one.
 */
function readPlateaus(series: Series, course: Course, plateaus: readonly Plateau[], { relative }: Effect) {
  const isSame = (a: number, b: number, excursion: number) =>
    Math.abs(a - b) < Math.max(Math.log1p(relative), SAME_SHARE * Math.abs(excursion));
  const moveTo = (before: readonly Plateau[], after: readonly Plateau[], began: Interval) => ({
    ...moveFrom(series, course, after[0]?.from ?? 0, { before: runsIn(before), after: runsIn(after) }),
    began,
  });
  const levels: Plateau[][] = [plateaus.slice(0, 1)];
  const episodes: Move[] = [];
  for (let at = 1; at < plateaus.length; at += 1) {
    const [base, away] = plateaus.slice(at - 1, at + 1);
    const level = levels.at(-1);
    if (!base || !away || !level) break;
    const excursion = away.height - base.height;
    const end = plateaus.findIndex((each, place) => place > at && isSame(each.height, base.height, excursion));
    const [outside, inside] = [[...plateaus.slice(0, at), ...plateaus.slice(end)], plateaus.slice(at, end)];
    const back = end > 0 && runsIn(inside).length <= runsIn(outside).length ? plateaus[end] : undefined;
    if (back) {
      episodes.push({ ...moveTo([base], inside, away.began), shape: 'episode', untilMs: nth(series.dates, back.from) });
      level.push(back);
      at = end;
    } else if (isSame(level[0]?.height ?? 0, away.height, 0)) level.push(away);
    else levels.push([away]);
  }
  const steps = levels.slice(1).map((level, place) => moveTo(levels[place] ?? [], level, level[0]?.began ?? { startMs: 0, endMs: 0 }));
  return { steps, episodes, level: levelAt(series, course, runsIn(levels.at(-1) ?? [])) };
}

/** Fewer runs than this in all, or in the period, are not enough to say anything. */
const NEEDED = { runs: 10, inPeriod: 3 } as const;
/** Interquartile range over median from which runs scatter too much to be relied on singly. */
const UNSTABLE_FROM = 0.32;

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

/** How a series is judged. */
interface JudgeOptions {
  /** The period to judge. */
  readonly period: Interval;
  /** IANA zone whose hours and weekdays the cycle follows. */
  readonly timeZone: string;
}

/** Chances up to which parts count: all of them, and those that last in a series in which none is as sure as that. */
interface HighestP {
  readonly any: number;
  readonly onlyLasting: number;
}

/** Beside a clear change a less clear one is often a dip before it, whose level would pass for the one before; not beside episodes. */
function sureParts({ found }: Course, highest: HighestP): CoursePart[] {
  const parts = found.filter(({ counts }) => counts);
  const sure = parts.filter(({ p }) => p <= highest.any);
  const lasts = ({ part }: CoursePart) => part.kind !== 'bump';
  return sure.some(lasts) ? sure : parts.filter((each) => each.p <= (lasts(each) ? highest.onlyLasting : highest.any));
}

const size = ({ relative }: Move) => Math.abs(relative);

/**
 * The step that the present level is owed to: in the period before others, the largest in the direction in which the level has gone since.
 */
function leadingStep(steps: readonly Move[], { startMs }: Interval): Move | undefined {
  const now = steps.at(-1)?.after.typical ?? 0;
  const felt = steps.filter(({ before, relative }) => (now - before.typical) * relative > 0);
  const candidates = felt.length > 0 ? felt : steps.slice(-1);
  return candidates.toSorted(byMost(({ fromMs }) => fromMs >= startMs, size))[0];
}

/** Interquartile range over median, freed of levels and cycle. */
function scatterOf({ freed, level, offset }: Course, middle: number): number {
  const { p25: low, p75: high } = levelOf(minus(freed, level), []);
  return middle > 0 ? ((Math.exp(high) - Math.exp(low)) * (middle + offset)) / middle : 0;
}

/** A drift: the ends of the line that was fitted, and the scatter of the first and last fifth of the runs. */
function driftOf(series: Series, course: Course, slopePerDay: number): Move {
  const runs = series.values.length;
  const fifth = Math.max(NEEDED.inPeriod, Math.ceil(runs / 5));
  const ends = moveFrom(series, course, 0, { before: placesFrom(0, fifth), after: placesFrom(runs - fifth, runs) });
  const typicalAt = (run: number) => ({ typical: valueAt(nthDouble(course.level, run), course) });
  return {
    ...ends,
    shape: 'drift',
    began: { startMs: ends.fromMs, endMs: ends.fromMs },
    before: { ...ends.before, ...typicalAt(0) },
    after: { ...ends.after, ...typicalAt(runs - 1) },
    relative: Math.expm1(30 * slopePerDay),
  };
}

/** Whether a series has enough runs to fit its course. */
export const hasCourse = ({ values }: Series): boolean => values.length >= NEEDED.runs;

/**
 * Says which state a series is in. Runs before and in the period count alike, wherever a change lies; the period only says which change to
 * name first. Parts with a higher chance count as none; what the search asks when left out.
 */
export function judgeSeries(
  { series, effect }: SpeedSeries,
  { period, timeZone }: JudgeOptions,
  highestP: HighestP = { any: 1, onlyLasting: 1 },
): Verdict {
  const inPeriod = series.dates.filter((date) => isWithin(date, period));
  if (!hasCourse(series) || inPeriod.length < NEEDED.inPeriod)
    return { state: 'not enough data', level: undefined, p: undefined, move: undefined, moves: [] };
  const course = courseOf({ series, effect }, timeZone);
  const parts = sureParts(course, highestP);
  // A stricter limit that leaves the same parts leaves the same verdict.
  const places = parts.map((part) => course.found.indexOf(part)).join();
  return keptFit('verdict', [course, period.startMs, period.endMs, places], () => {
    const { steps, episodes, level } = readPlateaus(series, course, plateausOf(course, parts, series.dates), effect);
    const p = Math.min(1, ...parts.map((each) => each.p));
    const verdict = (state: State, move?: Move): Verdict => ({ state, level, p, move, moves: [...steps, ...episodes] });
    const step = leadingStep(steps, period);
    if (step) return verdict(step.relative > 0 ? 'slower' : 'faster', step);
    const line = parts.find(({ part }) => part.kind === 'line');
    if (line) return verdict('drifting', driftOf(series, course, line.height));
    const [episode] = episodes.toSorted(byMost(({ untilMs = 0 }) => untilMs >= period.startMs, size));
    if (episode) return verdict(episode.relative > 0 ? 'was slower' : 'was faster', episode);
    return verdict(scatterOf(course, level.median) >= UNSTABLE_FROM ? 'unstable' : 'steady');
  });
}

/** Accepted chance that a share which did not change is called changed; small, because every series of a scenario is asked in both ways. */
const ALPHA = 2e-4;
/** Robust standard deviations from the median at which a run counts as moved. */
const MOVED = 2.5;
/** Two levels lie further apart than this many standard deviations, and than this on the log scale. */
const APART = { deviations: 3, log: Math.log(1.15) } as const;
/** Share of runs that moved: fewer may be outliers, more are a change of the level itself. */
const LEAST_MORE = 0.08;
const MOST = 0.8;
/** The runs that did not move keep their level to within this part of the distance. */
const KEPT = 0.25;
/**
 * All runs scatter more widely, which is no second level, where runs moved to the other side too, by more than this part of those that
 * moved, or where the middle half of the runs that did not move is wider than before by so many standard errors.
 */
const WIDER = { mirrored: 1 / 3, errors: 3 } as const;
/** Relative standard error of the interquartile range of one normal run: 1.573 / 1.349. */
const ERROR_OF_MIDDLE = 1.17;
/** Part of the changes between the two kinds of runs that independent runs would show; fewer are stretches, such as slow days. */
const MIXED = 0.5;
const LEAST_SD = 0.01;

/** The move of part of the runs to one side (`sign` 1: upwards). */
function partlyMoved(series: Series, course: Course, sign: 1 | -1): Move | undefined {
  const logs = course.freed;
  const middle = median(logs);
  const sd = Math.max(LEAST_SD, MAD_TO_SD * median(logs.map((log) => Math.abs(log - middle))));
  const beyond = (side: number) => Array.from(logs, (log) => side * (log - middle) > MOVED * sd);
  const isMoved = beyond(sign);
  const change = shareChangeIn({ dates: series.dates, failed: isMoved }, ALPHA);
  if (!change) return undefined;
  const {
    at: first,
    before,
    since: { share },
  } = change;
  const more = share - before.share;
  const isOpposite = beyond(-sign).map(Number);
  const opposite = meanOf(isOpposite.slice(first)) - meanOf(isOpposite.slice(0, first));
  if (more < LEAST_MORE || share > MOST || opposite > WIDER.mirrored * more) return undefined;
  const hits = isMoved.slice(first);
  const changes = hits.filter((hit, index) => index > 0 && hit !== hits[index - 1]).length;
  const [former, since] = [placesFrom(0, first).filter((run) => !isMoved[run]), placesFrom(first, logs.length)];
  const [usual, moved] = [since.filter((run) => !isMoved[run]), since.filter((run) => isMoved[run])];
  if (former.length === 0) return undefined;
  const logsAt = (runs: readonly number[]) => runs.map((run) => nth(logs, run));
  const apart = sign * (median(logsAt(moved)) - median(logsAt(usual)));
  const isApart = apart >= Math.max(APART.deviations * sd, APART.log);
  const widest = interquartileRange(logsAt(former)) * (1 + (WIDER.errors * ERROR_OF_MIDDLE) / Math.sqrt(usual.length));
  const isKept = Math.abs(median(logsAt(usual)) - median(logsAt(former))) <= KEPT * apart;
  const isMixed = changes >= MIXED * 2 * hits.length * share * (1 - share);
  if (!isApart || !isKept || !isMixed || interquartileRange(logsAt(usual)) > widest) return undefined;
  const move = moveFrom(series, course, first, { before: usual, after: moved });
  return { ...move, began: { startMs: move.previousMs, endMs: move.fromMs }, share };
}

/**
 * The move of part of the runs to another level while the others, whose level is that before, kept theirs, as in an A/B test or with one
 * slow machine among several; undefined where that is not beyond chance.
 */
export function twoLevelsIn(sized: SpeedSeries, timeZone: string): Move | undefined {
  const { series, effect } = sized;
  if (!hasCourse(series)) return undefined;
  return keptFit('two levels', [series, effect, timeZone], () => {
    const course = courseOf(sized, timeZone);
    const move = partlyMoved(series, course, 1) ?? partlyMoved(series, course, -1);
    return move && Math.abs(move.after.typical - move.before.typical) >= effect.absolute ? move : undefined;
  });
}

/** One of several series that are judged together. */
export interface Tracked extends SpeedSeries {
  /** Series of one group (a step, a scenario) move for the same reasons. */
  readonly group: string;
  /** How much visitors feel the metric: 0 most. */
  readonly rank: number;
}

/** The period of series that are judged together, and the accepted share of false discoveries. */
export interface TogetherOptions extends JudgeOptions {
  /** Expected share of false ones among the changes that are named, however many series are looked at; default that of changes of speed. */
  readonly falseDiscoveryRate?: number | undefined;
}

/** Weight of a series by its rank, what visitors feel most first; the last one is that of all further ranks. */
const WEIGHTS = [3, 1.5, 1] as const;
const weightOf = ({ rank }: Tracked) => WEIGHTS[rank] ?? WEIGHTS[2];

/**
 * The chances up to which parts of each series count among all of them: the largest that Benjamini and Hochberg (1995) accept. Each series
 * may claim more or less of the accepted share of false ones, 1 on average (Genovese, Roeder and Wasserman 2006).
 */
function limitsFor(tested: readonly (Tracked & Verdict)[], rate: number): (each: Tracked) => HighestP {
  const mean = meanOf(tested.map(weightOf));
  const highest = discoveryLimit(
    tested.map((each) => ((each.p ?? 1) * mean) / weightOf(each)),
    rate,
  );
  // What has moved for good counts also where it is one question among all series that were asked (Bonferroni): very clear episodes, as of
  // an outage of all steps, say nothing against it.
  const ofOneQuestion = rate / Math.max(1, tested.length);
  return (each) => {
    const share = weightOf(each) / mean;
    return { any: highest * share, onlyLasting: Math.max(highest, ofOneQuestion) * share };
  };
}

/** Place of a state among all, 0 is worst; a drift downwards is good news. */
export const severityOf = (state: State, relative = 0): number =>
  SPEED_STATES.indexOf(state === 'drifting' && relative < 0 ? 'faster' : state);

/** Whether a verdict is of the period: its instant may lie there, or may be that of another change whose instant may. */
function isOfPeriod({ move }: Verdict, { startMs }: Interval, instants: readonly Interval[]): boolean {
  if (move?.shape !== 'step') return (move?.untilMs ?? startMs) >= startMs;
  const { began } = move;
  return instants.some((each) => each.endMs >= startMs && each.startMs <= began.endMs && began.startMs <= each.endMs);
}

/** Worst first: what lasts before what is over, the period before what lies before it, then by what visitors feel, then by size. */
function worstFirst<Each extends Tracked & Verdict>(judged: readonly Each[], period: Interval): Each[] {
  const instants = judged.flatMap(({ move }) => (move?.shape === 'step' ? [move.began] : []));
  return judged.toSorted(
    byLeast(
      ({ state, move }) => severityOf(state, move?.relative),
      (each) => !isOfPeriod(each, period, instants),
      ({ rank }) => rank,
      ({ move }) => -Math.abs(move?.relative ?? 0),
    ),
  );
}

/** Judges series together, metrics of the steps of a scenario or of all scenarios of a site; the one to name first is in front. */
export function judgeTogether<Each extends Tracked>(
  tracked: readonly Each[],
  { falseDiscoveryRate = FALSE_DISCOVERY_RATES.speedChanges, ...options }: TogetherOptions,
): (Each & Verdict)[] {
  const first = tracked.map((each) => ({ ...each, ...judgeSeries(each, options) }));
  const highestP = limitsFor(
    first.filter(({ p }) => p !== undefined),
    falseDiscoveryRate,
  );
  return worstFirst(
    first.map((each) => (each.p === 1 ? each : { ...each, ...judgeSeries(each, options, highestP(each)) })),
    options.period,
  );
}
