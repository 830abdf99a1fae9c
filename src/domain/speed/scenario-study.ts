import { DAY_MS, HOUR_MS } from '../../lib/clock.ts';
import { grouped } from '../../lib/grouped.ts';
import { nth } from '../../lib/nth.ts';
import { keptFit } from '../../statistics/kept-fits.ts';
import { median, varianceInflation } from '../../statistics/order.ts';
import { isCustomTiming } from './custom-timings.ts';
import { type FreedRuns, freedOfCycle, type JudgeOptions, type State, type Verdict } from './engine/judge-series.ts';
import { type Judged, judgeTogether, type TogetherOptions, type Tracked } from './engine/judge-together.ts';
import { cutMean } from './engine/noise.ts';
import { beginOf, type Effect, type Level, levelOf, type Move, type Span } from './engine/run-series.ts';
import { twoLevelsIn } from './engine/two-levels.ts';
import { isFailed, type Report, reportsIn, type Series, type Step, seriesOf, stepsOf, sumSeries, usualSteps, type Window } from './runs.ts';
import { additiveMetrics, metricFact, rankOf, speedMetricNames, usualSpeedMetrics } from './speed-metrics.ts';
import { type Unmeasured, unmeasuredIn } from './unmeasured.ts';

/**
 * Standard errors of days by which a move must stand out, by how many times the scatter of days exceeds what their runs explain. All series
 * of a scenario count, because a cause that moves whole days moves all of them. Moves are looked for at every instant of every series, and
 * there are more stretches than instants. Chosen by `npm run bench -- nature speed`.
 */
const NEEDED = [
  { excess: 1.55, lasting: 6, undone: 6.5, drift: 4.5 },
  { excess: 1.2, lasting: 5, undone: 6, drift: 4.5 },
  { excess: 1.05, lasting: 4, undone: 5, drift: 4.5 },
] as const;
/** With fewer days nothing is known of how days differ. */
const LEAST_DAYS = 6;
/** Factors that were fitted to the days. */
const FITTED = 8;
/** Least standard deviation of a day, log scale: below it, scatter is rounding. */
const FLOOR = 1e-3;

/** When a move was; what lasts has no end. */
export type Stretch = Pick<Move, 'shape' | 'fromMs' | 'untilMs'>;

/** Twenty-four hours of runs on one side of the edges of a stretch. */
interface Block {
  readonly number: number;
  readonly isMoved: boolean;
  readonly logs: readonly number[];
  readonly middle: number;
}

/** Variance of values around 0, those that are far off cut. */
const varianceOf = (residuals: readonly number[]) => cutMean(residuals.map((residual) => residual * residual));
const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Whole days, counted from the edges of the stretch so that none holds runs of both levels; of a shorter stretch what there is. */
function blocksOf({ dates, logs, isUsual }: FreedRuns, { fromMs, untilMs: toMs = Number.POSITIVE_INFINITY }: Stretch): Block[] {
  const lengthDays = Math.ceil((toMs - fromMs) / DAY_MS);
  const runs = dates.flatMap((date, index) => {
    if (!isUsual[index]) return [];
    const number = date < toMs ? Math.floor((date - fromMs) / DAY_MS) : lengthDays + Math.floor((date - toMs) / DAY_MS);
    return [{ number, isMoved: date >= fromMs && date < toMs, log: nth(logs, index) }];
  });
  const all = [...grouped(runs, ({ number }) => number)].map(([number, members]): Block => {
    const own = members.map(({ log }) => log);
    return { number, isMoved: members.some(({ isMoved }) => isMoved), logs: own, middle: meanOf(own) };
  });
  const usual = median(all.map((block) => block.logs.length));
  const fullest = (isMoved: boolean) =>
    all.filter((block) => block.isMoved === isMoved).toSorted((a, b) => b.logs.length - a.logs.length)[0];
  const needed = new Set([fullest(true), fullest(false)]);
  return all.filter((block) => block.logs.length >= usual / 2 || needed.has(block)).toSorted((a, b) => a.number - b.number);
}

/** How a move compares with what the days of a series differ by. */
interface AmongDays {
  /** Variance of whole days, and what their runs let expect of it. */
  readonly variance: number;
  readonly expected: number;
  /** Standard errors of the move. */
  readonly score: number;
}

const dotOf = (a: readonly number[], b: readonly number[]) => a.reduce((sum, value, at) => sum + value * nth(b, at), 0);

function centred(values: readonly number[]): number[] {
  const mean = meanOf(values);
  return values.map((value) => value - mean);
}

/** Days whose neighbours are compared lie so many days apart at most. */
const LAGS = [1, 2];

/**
 * Variance of days by the differences of near ones (Rice 1984), which neither a slope nor levels that changed for good widen: a release of
 * the whole site is no scatter of days. Differences across an edge of the stretch are those of the move itself.
 */
function scatterOf(blocks: readonly Block[], isDrift: boolean): number {
  const squares = LAGS.flatMap((lag) =>
    blocks.slice(lag).flatMap(({ middle, isMoved }, at) => {
      const former = blocks[at];
      return former && (isDrift || former.isMoved === isMoved) ? [(middle - former.middle) ** 2 / 2] : [];
    }),
  );
  return cutMean(squares);
}

/** Undefined with too few days to say. */
function amongDays(runs: FreedRuns, course: Stretch): AmongDays | undefined {
  const isDrift = course.shape === 'drift';
  const blocks = blocksOf(runs, course);
  const isOneSided = !isDrift && new Set(blocks.map(({ isMoved }) => isMoved)).size < 2;
  if (blocks.length < LEAST_DAYS || isOneSided) return undefined;
  // Factors of the weekdays were fitted to the same days.
  const variance = (scatterOf(blocks, isDrift) * blocks.length) / Math.max(LEAST_DAYS, blocks.length - FITTED);
  const within = blocks.flatMap(({ logs, middle }) => logs.map((log) => log - middle));
  const expected = (varianceOf(within) * varianceInflation(within)) / median(blocks.map(({ logs }) => logs.length));
  const line = centred(blocks.map(({ number }) => number));
  const sides = centred(blocks.map(({ isMoved }) => Number(isMoved)));
  const tilt = dotOf(sides, line) / dotOf(line, line);
  // A step is what a slope leaves of it.
  const part = isDrift ? line : sides.map((side, at) => side - tilt * nth(line, at));
  const size = dotOf(
    part,
    blocks.map(({ middle }) => middle),
  );
  return { variance, expected, score: Math.abs(size) / Math.sqrt(dotOf(part, part) * Math.max(FLOOR ** 2, variance)) };
}

/** By how many times the scatter of days exceeds what runs explain, where days move all series of a scenario by as much. */
function excessOf({ expected }: AmongDays, all: readonly AmongDays[]): number {
  // A time that is always 0 would say that days do not differ.
  const telling = all.filter((each) => Math.max(each.variance, each.expected) > FLOOR ** 2);
  // Series whose runs scatter little say most of days.
  const weights = telling.map((each) => 1 / Math.max(FLOOR ** 2, each.expected) ** 2);
  const total = weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const ofDays = telling.reduce((sum, each, index) => sum + nth(weights, index) * (each.variance - each.expected), 0) / total;
  return Math.sqrt(1 + Math.max(0, ofDays) / Math.max(FLOOR ** 2, expected));
}

const KINDS = { drift: 'drift', step: 'lasting', episode: 'undone' } as const;

/**
 * Whether moves of the series of one scenario stand out from the usual differences of whole days. Runs of one day may share a level of
 * their own (a busy server, a slow line), and the scatter of runs alone makes too much of a few such days. Weekends and hours, which come
 * back each week, are no such level. True where days of the scenario differ by no more than their runs explain, and where there are too few
 * days to say.
 */
export function dayTestOf<Each extends { readonly series: Series; readonly effect: Effect }>(
  tracked: readonly Each[],
  { timeZone, tells = () => true }: Pick<JudgeOptions, 'timeZone'> & { readonly tells?: (each: Each) => boolean },
): (series: Series, move: Stretch) => boolean {
  const effects = new Map(tracked.map(({ series, effect }) => [series, effect]));
  const daysOf = (series: Series, effect: Effect, course: Stretch) =>
    keptFit('days', [series, effect, timeZone, course], () => amongDays(freedOfCycle(series, { effect, timeZone }), course));
  return (series, { shape, fromMs, untilMs }) => {
    const course = { shape, fromMs, untilMs };
    const effect = effects.get(series);
    const own = effect && daysOf(series, effect, course);
    if (!own || own.score >= NEEDED[0].undone) return true;
    const others = tracked.filter((each) => each.series === series || tells(each));
    const all = others.flatMap((each) => daysOf(each.series, each.effect, course) ?? []);
    const excess = excessOf(own, all);
    const needed = NEEDED.find((each) => excess >= each.excess)?.[KINDS[shape]] ?? 0;
    return own.score >= needed;
  };
}

/** One metric of one step, or of all steps together. */
interface StudySeries extends Tracked {
  /** Undefined for the sum over all steps. */
  readonly step: Step | undefined;
  readonly metric: string;
}

/** A state, the move behind it, and the move that is named without being claimed. */
interface Moved {
  readonly state: State;
  readonly move: Move | undefined;
  /** A move that is named but not claimed, because whole days differ by as much. */
  readonly held: Move | undefined;
}

/** The state that a verdict gives, or steady with the move only named, where it does not stand out from the differences between days. */
function moveOf({ state, move }: Verdict, series: Series, test: ReturnType<typeof dayTestOf>): Moved {
  return !move || test(series, move) ? { state, move, held: undefined } : { state: 'steady', move: undefined, held: move };
}

/** The state of a step's series where part of its runs moved and the others did not. */
function splitOf({ series, effect }: Tracked, timeZone: string): Moved | undefined {
  const move = keptFit('two levels', [series, effect, timeZone], () => twoLevelsIn(freedOfCycle(series, { effect, timeZone })));
  if (!move || Math.abs(move.after.typical - move.before.typical) < effect.absolute) return undefined;
  return { state: 'two levels', move, held: undefined };
}

/** One of several series of a scenario and how it moved. */
interface Placed extends Moved {
  readonly group: string;
  readonly rank: number;
}

/** Instants that lie closer are those of one change: single runs that lie off show it some runs away. */
const ONE_CHANGE_MS = 6 * HOUR_MS;

const areNear = (a: Span, b: Span) => a.startMs <= b.endMs + ONE_CHANGE_MS && b.startMs <= a.endMs + ONE_CHANGE_MS;

/** How far the levels of a move lie apart, counted in the middle halves of the runs on both sides. */
function clarityOf({ move }: Moved): number {
  if (!move) return 0;
  const { before, after } = move;
  const spread = ({ p25, p75 }: Level) => p75 - p25;
  return Math.abs(after.typical - before.typical) / Math.max(spread(before) + spread(after), Number.MIN_VALUE);
}

/**
 * The same with one instant for all metrics of a step that moved at the same time: that of the one which shows it most clearly, as weights
 * do to the run where times scatter.
 */
export function inOneInstant<Each extends Placed>(all: readonly Each[]): Each[] {
  const lasting = ({ move, state }: Each) => move?.shape === 'step' && state !== 'two levels';
  return all.map((each) => {
    const { move, group } = each;
    if (!move || !lasting(each)) return each;
    const [leader] = all
      .filter((other) => other.group === group && lasting(other) && other.move && areNear(other.move.began, move.began))
      .toSorted((a, b) => clarityOf(b) - clarityOf(a) || a.rank - b.rank);
    const { fromMs, previousMs, began } = leader?.move ?? move;
    return { ...each, move: { ...move, fromMs, previousMs, began } };
  });
}

/** A step whose series is divided by those of the other steps in the same runs. */
interface Beside extends Tracked {
  /** Its series as it is. */
  readonly own: Series;
  readonly others: readonly Series[];
}

/** Share of the runs of a step that the other steps must have too. */
const LEAST_SHARED = 0.8;
/** Share of a move beside the other steps that the step itself must show, and most that these may. */
const HALF = 0.5;

/** Values of a series over the geometric mean of others in the same runs; undefined where these have few of them. */
function quotientOf(series: Series, others: readonly Series[]): Series | undefined {
  const known = others.map(({ dates, values }) => new Map(dates.map((date, run) => [date, nth(values, run)])));
  const runs = series.dates.flatMap((date, run) => {
    const values = known.map((other) => other.get(date) ?? 0);
    const value = nth(series.values, run);
    if (!(value > 0) || values.some((other) => !(other > 0))) return [];
    return [{ date, log: Math.log(value) - values.reduce((sum, other) => sum + Math.log(other), 0) / values.length }];
  });
  if (runs.length < LEAST_SHARED * series.dates.length) return undefined;
  // In the unit of the series, so that the smallest change that counts is the same.
  const usual = meanOf(series.values.map((value) => Math.log(Math.max(Number.MIN_VALUE, value)))) - meanOf(runs.map(({ log }) => log));
  return { dates: runs.map(({ date }) => date), values: runs.map(({ log }) => Math.exp(log + usual)) };
}

/** Times of each step beside those of the other steps. */
function besideOthers(tracked: readonly StudySeries[]): Beside[] {
  const ofSteps = tracked.filter(({ step, metric }) => step !== undefined && metricFact(metric).kind === 'ms');
  return ofSteps.flatMap((each) => {
    const own = each.series;
    const others = ofSteps.flatMap(({ metric, step, series }) => (metric === each.metric && step !== each.step ? [series] : []));
    const series = others.length > 0 ? keptFit('quotient', [own, ...others], () => quotientOf(own, others)) : undefined;
    return series ? [{ ...each, own, others, series }] : [];
  });
}

/** The move of a step at the instant at which it parted from the others; undefined where it was these that moved. */
function partedMove({ own, others, effect, verdict: { state, move, moves } }: Judged<Beside>, timeZone: string): Moved | undefined {
  if (!move || (state !== 'slower' && state !== 'faster')) return undefined;
  const edges = moves.flatMap(({ shape, fromMs }) => (shape === 'step' ? [fromMs] : []));
  const endMs = edges.find((ms) => ms > move.fromMs) ?? (own.dates.at(-1) ?? 0) + 1;
  // As long before as since: other changes of all steps lie further back.
  const firstMs = Math.max(edges.findLast((ms) => ms < move.fromMs) ?? 0, 2 * move.fromMs - endMs);
  /** The levels of a series on both sides, up to where the step parted from the others at other times. */
  const sidesOf = (series: Series) => {
    const { dates, values, logs, valueOf } = freedOfCycle(series, { effect, timeZone });
    const levelFrom = (fromMs: number, toMs: number) => {
      const runs = dates.flatMap((date, run) => (date >= fromMs && date < toMs ? [run] : []));
      return levelOf(
        runs.map((run) => nth(values, run)),
        runs.map((run) => valueOf(nth(logs, run))),
      );
    };
    const [before, after] = [levelFrom(firstMs, move.fromMs), levelFrom(move.fromMs, endMs)];
    return { before, after, relative: after.typical / before.typical - 1 };
  };
  const whole = Math.log1p(move.relative);
  const shareOf = ({ relative }: { readonly relative: number }) => Math.log1p(relative) / whole;
  const sides = sidesOf(own);
  const ofOthers = others.reduce((sum, other) => sum + shareOf(sidesOf(other)), 0) / others.length;
  return shareOf(sides) < HALF || Math.abs(ofOthers) > HALF ? undefined : { state, move: { ...move, ...sides }, held: undefined };
}

/**
 * Lasting moves of single steps beside the other steps of the same runs: what moves whole days and releases of the whole site move all
 * steps, so such days hide a change of one step less.
 */
function movesBesideSteps(tracked: readonly StudySeries[], options: TogetherOptions): ReadonlyMap<Series, Moved> {
  const beside = besideOthers(tracked);
  const test = dayTestOf(beside, options);
  return new Map(
    judgeTogether(beside, options).flatMap((each) => {
      const moved = moveOf(each.verdict, each.series, test).move && partedMove(each, options.timeZone);
      return moved ? [[each.own, moved] as const] : [];
    }),
  );
}

/** The verdict on one metric of one step (or of all steps together) over the whole look-back. */
export interface Row extends StudySeries, Moved {
  readonly verdict: Verdict;
  /** The other steps and episodes of a row that moved, as far as they stand out from what whole days differ by. */
  readonly further: readonly Move[];
}

/** Runs of one window. */
export interface Runs {
  readonly window: Window;
  readonly all: readonly Report[];
  readonly failed: readonly Report[];
}

/** All that reports alone say about a scenario. */
export interface Study {
  readonly baseline: Runs;
  readonly period: Runs;
  /** Reports of both windows without failed ones, oldest first. */
  readonly sound: readonly Report[];
  readonly steps: readonly Step[];
  readonly rows: readonly Row[];
  /** Metrics that runs of the period lack, those that visitors feel most first. */
  readonly unmeasured: readonly Unmeasured[];
  /** The state of the headline; `steady` without a headline. */
  readonly state: State;
  /** The row that stands for the others; undefined where all is steady or nothing could be judged. */
  readonly headline: Row | undefined;
  /** Steps of a whole run, and how many sound reports have another number: these are in no sum. */
  readonly usualSteps: number;
  readonly otherSteps: number;
  /** IANA zone whose hours and weekdays the runs follow, and in which instants are written. */
  readonly timeZone: string;
}

/** The question behind a study. */
export interface StudyOptions {
  readonly baseline: Window;
  readonly period: Window;
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
function comparableMetrics(asked: readonly string[] | undefined): readonly string[] {
  const named = asked ?? usualSpeedMetrics;
  const names = named.includes('all') ? [...speedMetricNames, ...named.filter((name) => name !== 'all')] : named;
  return [...new Set(names)].filter((name) => name !== 'navigationStart');
}

/** All runs of a window, and those that failed. */
export function runsOf(reports: readonly Report[], window: Window): Runs {
  const all = reportsIn(reports, window);
  return { window, all, failed: all.filter(isFailed) };
}

/** Sums are named after the steps that they are made of. */
const SUMS_LAST = 1_000;
/** Metrics that take as large a change to count repeat so badly that their scatter says nothing of the scenario. */
const SCATTERS_BY_NATURE = 0.1;

/** Rows that moved, in the order in which they speak for a period: what lasts, what ended in it, what was over before it. */
function movedRows(rows: readonly Row[], { startMs }: Window): Row[] {
  const ended = rows.filter(({ move }) => move?.untilMs !== undefined);
  const isOver = ({ move }: Row) => (move?.untilMs ?? 0) < startMs;
  const lasting = rows.filter(({ move }) => move && move.untilMs === undefined);
  return [...lasting, ...ended.filter((row) => !isOver(row)), ...ended.filter(isOver)];
}

/** The worst row that moved for good, else for a time, else the first that is unstable in a metric which usually is not. */
function headlineOf(rows: readonly Row[], period: Window): Row | undefined {
  const isUnstable = ({ state, metric, step }: Row) =>
    state === 'unstable' &&
    step !== undefined &&
    rankOf(metric) < Number.MAX_SAFE_INTEGER &&
    metricFact(metric).effect.relative < SCATTERS_BY_NATURE;
  // Where metrics that people know were looked at, others do not speak for the scenario.
  const known = rows.filter(({ metric }) => rankOf(metric) < Number.MAX_SAFE_INTEGER || isCustomTiming(metric));
  const [moved] = movedRows(known.length > 0 ? known : rows, period);
  return (moved && rows.find((row) => explains(row, moved))) ?? moved ?? rows.find(isUnstable);
}

/** A mixture that began within so long of a change of the same step, or of a sum over steps, is what the change was read from. */
const SAME_TIME_MS = 2 * DAY_MS;

function explains({ state, step, move }: Row, moved: Row): boolean {
  // A sum mixes its steps.
  const isOfStep = moved.step === undefined || step === moved.step;
  if (state !== 'two levels' || !isOfStep || !move) return false;
  return Math.abs(move.fromMs - (beginOf(moved.move) ?? move.fromMs)) <= SAME_TIME_MS;
}

function stateOf(rows: readonly Row[], headline: Row | undefined): State {
  if (headline) return headline.state;
  return rows.some(({ state }) => state !== 'not enough data') ? 'steady' : 'not enough data';
}

/** Steps of the sound reports of both windows. */
export function soundSteps(reports: readonly Report[], windows: { baseline: Window; period: Window }): Step[] {
  const inside = [...reportsIn(reports, windows.baseline), ...reportsIn(reports, windows.period)];
  return stepsOf(inside.filter((report) => !isFailed(report)));
}

/** The draft of a study: what its reports say, the series of the scenario, and how they are judged. */
export interface StudyDraft {
  readonly facts: Omit<Study, 'rows' | 'state' | 'headline'>;
  readonly tracked: readonly StudySeries[];
  /** The verdicts depend on these and the series alone. */
  readonly judging: TogetherOptions;
}

/** The period from its first run to its last: all others that have the same runs are judged alike. */
function periodOfRuns(sound: readonly Report[], period: Window): Window {
  const dates = reportsIn(sound, period).map(({ date }) => date);
  const [startMs = Number.POSITIVE_INFINITY, endMs = Number.NEGATIVE_INFINITY] = [dates[0], dates.at(-1)];
  return { startMs, endMs };
}

/** Each metric of each step, and of all steps together where a sum means something. */
export function draftStudy(reports: readonly Report[], options: StudyOptions): StudyDraft {
  const { baseline, period, metrics, step, timeZone, falseDiscoveryRate } = options;
  const sides = { baseline: runsOf(reports, baseline), period: runsOf(reports, period) };
  const sound = [...sides.baseline.all, ...sides.period.all].filter((report) => !isFailed(report)).toSorted((a, b) => a.date - b.date);
  const steps = step ? [step] : stepsOf(sound);
  const named = comparableMetrics(metrics);
  const usual = usualSteps(sound);
  const sums = step || usual < 2 ? [] : named.filter((metric) => additiveMetrics.includes(metric));
  const tracked = [
    ...steps.flatMap((each) => named.map((metric) => ({ step: each, metric, series: seriesOf(each, metric) }))),
    ...sums.map((metric) => ({ step: undefined, metric, series: sumSeries(sound, metric, usual) })),
  ]
    .filter(({ series }) => series.values.length > 0)
    .map((each) => ({
      ...each,
      group: each.step ? String(each.step.number) : 'sum',
      rank: rankOf(each.metric) + (each.step ? 0 : SUMS_LAST),
      effect: metricFact(each.metric).effect,
    }));
  return {
    facts: {
      ...sides,
      timeZone,
      sound,
      steps,
      unmeasured: named
        .flatMap((metric) => steps.flatMap((each) => unmeasuredIn(each, metric, period) ?? []))
        .toSorted((a, b) => rankOf(a.metric) - rankOf(b.metric)),
      usualSteps: usual,
      otherSteps: sound.filter((report) => report.steps?.length !== usual).length,
    },
    tracked,
    judging: { period: periodOfRuns(sound, period), timeZone, falseDiscoveryRate },
  };
}

/** The verdicts on the series of a draft, the worst first. */
function judge({ tracked, judging }: StudyDraft): Row[] {
  // Slow days move times, not weights and counts.
  const test = dayTestOf(tracked, { ...judging, tells: ({ metric }) => metricFact(metric).kind === 'ms' });
  // A sum mixes the steps, whose runs move one by one.
  const rows = judgeTogether(tracked, judging).map((each) => ({
    ...each,
    ...((each.step && splitOf(each, judging.timeZone)) ?? moveOf(each.verdict, each.series, test)),
  }));
  // Whole days may hide that one step moved for good.
  const isDoubtful = ({ held, state }: Moved) => held !== undefined || state === 'drifting';
  const beside: ReadonlyMap<Series, Moved> = rows.some(isDoubtful) ? movesBesideSteps(tracked, judging) : new Map();
  const settled = rows.map((row) => ({ ...row, ...(isDoubtful(row) && beside.get(row.series)) }));
  const isSlower = ({ state }: Moved) => state === 'slower';
  const isEarlier = ({ move }: Moved) => Number((move?.fromMs ?? 0) < judging.period.startMs);
  const slower = settled.filter(isSlower);
  const inOrder = beside.size === 0 ? slower : slower.toSorted((a, b) => isEarlier(a) - isEarlier(b) || a.rank - b.rank);
  return inOneInstant([...inOrder, ...settled.filter((row) => !isSlower(row))]).map((row) => {
    const { move, verdict, series } = row;
    const others = move ? verdict.moves.filter((other) => other !== verdict.move && other.fromMs !== move.fromMs) : [];
    return { ...row, further: others.filter((other) => test(series, other)) };
  });
}

/** The study that the verdicts on a draft make. */
export function judgeDraft(draft: StudyDraft): Study {
  const rows = judge(draft);
  const headline = headlineOf(rows, draft.facts.period.window);
  return { ...draft.facts, rows, state: stateOf(rows, headline), headline };
}

/** Compares each metric of each step, and of all steps together where a sum means something. */
export const studyScenario = (reports: readonly Report[], options: StudyOptions): Study => judgeDraft(draftStudy(reports, options));
