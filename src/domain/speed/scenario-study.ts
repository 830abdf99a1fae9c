import { DAY_MS } from '../../lib/clock.ts';
import { dayTestOf } from './day-scatter.ts';
import { freedOfCycle, type Verdict } from './engine/judge-series.ts';
import { type Judged, judgeTogether, type Tracked } from './engine/judge-together.ts';
import type { Level, Span } from './engine/run-series.ts';
import { twoLevelsIn } from './engine/two-levels.ts';
import { isFailed, type Report, reportsIn, type Series, type Step, seriesOf, stepsOf, sumSeries, usualSteps, type Window } from './runs.ts';
import { additiveMetrics, metricFact, rankOf, speedMetricNames, usualSpeedMetrics } from './speed-metrics.ts';

/** A level that was left, and the one that came after it. */
export interface Move {
  /** Of the first run after, and of the last one before; undefined for a drift, which has no beginning. */
  readonly since: { readonly date: number; readonly previousDate: number; readonly range: Span } | undefined;
  /** First run that is back at the former level; undefined where the change lasts. */
  readonly untilDate: number | undefined;
  readonly before: Level;
  readonly after: Level;
  /** Of the typical values; 0.2 for +20 %. */
  readonly relative: number;
  /** Of a drift, 0.2 for +20 % in 30 days. */
  readonly relativePer30Days: number | undefined;
  /** Share of the runs since that are at the level after, where the others kept theirs; undefined where all moved. */
  readonly share?: number;
}

interface Key {
  readonly series: Series;
}

function previousOf({ dates }: Series, ms: number): number {
  return dates.findLast((date) => date < ms) ?? ms;
}

const LASTS = { untilDate: undefined, relativePer30Days: undefined } as const;

function ownMove(verdict: Verdict, series: Series): Move | undefined {
  if ('change' in verdict) {
    const { atMs, previousMs, range, before, since, relative } = verdict.change;
    return { ...LASTS, since: { date: atMs, previousDate: previousMs, range }, before, after: since, relative };
  }
  if ('episode' in verdict) {
    const { fromMs, toMs, began, before, during, relative } = verdict.episode;
    const since = { date: fromMs, previousDate: previousOf(series, fromMs), range: began };
    return { ...LASTS, since, untilDate: toMs, before, after: during, relative };
  }
  if (verdict.state !== 'drifting') return undefined;
  const { first, last, relativePer30Days } = verdict;
  return { ...LASTS, since: undefined, before: first, after: last, relative: last.typical / first.typical - 1, relativePer30Days };
}

/** A state, the move that it is owed to, and the one that is told without being claimed. */
type Moved = Pick<Row, 'state' | 'move' | 'held'>;

type DayTest = ReturnType<typeof dayTestOf>;

/** A drift has no beginning, and is not tested. */
function standsOut(move: Move | undefined, series: Series, test: DayTest): boolean {
  return !move?.since || test(series, { fromMs: move.since.date, toMs: move.untilDate ?? Number.POSITIVE_INFINITY });
}

/** The same; steady, with the move held back, where it does not stand out from what days differ by. */
function checked(moved: Omit<Moved, 'held'>, series: Series, test: DayTest): Moved {
  if (standsOut(moved.move, series, test)) return { ...moved, held: undefined };
  return { state: 'steady', move: undefined, held: moved.move };
}

/** The state of a series and how it moved: by itself, or at the instant at which its step did. */
function moveOf<K extends Key>(each: Judged<K>, judged: readonly Judged<K>[], test: DayTest): Moved {
  const { key, group, verdict, movedWith, doubted } = each;
  const own = checked({ state: verdict.state, move: ownMove(verdict, key.series) }, key.series, test);
  const held = own.held ?? (own.move || !doubted ? undefined : ownMove(doubted, key.series));
  if (!movedWith || movedWith.state === 'no change') return { ...own, held };
  const { state, before, since: after, relative } = movedWith;
  const leaders = judged.filter((other) => other.group === group && 'change' in other.verdict).toSorted((a, b) => a.rank - b.rank);
  const [leader] = leaders;
  const led = leader && ownMove(leader.verdict, leader.key.series);
  // Where the change that gave the instant is none, nothing moved with it.
  if (!leader || !led || !standsOut(led, leader.key.series, test)) return { state: verdict.state, move: undefined, held };
  return checked({ state, move: { ...LASTS, since: led.since, before, after, relative } }, key.series, test);
}

/** First instants of the lasting changes and episodes of a series that stand out from what days differ by. */
function standingOf(verdict: Verdict, series: Series, test: DayTest): number[] {
  if (!('changes' in verdict)) return [];
  const stretches = [
    ...verdict.changes.map(({ atMs }) => ({ fromMs: atMs, toMs: Number.POSITIVE_INFINITY })),
    ...verdict.episodes.map(({ fromMs, toMs }) => ({ fromMs, toMs })),
  ];
  return stretches.filter((stretch) => test(series, stretch)).map(({ fromMs }) => fromMs);
}

/** The states of a series, the worst first. */
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
] as const satisfies readonly (Verdict['state'] | 'two levels')[];

/** What a series does, in a word. */
export type State = (typeof SPEED_STATES)[number];

/** One metric of one step (or of all steps together) over the whole look-back. */
export interface Row {
  /** Undefined for the sum over all steps. */
  readonly step: Step | undefined;
  readonly metric: string;
  readonly series: Series;
  readonly state: State;
  readonly verdict: Verdict;
  /** Where the level moved, and between which levels; undefined where it did not. */
  readonly move: Move | undefined;
  /** A move that whole days differ by as much as: told, and not claimed. */
  readonly held: Move | undefined;
  /** First instants of all changes and episodes that stand out from what whole days differ by. */
  readonly standing: readonly number[];
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
  /** That of the headline; `steady` where there is none. */
  readonly state: State;
  /** The row that stands for the others; undefined where all is steady or nothing could be judged. */
  readonly headline: Row | undefined;
  /** Steps of a whole run, and how many sound reports have another number: these are in no sum. */
  readonly usualSteps: number;
  readonly otherSteps: number;
  /** IANA zone whose hours and weekdays the runs follow, and in which instants are written. */
  readonly timeZone: string;
}

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
  const names = asked?.includes('all') ? speedMetricNames : (asked ?? usualSpeedMetrics);
  return [...new Set(names)].filter((name) => name !== 'navigationStart');
}

function runsOf(reports: readonly Report[], window: Window): Runs {
  const all = reportsIn(reports, window);
  return { window, all, failed: all.filter(isFailed) };
}

/** Sums are named after the steps that they are made of. */
const SUMS_LAST = 1_000;
/** Metrics that take as large a change to count repeat so badly that their scatter says nothing of the scenario. */
const SCATTERS_BY_NATURE = 0.1;

/** The first row that moved, else the first that is unstable in a metric which usually is not; rows are sorted, the worst first. */
function headlineOf(rows: readonly Row[]): Row | undefined {
  const isUnstable = ({ state, metric, step }: Row) =>
    state === 'unstable' && step !== undefined && metricFact(metric).effect.relative < SCATTERS_BY_NATURE;
  const moved = rows.find(({ move }) => move);
  return (moved && rows.find((row) => explains(row, moved))) ?? moved ?? rows.find(isUnstable);
}

/** A mixture that began within so long of a change of the same step is what the change was read from. */
const SAME_TIME_MS = 2 * DAY_MS;

function explains({ state, step, move }: Row, moved: Row): boolean {
  if (state !== 'two levels' || step !== moved.step || !move?.since) return false;
  return moved.move?.since === undefined || Math.abs(move.since.date - moved.move.since.date) <= SAME_TIME_MS;
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

/** One metric of one step, or of all steps together. */
type RowKey = Pick<Row, 'step' | 'metric' | 'series'>;

/** What a study judges: the series of a scenario, and how. */
export interface StudyDraft {
  readonly sides: Pick<Study, 'baseline' | 'period'>;
  readonly sound: readonly Report[];
  readonly steps: readonly Step[];
  readonly usualSteps: number;
  readonly tracked: readonly Tracked<RowKey>[];
  /** The verdicts depend on these and the series alone. */
  readonly judging: { readonly period: Window; readonly timeZone: string; readonly falseDiscoveryRate: number | undefined };
}

/** What is said of the series at one place of a draft. */
export interface JudgedRow extends Pick<Row, 'state' | 'verdict' | 'move' | 'held' | 'standing'> {
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
    tracked,
    judging: { period: periodOfRuns(sound, period), timeZone, falseDiscoveryRate },
  };
}

/** The state of a step's series where part of its runs moved and the others did not. */
function splitOf({ step, metric, series }: RowKey, { timeZone }: StudyDraft['judging']): Moved | undefined {
  // A sum mixes the steps, whose runs move one by one.
  const found = step && twoLevelsIn(freedOfCycle(series, { effect: metricFact(metric).effect, timeZone }));
  if (!found) return undefined;
  const { atMs, previousMs, range, usual, moved, relative, since } = found;
  const { absolute } = metricFact(metric).effect;
  if (Math.abs(moved.typical - usual.typical) < absolute) return undefined;
  const move: Move = {
    ...LASTS,
    since: { date: atMs, previousDate: previousMs, range },
    before: usual,
    after: moved,
    relative,
    ...(since.share !== null && { share: since.share }),
  };
  return { state: 'two levels', move, held: undefined };
}

/** The verdicts on a draft, the worst first. */
export function judgeDraft({ tracked, judging }: StudyDraft): JudgedRow[] {
  // Slow days move times, not weights and counts.
  const test = dayTestOf(tracked, { ...judging, tells: ({ key }) => metricFact(key.metric).kind === 'ms' });
  const isCredible = ({ series }: RowKey, verdict: Verdict) => standsOut(ownMove(verdict, series), series, test);
  const { judged } = judgeTogether(tracked, { ...judging, isCredible });
  const places = new Map(tracked.map(({ key }, place) => [key, place]));
  return judged.map((each) => {
    const { key, verdict } = each;
    const moved = splitOf(key, judging) ?? moveOf(each, judged, test);
    return { place: places.get(key) ?? -1, verdict, ...moved, standing: standingOf(verdict, key.series, test) };
  });
}

/** The study that verdicts on a draft make. */
export function studyFrom({ sides, sound, steps, usualSteps: usual, tracked, judging }: StudyDraft, judged: readonly JudgedRow[]): Study {
  const rows = judged.flatMap(({ place, ...said }): Row[] => {
    const key = tracked[place]?.key;
    return key ? [{ ...key, ...said }] : [];
  });
  const headline = headlineOf(rows);
  return {
    ...sides,
    timeZone: judging.timeZone,
    sound,
    steps,
    rows,
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
