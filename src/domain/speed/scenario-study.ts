import { DAY_MS } from '../../lib/clock.ts';
import { keptFit } from '../../statistics/kept-fits.ts';
import { movesBesideSteps } from './beside-steps.ts';
import { isCustomTiming } from './custom-timings.ts';
import { dayTestOf } from './day-scatter.ts';
import type { State, Verdict } from './engine/judge-series.ts';
import { judgeTogether, moveIn, type Tracked } from './engine/judge-together.ts';
import { beginOf, type Move } from './engine/run-series.ts';
import { isFailed, type Report, reportsIn, type Series, type Step, seriesOf, stepsOf, sumSeries, usualSteps, type Window } from './runs.ts';
import { inOneInstant, type Moved, moveOf, type RowKey, splitOf } from './settle-moves.ts';
import { additiveMetrics, metricFact, rankOf, speedMetricNames, usualSpeedMetrics } from './speed-metrics.ts';
import { type Unmeasured, unmeasuredIn } from './unmeasured.ts';

/** The verdict on one metric of one step (or of all steps together) over the whole look-back. */
export interface Row extends RowKey, Moved {
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

/** The draft of a study: the series of a scenario, and how they are judged. */
export interface StudyDraft {
  readonly sides: Pick<Study, 'baseline' | 'period'>;
  readonly sound: readonly Report[];
  readonly steps: readonly Step[];
  readonly usualSteps: number;
  readonly unmeasured: readonly Unmeasured[];
  readonly tracked: readonly Tracked<RowKey>[];
  /** The verdicts depend on these and the series alone. */
  readonly judging: { readonly period: Window; readonly timeZone: string; readonly falseDiscoveryRate: number | undefined };
}

/** The judgement of the series at one place of a draft. */
export interface JudgedRow extends Omit<Row, keyof RowKey> {
  readonly place: number;
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
    .map((key) => ({
      key,
      group: key.step ? String(key.step.number) : 'sum',
      rank: rankOf(key.metric) + (key.step ? 0 : SUMS_LAST),
      series: key.series,
      effect: metricFact(key.metric).effect,
    }));
  return {
    sides,
    sound,
    steps,
    usualSteps: usual,
    unmeasured: named
      .flatMap((metric) => steps.flatMap((each) => unmeasuredIn(each, metric, period) ?? []))
      .toSorted((a, b) => rankOf(a.metric) - rankOf(b.metric)),
    tracked,
    judging: { period: periodOfRuns(sound, period), timeZone, falseDiscoveryRate },
  };
}

/** The verdicts on a draft, the worst first. */
export function judgeDraft({ tracked, judging }: StudyDraft): readonly JudgedRow[] {
  const asked = tracked.map(({ group, rank, effect, key: { metric } }) => ({ group, rank, effect, metric }));
  return keptFit('scenario', [judging, asked, ...tracked.map(({ series }) => series)], () => judge(tracked, judging));
}

function judge(tracked: StudyDraft['tracked'], judging: StudyDraft['judging']): JudgedRow[] {
  // Slow days move times, not weights and counts.
  const test = dayTestOf(tracked, { ...judging, tells: ({ key }) => metricFact(key.metric).kind === 'ms' });
  const places = new Map(tracked.map(({ key }, place) => [key, place]));
  const rows = judgeTogether(tracked, judging).map((each) => {
    const { series, step, metric } = each.key;
    // A sum mixes the steps, whose runs move one by one.
    return { ...each, ...((step && splitOf(series, metric, judging.timeZone)) ?? moveOf(each.verdict, series, test)) };
  });
  // Whole days may hide that one step moved for good.
  const isDoubtful = ({ held, state }: (typeof rows)[number]) => held !== undefined || state === 'drifting';
  const beside: ReadonlyMap<Series, Moved> = rows.some(isDoubtful) ? movesBesideSteps(tracked, judging) : new Map();
  const settled = rows.map((row) => ({ ...row, ...(isDoubtful(row) && beside.get(row.key.series)) }));
  const isSlower = ({ state }: Moved) => state === 'slower';
  const isEarlier = ({ move }: Moved) => Number((move?.fromMs ?? 0) < judging.period.startMs);
  const slower = settled.filter(isSlower);
  const inOrder = beside.size === 0 ? slower : slower.toSorted((a, b) => isEarlier(a) - isEarlier(b) || a.rank - b.rank);
  const slowerFirst = [...inOrder, ...settled.filter((row) => !isSlower(row))];
  return inOneInstant(slowerFirst).map(({ key, verdict, state, move, held }) => {
    const all = move && 'moves' in verdict ? verdict.moves : [];
    const further = all.filter((other) => other !== moveIn(verdict) && other.fromMs !== move?.fromMs && test(key.series, other));
    return { place: places.get(key) ?? -1, verdict, state, move, held, further };
  });
}

/** The study that verdicts on a draft make. */
export function studyFrom(
  { sides, sound, steps, usualSteps: usual, unmeasured, tracked, judging }: StudyDraft,
  judged: readonly JudgedRow[],
): Study {
  const rows = judged.flatMap(({ place, ...said }): Row[] => {
    const key = tracked[place]?.key;
    return key ? [{ ...key, ...said }] : [];
  });
  const headline = headlineOf(rows, sides.period.window);
  return {
    ...sides,
    timeZone: judging.timeZone,
    sound,
    steps,
    rows,
    unmeasured,
    state: stateOf(rows, headline),
    headline,
    usualSteps: usual,
    otherSteps: sound.filter((report) => report.steps?.length !== usual).length,
  };
}

/** Compares each metric of each step, and of all steps together where a sum means something. */
export function studyScenario(reports: readonly Report[], options: StudyOptions): Study {
  const draft = draftStudy(reports, options);
  return studyFrom(draft, judgeDraft(draft));
}
