import type { Interval } from '../lib/calendar.ts';
import { DAY_MS, HOUR_MS } from '../lib/clock.ts';
import { grouped } from '../lib/grouped.ts';
import { nth } from '../lib/nth.ts';
import { byLeast, byMost } from '../lib/order.ts';
import { present } from '../lib/sentences.ts';
import { sumOfKnown } from '../lib/tally.ts';
import { keptFit } from '../statistics/kept-fits.ts';
import { meanOf, median, varianceInflation } from '../statistics/order.ts';
import { dot, numbersOf, orthonormalise, project } from '../statistics/vectors.ts';
import {
  courseOf,
  hasCourse,
  judgeTogether,
  levelAt,
  type SpeedSeries,
  type TogetherOptions,
  type Tracked,
  twoLevelsIn,
  type Verdict,
} from './engine/judge-series.ts';
import { cutMean } from './engine/noise.ts';
import type { Level, Move, Series } from './engine/run-series.ts';
import { failuresIn, unmeasuredIn } from './failures.ts';
import { isCustomTiming, type Report, runsOf, type Step, seriesOf, soundOf, stepsOf, sumSeries, usualSteps } from './runs.ts';
import { additiveMetrics, metricFact, rankOf, speedMetricNames, usualSpeedMetrics } from './speed-metrics.ts';

/**
 * Standard errors of days by which a move must stand out, by how many times the scatter of days exceeds what their runs explain. All series
 * of a scenario count, because a cause that moves whole days moves all of them. Moves are looked for at every instant of every series, and
 * there are more stretches than instants. Chosen by `npm run bench -- nature speed`.
 */
const NEEDED = [
  { excess: 1.55, step: 6, episode: 6.5, drift: 4.5 },
  { excess: 1.2, step: 5, episode: 6, drift: 4.5 },
  { excess: 1.05, step: 4, episode: 5, drift: 4.5 },
] as const;
/** With fewer days nothing is known of how days differ. */
const LEAST_DAYS = 6;
/** Factors that were fitted to the days. */
const FITTED = 8;
/** Least variance of a day, log scale: below it, scatter is rounding. */
const FLOOR = 1e-6;

/** When a move was; what lasts has no end. */
export type Stretch = Pick<Move, 'shape' | 'fromMs' | 'untilMs'>;

/**
 * Blocks of 24 hours, counted from the edges of the stretch so that none holds runs of both levels; of a shorter stretch what there is.
 */
function blocksOf(sized: SpeedSeries, timeZone: string, { fromMs, untilMs: toMs = Number.POSITIVE_INFINITY }: Stretch) {
  const { freed, kept } = courseOf(sized, timeZone);
  const lengthDays = Math.ceil((toMs - fromMs) / DAY_MS);
  const numberOf = (run: number) => {
    const date = nth(sized.series.dates, run);
    return date < toMs ? Math.floor((date - fromMs) / DAY_MS) : lengthDays + Math.floor((date - toMs) / DAY_MS);
  };
  const all = Array.from(grouped([...kept], numberOf), ([number, runs]) => {
    const logs = runs.map((run) => nth(freed, run));
    return { number, isMoved: number >= 0 && number < lengthDays, logs, middle: meanOf(logs) };
  });
  const least = median(all.map(({ logs }) => logs.length)) / 2;
  const byRuns = all.toSorted(byMost((each) => each.logs.length));
  const fullest = new Set([true, false].map((side) => byRuns.find(({ isMoved }) => isMoved === side)));
  return all.filter((block) => block.logs.length >= least || fullest.has(block));
}

/** Days whose neighbours are compared lie so many days apart at most. */
const LAGS = [1, 2];

/**
 * Variance of days by the differences of near ones (Rice 1984), which neither a slope nor levels that changed for good widen: a release of
 * the whole site is no scatter of days. Differences across an edge of the stretch are those of the move itself.
 */
function scatterOf(blocks: ReturnType<typeof blocksOf>, isDrift: boolean) {
  const squares = LAGS.flatMap((lag) =>
    blocks.slice(lag).flatMap(({ middle, isMoved }, at) => {
      const former = blocks[at];
      return former && (isDrift || former.isMoved === isMoved) ? [(middle - former.middle) ** 2 / 2] : [];
    }),
  );
  return cutMean(squares);
}

/**
 * How a move compares with what the days of a series differ by: the variance of whole days, what their runs let expect of it, and the
 * standard errors of the move. Undefined with too few days to say.
 */
function amongDays(sized: SpeedSeries, timeZone: string, stretch: Stretch) {
  const isDrift = stretch.shape === 'drift';
  const blocks = blocksOf(sized, timeZone, stretch);
  const moved = blocks.filter(({ isMoved }) => isMoved).length;
  if (blocks.length < LEAST_DAYS || (!isDrift && moved % blocks.length === 0)) return undefined;
  // Factors of the weekdays were fitted to the same days.
  const variance = (scatterOf(blocks, isDrift) * blocks.length) / Math.max(LEAST_DAYS, blocks.length - FITTED);
  const within = blocks.flatMap(({ logs, middle }) => logs.map((log) => log - middle));
  const ofRuns = cutMean(within.map((residual) => residual ** 2)) * varianceInflation(within);
  const [level, line] = [numbersOf(blocks, () => 1), numbersOf(blocks, ({ number }) => number)];
  const sides = numbersOf(blocks, ({ isMoved }) => Number(isMoved));
  // A step is what a slope leaves of it.
  const part = isDrift ? project(line, orthonormalise([level])) : project(sides, orthonormalise([level, line]));
  const middles = numbersOf(blocks, ({ middle }) => middle);
  const score = Math.abs(dot(part, middles)) / Math.sqrt(dot(part, part) * Math.max(FLOOR, variance));
  return { variance, expected: ofRuns / median(blocks.map(({ logs }) => logs.length)), score };
}

/** By how many times the scatter of days exceeds what runs explain, where days move all series of a scenario by as much. */
function excessOf(expected: number, all: readonly NonNullable<ReturnType<typeof amongDays>>[]) {
  // A time that is always 0 would say that days do not differ; series whose runs scatter little say most of days.
  const telling = all
    .filter((each) => Math.max(each.variance, each.expected) > FLOOR)
    .map((each) => ({ weight: Math.max(FLOOR, each.expected) ** -2, excess: each.variance - each.expected }));
  const total = sumOfKnown(telling, ({ weight }) => weight) || 1;
  const ofDays = sumOfKnown(telling, ({ weight, excess }) => weight * excess) / total;
  return Math.sqrt(1 + Math.max(0, ofDays) / Math.max(FLOOR, expected));
}

/**
 * Whether a move of one of the series of a scenario stands out from the usual differences of whole days. Runs of one day may share a level
 * of their own (a busy server, a slow line), and the scatter of runs alone makes too much of a few such days. Weekends and hours, which
 * come back each week, are no such level. True where days of the scenario differ by no more than their runs explain, and where there are
 * too few days to say.
 */
export function standsOut(each: SpeedSeries, { shape, fromMs, untilMs }: Stretch, all: readonly SpeedSeries[], timeZone: string): boolean {
  const stretch = { shape, fromMs, untilMs };
  const daysOf = (sized: SpeedSeries) =>
    hasCourse(sized.series)
      ? keptFit('days', [sized.series, sized.effect, timeZone, stretch], () => amongDays(sized, timeZone, stretch))
      : undefined;
  const own = daysOf(each);
  if (!own || own.score >= NEEDED[0].episode) return true;
  const excess = excessOf(own.expected, present(...[...new Set([each, ...all])].map(daysOf)));
  return own.score >= (NEEDED.find((needed) => excess >= needed.excess)?.[shape] ?? 0);
}

/** One metric of one step, or of all steps together. */
interface StudySeries extends Tracked {
  /** Undefined for the sum over all steps. */
  readonly step: Step | undefined;
  readonly metric: string;
}

/** How one metric of one step moved, or the sum over all steps; a drift from the begin of the period. */
export interface SpeedMove extends Move {
  /** Undefined for the sum over all steps. */
  readonly step: string | undefined;
  readonly metric: string;
  /** Chance that a series without any change shows one as strong. */
  readonly pValue: number;
}

/** A series with its verdict over the whole look-back. */
interface Judged extends StudySeries, Verdict {
  /** A move that is named but not claimed, because whole days differ by as much. */
  readonly held?: Move | undefined;
}

/** The verdict on one metric of one step (or of all steps together) over the whole look-back. */
export interface Row extends Judged {
  readonly move: SpeedMove | undefined;
  /** That of the state, then the other steps and episodes of a row that moved, as far as they stand out from what whole days differ by. */
  readonly moves: readonly SpeedMove[];
}

/** Instants that lie closer are those of one change: single runs that lie off show it some runs away. */
const ONE_CHANGE_MS = 6 * HOUR_MS;

const areNear = (a: Interval, b: Interval, mostMs: number) => a.startMs - b.endMs <= mostMs && b.startMs - a.endMs <= mostMs;

/** How far the levels of a move lie apart, counted in the middle halves of the runs on both sides. */
function clarityOf({ before, after }: Move): number {
  const spread = ({ p25, p75 }: Level) => p75 - p25;
  return Math.abs(after.typical - before.typical) / Math.max(spread(before) + spread(after), Number.MIN_VALUE);
}

/**
 * The same with one instant for all metrics of a step that moved at the same time: that of the one which shows it most clearly, as weights
 * do to the run where times scatter.
 */
function inOneInstant(all: readonly Judged[]): Judged[] {
  const lasting = all.flatMap(({ group, rank, state, move }) =>
    move?.shape === 'step' && state !== 'two levels' ? [{ group, rank, move }] : [],
  );
  return all.map((each) => {
    const own = lasting.find(({ move }) => move === each.move)?.move;
    if (!own) return each;
    const [leader] = lasting
      .filter(({ group, move }) => group === each.group && areNear(move.began, own.began, ONE_CHANGE_MS))
      .toSorted(
        byLeast(
          ({ move }) => -clarityOf(move),
          ({ rank }) => rank,
        ),
      );
    const { fromMs, previousMs, began } = leader?.move ?? own;
    return { ...each, move: { ...own, fromMs, previousMs, began } };
  });
}

/** Share of the runs of a step that the other steps must have too. */
const LEAST_SHARED = 0.8;
/** Share of a move beside the other steps that the step itself must show. */
const HALF = 0.5;

/** Values of a series over the geometric mean of others in the same runs; undefined where these have few of them. */
function quotientOf(series: Series, others: readonly Series[]): Series | undefined {
  const known = others.map(({ dates, values }) => new Map(dates.map((date, run) => [date, nth(values, run)])));
  const runs = series.dates.flatMap((date, run) => {
    const values = known.map((other) => other.get(date) ?? 0);
    // Not finite where one of them is 0.
    const log = Math.log(nth(series.values, run)) - meanOf(values.map(Math.log));
    return Number.isFinite(log) ? [{ date, log }] : [];
  });
  if (runs.length < LEAST_SHARED * series.dates.length) return undefined;
  // In the unit of the series, so that the smallest change that counts is the same.
  const usual = meanOf(series.values.map((value) => Math.log(Math.max(Number.MIN_VALUE, value)))) - meanOf(runs.map(({ log }) => log));
  return { dates: runs.map(({ date }) => date), values: runs.map(({ log }) => Math.exp(log + usual)) };
}

/** A step whose series is divided by those of the other steps in the same runs. */
type Beside = ReturnType<typeof besideOthers>[number];

/** Whether a series is of times, which slow days move, not of weights and counts. */
export const isTime = ({ metric }: StudySeries) => metricFact(metric).kind === 'ms';

/** Times of each step beside those of the other steps: `series` over these, in the unit of its `own`. */
export function besideOthers(tracked: readonly StudySeries[]) {
  const ofSteps = tracked.filter((each) => each.step !== undefined && isTime(each));
  return ofSteps.flatMap((each) => {
    const own = each.series;
    const others = ofSteps.flatMap(({ metric, step, series }) => (metric === each.metric && step !== each.step ? [series] : []));
    const series = others.length > 0 ? keptFit('quotient', [own, ...others], () => quotientOf(own, others)) : undefined;
    // With the series as it is.
    return series ? [{ ...each, own, series }] : [];
  });
}

/**
 * The move of a step at the instant at which it parted from the others, up to where it did so at other times; undefined where it was these
 * that moved.
 */
function partedMove({ own, effect, state, move, moves }: Beside & Verdict, timeZone: string): Move | undefined {
  if (!move || (state !== 'slower' && state !== 'faster')) return undefined;
  const edges = moves.flatMap(({ shape, fromMs }) => (shape === 'step' ? [fromMs] : []));
  const endMs = edges.find((ms) => ms > move.fromMs) ?? (own.dates.at(-1) ?? 0) + 1;
  // As long before as since: other changes of all steps lie further back.
  const firstMs = Math.max(edges.findLast((ms) => ms < move.fromMs) ?? 0, 2 * move.fromMs - endMs);
  const course = courseOf({ series: own, effect }, timeZone);
  const levelIn = (startMs: number, toMs: number) =>
    levelAt(
      own,
      course,
      own.dates.flatMap((date, run) => (date >= startMs && date < toMs ? [run] : [])),
    );
  const [before, after] = [levelIn(firstMs, move.fromMs), levelIn(move.fromMs, endMs)];
  const relative = after.typical / before.typical - 1;
  return Math.log1p(relative) / Math.log1p(move.relative) < HALF ? undefined : { ...move, before, after, relative };
}

/**
 * Lasting moves of single steps beside the other steps of the same runs: what moves whole days and releases of the whole site move all
 * steps, so such days hide a change of one step less. Without it +20 % of one step among noisy runs is found in 23 of 50 histories, with it
 * in more than 45 (`test/speed/false-alarms.long.test.ts`); the gate has no such histories.
 */
function movesBesideSteps(tracked: readonly StudySeries[], options: TogetherOptions) {
  const beside = besideOthers(tracked);
  return new Map(
    judgeTogether(beside, options).flatMap((each) => {
      const isClear = each.move && standsOut(each, each.move, beside, options.timeZone);
      const move = isClear ? partedMove(each, options.timeZone) : undefined;
      return move ? [[each.own, { state: each.state, move }] as const] : [];
    }),
  );
}

/** All that reports alone say about a scenario. */
export type Study = ReturnType<ReturnType<typeof draftStudy>>;

/** The question behind a study. */
export interface StudyOptions {
  readonly baseline: Interval;
  readonly period: Interval;
  /** Metric names, or `["all"]`; the usual ones when left out. */
  readonly metrics: readonly string[] | undefined;
  /** IANA zone whose hours and weekdays the runs follow. */
  readonly timeZone: string;
  /** Expected share of false ones among the changes that are named; that of a single answer when left out. */
  readonly falseDiscoveryRate?: number | undefined;
  /** Only this step, and no sums. */
  readonly step?: Step | undefined;
}

/** The metrics that can be compared: a navigation start is a moment, which only ever grows. */
function comparableMetrics(named: readonly string[] = usualSpeedMetrics): readonly string[] {
  const names = named.includes('all') ? [...speedMetricNames, ...named.filter((name) => name !== 'all')] : named;
  return [...new Set(names)].filter((name) => name !== 'navigationStart');
}

/** Sums are named after the steps that they are made of. */
const SUMS_LAST = 1_000;
/** Metrics that take as large a change to count repeat so badly that their scatter says nothing of the scenario. */
const SCATTERS_BY_NATURE = 0.1;

/** A mixture that began within so long of a change of the same step, or of a sum over steps, is what the change was read from. */
const SAME_TIME_MS = 2 * DAY_MS;

function explains({ state, step, move }: Row, moved: Row): boolean {
  // A sum mixes its steps.
  const isOfStep = moved.step === undefined || step === moved.step;
  if (state !== 'two levels' || !isOfStep || !move || !moved.move) return false;
  return moved.move.shape === 'drift' || Math.abs(move.fromMs - moved.move.fromMs) <= SAME_TIME_MS;
}

/**
 * The worst row that moved: for good, for a time that ended in the period, for one that was over before; else the first that is unstable in
 * a metric which usually is not.
 */
function headlineOf(rows: readonly Row[], { startMs }: Interval): Row | undefined {
  const isKnown = ({ metric }: Row) => rankOf(metric) < Number.MAX_SAFE_INTEGER;
  const isUnstable = (row: Row) => row.state === 'unstable' && row.step && isKnown(row) && row.effect.relative < SCATTERS_BY_NATURE;
  // Where metrics that people know were looked at, others do not speak for the scenario.
  const known = rows.filter((row) => isKnown(row) || isCustomTiming(row.metric));
  const placeOf = ({ move }: Row) => (move?.untilMs === undefined ? 0 : 1 + Number(move.untilMs < startMs));
  const [moved] = (known.length > 0 ? known : rows).filter(({ move }) => move).toSorted(byLeast(placeOf));
  return (moved && rows.find((row) => explains(row, moved))) ?? moved ?? rows.find(isUnstable);
}

/**
 * Derives each metric of each step, and of all steps together where a sum means something, and gives what judges them, which fits a course
 * to every series.
 */
export function draftStudy(reports: readonly Report[], options: StudyOptions) {
  const { baseline, period, metrics, step, timeZone, falseDiscoveryRate } = options;
  const sides = { baseline: runsOf(reports, baseline), period: runsOf(reports, period) };
  const sound = soundOf([...sides.baseline.all, ...sides.period.all]);
  const steps = step ? [step] : stepsOf(sound);
  const named = comparableMetrics(metrics);
  const usual = usualSteps(sound);
  const sums = step || usual < 2 ? [] : named.filter((metric) => additiveMetrics.includes(metric));
  const tracked = [
    ...steps.flatMap((each) => named.map((metric) => ({ step: each, metric, series: seriesOf(each, metric) }))),
    ...sums.map((metric) => ({ step: undefined, metric, series: sumSeries(sound, metric) })),
  ]
    .filter(({ series }) => series.values.length > 0)
    .map((each) => ({
      ...each,
      group: each.step ? String(each.step.number) : 'sum',
      rank: rankOf(each.metric) + (each.step ? 0 : SUMS_LAST),
      effect: metricFact(each.metric).effect,
    }));
  const facts = {
    ...sides,
    failures: failuresIn(sides),
    /** IANA zone whose hours and weekdays the runs follow, and in which instants are written. */
    timeZone,
    /** Reports of both windows without failed ones, oldest first. */
    sound,
    steps,
    /** Metrics that runs of the period lack, those that visitors feel most first. */
    unmeasured: named
      .flatMap((metric) => steps.flatMap((each) => unmeasuredIn(each, metric, period) ?? []))
      .toSorted(byLeast((each) => rankOf(each.metric))),
    /** Steps of a whole run, and how many sound reports have another number: these are in no sum. */
    usualSteps: usual,
    otherSteps: sound.filter((report) => report.steps?.length !== usual).length,
  };
  const isOfMetrics = metrics !== undefined && !metrics.includes('all');
  const dates = soundOf(sides.period.all).map(({ date }) => date);
  // From its first run to its last: all periods that have the same runs are judged alike.
  const judging = { period: { startMs: Math.min(...dates), endMs: Math.max(...dates) }, timeZone, falseDiscoveryRate };
  return () => {
    const rows = rowsOf(tracked, judging, period);
    const headline = headlineOf(rows, period);
    const judged = rows.filter(({ state }) => state !== 'not enough data').length;
    const calm = judged > 0 ? 'steady' : 'not enough data';
    return {
      ...facts,
      /** Whether runs fail and nothing else was asked for, or nothing else can be said: metrics that were named come before failures. */
      failsFirst: facts.failures.isFailing && (!isOfMetrics || judged === 0),
      rows,
      /** The changes in the period: moves of one time, the one that visitors feel most first; those that are clearest first. */
      changes: changesIn(rows, period),
      /** Series with enough runs to be judged. */
      judged,
      /** The row that stands for the others; undefined where all is steady or nothing could be judged. */
      headline,
      /** That of the headline. */
      state: headline?.state ?? calm,
    };
  };
}

/** Without a run for so long before its first one a change may have begun any time since the last. */
const LONG_GAP_MS = 2 * DAY_MS;

/** A move with its place; what is slow has no first run. */
function placed(move: Move, { step, metric, p = 1 }: Judged, { startMs }: Interval): SpeedMove {
  const { shape, fromMs, previousMs } = move;
  return {
    ...move,
    ...(fromMs - previousMs > LONG_GAP_MS && { began: { startMs: previousMs, endMs: fromMs } }),
    ...(shape === 'drift' && { fromMs: startMs, began: { startMs, endMs: startMs } }),
    step: step?.name,
    metric,
    pValue: p,
  };
}

/** The verdicts on series, which depend on these and the runs in the period alone, the worst first. */
function rowsOf(tracked: readonly StudySeries[], judging: TogetherOptions, window: Interval): Row[] {
  const { timeZone } = judging;
  // Slow days move times, not weights and counts.
  const telling = tracked.filter(isTime);
  const isClear = (each: StudySeries, move: Move) => standsOut(each, move, telling, timeZone);
  const judged = judgeTogether(tracked, judging).map((each): Judged => {
    const { move, moves } = each;
    const others = { ...each, moves: moves.filter((other) => other !== move) };
    // A sum mixes the steps, whose runs move one by one.
    const split = each.step && twoLevelsIn(each, timeZone);
    if (split) return { ...others, state: 'two levels', move: split };
    return !move || isClear(each, move) ? others : { ...others, state: 'steady', move: undefined, held: move };
  });
  // Whole days may hide that one step moved for good.
  const isDoubtful = ({ held, state }: Judged) => held !== undefined || state === 'drifting';
  const beside = judged.some(isDoubtful) ? movesBesideSteps(tracked, judging) : new Map<Series, Pick<Verdict, 'state' | 'move'>>();
  const settled = judged.map((row): Judged => {
    const parted = isDoubtful(row) ? beside.get(row.series) : undefined;
    return parted ? { ...row, ...parted, held: undefined } : row;
  });
  const isSlower = ({ state }: Judged) => state === 'slower';
  const isEarlier = ({ move }: Judged) => (move?.fromMs ?? 0) < judging.period.startMs;
  const slower = settled.filter(isSlower);
  const inOrder = beside.size === 0 ? slower : slower.toSorted(byLeast(isEarlier, ({ rank }) => rank));
  return inOneInstant([...inOrder, ...settled.filter((row) => !isSlower(row))]).map((row) => {
    const { move } = row;
    const further = move ? row.moves.filter((other) => other.fromMs !== move.fromMs && isClear(row, other)) : [];
    const moves = [move ?? [], further].flat().map((each) => placed(each, row, window));
    return { ...row, move: moves[0], moves };
  });
}

/** Simultaneous changes of one scenario, each thing once. */
export interface SpeedChange {
  readonly scenarioId: number;
  readonly scenario: string;
  /** The moves that visitors feel most first; never empty. */
  readonly moves: readonly [SpeedMove, ...SpeedMove[]];
}

/** Whether two moves of a scenario began, and ended, within a day of each other; in one step a metric may be back before the others. */
function areNeighbours(a: SpeedMove, b: SpeedMove): boolean {
  if (a.shape === 'drift' || b.shape === 'drift') return a.shape === b.shape;
  if (!areNear(a.began, b.began, DAY_MS)) return false;
  if (a.untilMs === undefined || b.untilMs === undefined)
    return a.untilMs === b.untilMs || (a.step === b.step && a.relative * b.relative > 0);
  return Math.abs(a.untilMs - b.untilMs) <= DAY_MS;
}

/** What visitors feel comes first, then what is larger. */
const [feeling, size] = [({ metric }: SpeedMove) => rankOf(metric), ({ relative }: SpeedMove) => -Math.abs(relative)];

/** The changes that lie in the period, the clearest first; an unstable level that never changed is not among them. */
function changesIn(rows: readonly Row[], { startMs }: Interval): SpeedChange['moves'][] {
  const isIn = ({ shape, fromMs, untilMs }: Move) => (shape === 'episode' ? (untilMs ?? startMs) > startMs : fromMs >= startMs);
  let left = rows
    .flatMap(({ moves }) => moves)
    .filter(isIn)
    .toSorted(byLeast(({ pValue }) => pValue));
  const changes: SpeedChange['moves'][] = [];
  for (let [clearest] = left; clearest; [clearest] = left) {
    const own = clearest;
    const isOther = (move: SpeedMove) => move !== own && !areNeighbours(own, move);
    // A sum says less than its steps, and what is over less than what goes on.
    const [first = own, ...rest] = left
      .filter((move) => !isOther(move))
      .toSorted(
        byLeast(
          ({ step }) => step === undefined,
          ({ untilMs }) => untilMs !== undefined,
          feeling,
          size,
        ),
      );
    changes.push([first, ...rest]);
    left = left.filter(isOther);
  }
  return changes;
}

const shapes: readonly SpeedMove['shape'][] = ['step', 'drift', 'episode'];

/** Slower ones first, lasting before drifting before undone ones, then by what visitors feel and by size. */
export const compareMoves = byLeast<SpeedMove>(
  ({ relative }) => relative < 0,
  ({ shape }) => shapes.indexOf(shape),
  feeling,
  size,
);

/** The number of places of one kind that were searched. */
export interface Searched {
  readonly looked: number;
  readonly tooFew: number;
  readonly requests: number;
  readonly dataSince: string;
}

/** The findings in speed scenarios. */
export interface SpeedFacts extends Searched {
  readonly changes: readonly SpeedChange[];
  readonly scenarios: number;
}
