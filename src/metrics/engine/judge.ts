import { nthDouble } from '../../lib/nth.ts';
import { keptFit } from '../../statistics/kept-fits.ts';
import { scoreOfTail, studentOf } from '../../statistics/tails.ts';
import { total } from '../../statistics/vectors.ts';
import { type Change, type DatedChange, dated, USUAL_DAYS } from './changes.ts';
import type { Interval } from './drift-grid.ts';
import { mainChange } from './inner-changes.ts';
import { type Level, levelOf, type Window, weightsOf } from './levels.ts';
import { HISTORY, LONGEST_EPISODE_DAYS, type Quest } from './seek.ts';
import {
  asOrdinary,
  type DailyPoint,
  daysIn,
  LEAST_HISTORY_DAYS,
  type MetricKind,
  relativeOf,
  type Series,
  seriesOf,
  WEEK,
} from './series.ts';
import { type Study, studySeries } from './study.ts';

/** `drift`: the level differs, but it slid there slowly, so there is no day on which it changed. */
export type Verdict = 'up' | 'down' | 'drift' | 'within noise' | 'not enough data';

/** One metric of one selection over history, baseline and period. */
export interface Question {
  readonly kind: MetricKind;
  /** In any order; those before the period teach what is usual. Days between or far from the windows may be missing. */
  readonly days: readonly DailyPoint[];
  readonly baseline: Window;
  readonly period: Window;
  /** Share of the usual error that the verdict may have where it is one of many; left out: all of it. */
  readonly share?: number;
  /** First days of lasting changes of what the metric is the product of. */
  readonly steps?: readonly string[];
}

/** Whether and how a metric changed from the baseline to the period. */
export interface Judgement {
  readonly verdict: Verdict;
  /** The change behind the verdict: the clearest step or episode that begins in the period; without one, the levels decide. */
  readonly main?: DatedChange;
  /** All that goes on or ended on or after the first day of the baseline, in order; outlier days included. */
  readonly changes: readonly DatedChange[];
  /** The levels of the two windows, weekdays taken out and outlier days left out: −0.05 for 5 % less. */
  readonly relative: number | null;
  /** Levels that differ by up to this share are within noise, on the side on which they differ: a fall reaches its bound sooner. */
  readonly noise: number | null;
  /** Difference of the levels over its standard error. */
  readonly score: number;
}

/** Shares of the error of a verdict; together they come to about 1 % in simulations, because the bounds are not exact. */
export const ERRORS = { step: 0.012, episode: 0.0008, level: 0.0015 };
/** Error of what is named beside the verdict. */
const BESIDE = { outlier: 0.004, earlier: 0.001 };
const ALONE = 0.01; // of a verdict by levels alone
/** A younger site changes for the better or worse only where the level rises or falls by this factor. */
const BEYOND_ANY_WEEK = 4;
/** Days of the beginning of a series on which no change can be distinguished from its level. */
const LEAST_DAYS = 7;
/** The p-value that a change needs to be named, where it may be a single large event. */
export const LEAST_CLEAR = 0.015;

function indexOf({ labels }: Series, label: string): number {
  const at = labels.findIndex((own) => own >= label);
  return at < 0 ? labels.length : at;
}

function verdictOfLevel({ difference, error, changes, rest }: Level, limit: number, mayDrift: boolean): Verdict {
  if (Math.abs(difference) <= limit * error) return 'within noise';
  if (!mayDrift) return directionOf(difference);
  // What neither changes nor chance make of it came slowly.
  const sudden = changes + rest;
  return sudden * difference > 0 && Math.abs(sudden) > limit * error ? directionOf(difference) : 'drift';
}

/** The searches: changes in the period decide the verdict; earlier ones and outlier days are named beside it. */
function questsOf(series: Series, { baseline, period, share = 1 }: Question, isByStep: boolean): Quest[] {
  const [learned, end] = [indexOf(series, period.from), series.labels.length];
  const first = series.block + LEAST_DAYS;
  const [far, early] = [indexOf(series, baseline.from), Math.max(first, indexOf(series, baseline.from))];
  const beside: Quest[] = [
    { shape: 'step', from: first, to: early, level: HISTORY },
    { shape: 'step', from: early, to: learned, level: BESIDE.earlier },
    { shape: 'outlier', from: first, to: early, level: HISTORY },
    { shape: 'episode', from: first, to: Math.min(early, learned), level: HISTORY, longest: LONGEST_EPISODE_DAYS },
    { shape: 'outlier', from: Math.min(early, learned), to: end, level: BESIDE.outlier },
    // Days of another season have a level of their own, of which one may be no part.
    { shape: 'outlier', from: far, to: Math.min(series.block, early), level: BESIDE.outlier },
  ];
  const own: Quest[] = [
    { shape: 'step', from: learned, to: end, level: share * ERRORS.step * Math.sqrt(WEEK / Math.max(WEEK, end - learned)) },
    { shape: 'episode', from: Math.min(early, learned), to: end, level: share * ERRORS.episode },
  ];
  // By levels alone no change makes the verdict, but one in the period must not pass for one of the baseline and a day that stands out.
  const alone: Quest[] = [{ shape: 'step', from: learned, to: end, level: BESIDE.earlier }];
  return [...beside, ...(isByStep ? own : alone)].filter(({ from, to }) => from < to);
}

const limitOf = (error: number, freedom: number) => studentOf(scoreOfTail(Math.log(error)), freedom);
const directionOf = (value: number): Verdict => (value > 0 ? 'up' : 'down');
/** Nothing can be said. */
export const UNKNOWN: Judgement = { verdict: 'not enough data', changes: [], relative: null, noise: null, score: 0 };
const OPPOSITE: Readonly<Partial<Record<Verdict, Verdict>>> = { up: 'down', down: 'up' };
const inverse = (relative: number | null) => (relative === null || relative <= -1 ? null : 1 / (1 + relative) - 1);

/** A judgement of two windows that were given the other way round; what changed between them has no first day in the period. */
function turned({ verdict, changes, relative, noise, score }: Judgement): Judgement {
  const bound = inverse(noise !== null && (relative ?? 0) < 0 ? -noise : noise);
  return {
    verdict: OPPOSITE[verdict] ?? verdict,
    changes,
    relative: inverse(relative),
    noise: bound === null ? null : Math.abs(bound),
    score: -score,
  };
}

/**
 * Outlier days of both windows and episodes that began before some day, but for those that lasted until they were usual: no part of the
 * level. What begins on it makes the verdict.
 */
function unusualDays(changes: readonly Change[], start: number): Set<number> {
  const own = changes.filter(
    ({ shape, from, to }) => shape === 'outlier' || (shape === 'episode' && from < start && to - from <= USUAL_DAYS),
  );
  return new Set(own.flatMap(({ from, to }) => Array.from({ length: to - from }, (_, at) => from + at)));
}

/** Special days have a reason of their own; where a window has no others, they stay. */
function specialDays({ doubt, labels }: Series, windows: readonly Window[]): Set<number> {
  const days = new Set<number>();
  for (const { from, to } of windows) {
    const own = labels.flatMap((label, at) => (label >= from && label <= to ? [at] : []));
    const special = own.filter((at) => nthDouble(doubt, at) > 0);
    if (special.length < own.length) for (const at of special) days.add(at);
  }
  return days;
}

/** The window, or the four weeks before it where nothing of it is left. */
function usualWindow({ labels }: Series, window: Window, leftOut: ReadonlySet<number>): Window {
  const isLeft = labels.some((label, at) => label >= window.from && label <= window.to && !leftOut.has(at));
  if (isLeft) return window;
  const first = labels.findIndex((label) => label >= window.from);
  return { from: labels[Math.max(0, first - USUAL_DAYS)] ?? window.from, to: window.to };
}

/** Share of a window that lies on the days of a change, by what is expected of its days. */
function shareOn(series: Series, window: Window, { from, to }: Interval, leftOut: ReadonlySet<number>): number {
  return total(weightsOf(series, window, leftOut), from, to);
}

/** Days of which those of a window of nothing but special days are ordinary where no year says what they do: that is what is asked. */
function withoutUnknown(days: readonly DailyPoint[], windows: readonly Window[]): readonly DailyPoint[] {
  const isIn = ({ label }: DailyPoint, { from, to }: Window) => label >= from && label <= to;
  const asked = windows.filter((window) => days.every((day) => day.special !== undefined || !isIn(day, window)));
  return asked.length === 0 ? days : days.map((day) => (asked.some((window) => isIn(day, window)) ? asOrdinary(day) : day));
}

/**
 * Judges the change of a metric from a baseline to a period: by a scan of the days on which it may have begun, the last one included,
 * against weekday-adjusted history, and by the levels of the two windows. A baseline of a single day, of another season or after the period
 * is compared by level alone. Each verdict errs in about 1 % of unchanged comparisons.
 */
export function judgePeriods(question: Question): Judgement {
  const { days, ...asked } = question;
  return keptFit('judgement', [days, asked], () => judge(question));
}

function judge(question: Question): Judgement {
  const { days, kind, baseline, period } = question;
  if (baseline.from > period.from) return turned(judgePeriods({ ...question, baseline: period, period: baseline }));
  const past = withoutUnknown(
    daysIn(days, (label) => label <= period.to),
    [baseline, period],
  );
  const series = seriesOf(past, kind, period.from);
  if (!series) return UNKNOWN;
  const early = indexOf(series, baseline.from);
  const isByStep = baseline.from !== baseline.to && early >= series.block;
  const study = studySeries(series, questsOf(series, question, isByStep), question.steps);
  return (study && judgeStudy(study, question, { early, isByStep })) ?? UNKNOWN;
}

/** Whether a site has too few days before the period for a verdict, and is not beyond what any week may bring. */
function isTooYoung(series: Series, { difference }: Level): boolean {
  return series.learned < LEAST_HISTORY_DAYS && Math.abs(Math.log1p(relativeOf(series, difference))) < Math.log(BEYOND_ANY_WEEK);
}

/** How a question is judged: the first day of its baseline, and whether by the days of changes or by levels alone. */
interface Way {
  readonly early: number;
  readonly isByStep: boolean;
}

/**
 * The figures of a verdict: those of the levels where they lie beyond noise, else what a change inside the period that makes the verdict
 * makes of it, among the noise of all days of both; a fall has a bound of its own.
 */
function figuresOf({ series, noise }: Study, level: Level, limit: number, main: Change | undefined, share: number) {
  const isBeyond = Math.abs(level.difference) > limit * level.error && level.difference * (main?.effect ?? 1) > 0;
  const isMade = main !== undefined && share > 0 && !isBeyond;
  const [difference, error] = isMade ? [main.effect * share, main.error * share] : [level.difference, level.error];
  const bound = (isMade ? limitOf(ALONE, noise.freedom) : limit) * Math.max(error, level.error);
  return {
    relative: relativeOf(series, difference),
    noise: Math.abs(relativeOf(series, difference < 0 ? -bound : bound)),
    score: difference / error,
  };
}

/** The verdict of a studied series; undefined where a window has no day. */
function judgeStudy(study: Study, question: Question, { early, isByStep }: Way): Judgement | undefined {
  const { baseline, period } = question;
  const { series, noise } = study;
  const changes = study.changes.filter(({ logP }) => logP <= Math.log(LEAST_CLEAR));
  const special = specialDays(series, [baseline, period]);
  const whole = levelOf(study, question, special);
  const leftOut = new Set([...unusualDays(changes, series.learned), ...special]);
  const level = levelOf(study, { period, baseline: usualWindow(series, baseline, leftOut) }, leftOut) ?? whole;
  if (!whole || !level || isTooYoung(series, level)) return undefined;
  const main = isByStep ? mainChange(changes, { early, start: series.learned }) : undefined;
  const limit = limitOf((isByStep ? ERRORS.level : ALONE) * (question.share ?? 1), noise.freedom);
  const datedChanges = changes.filter(({ to }) => to > early).map((change) => dated(series, change));
  // Where the change lies on special days alone, these are its part of the period.
  const share = main ? shareOn(series, period, main, special) || shareOn(series, period, main, new Set()) : 0;
  const ownMain = main && datedChanges.find(({ shape, from }) => shape === main.shape && from === series.labels[main.from]);
  return {
    verdict: main ? directionOf(main.effect) : verdictOfLevel(level, limit, isByStep),
    ...(ownMain && { main: ownMain }),
    changes: datedChanges,
    ...figuresOf(study, level, limit, main, share),
  };
}
