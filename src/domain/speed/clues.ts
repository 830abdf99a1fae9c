import { DAY_MS } from '../../lib/clock.ts';
import { changePoints, varianceInflation } from './change-point.ts';
import { SHIFTS_OF_RUNS } from './compare-windows.ts';
import { type FailedStep, failedStepsToRead } from './failures.ts';
import { median } from './order.ts';
import { metricOf, type Step, type StepRun, within } from './runs.ts';
import type { Row, Study } from './scenario-study.ts';
import { type ServerShare, serverShareOf } from './server-share.ts';
import { coreMetrics, metricFact } from './speed-metrics.ts';
import { leadingRow, worstOf } from './study-table.ts';

/** Reports further back than this say nothing about the end of the period. */
const HISTORY_MS = 14 * DAY_MS;

/** A change that began within the period, too late to move its median. */
export interface RecentShift {
  readonly row: Row;
  /** Of the first report at the new level. */
  readonly date: number;
  readonly before: number;
  readonly after: number;
}

/** The last level of a row's runs, where it began in the period and is as certain and as large as a verdict asks. */
function shiftOf(row: Row, periodStartMs: number): RecentShift | undefined {
  const { dates, values } = within(row.series, { startMs: periodStartMs - HISTORY_MS, endMs: Number.POSITIVE_INFINITY });
  const cuts = changePoints(values, SHIFTS_OF_RUNS);
  const last = cuts.at(-1);
  const date = dates[last?.index ?? -1];
  if (!last || date === undefined || date < periodStartMs) return undefined;
  if (
    Math.abs(last.z) /
      Math.sqrt(
        varianceInflation(
          values,
          cuts.map(({ index }) => index),
        ),
      ) <
    SHIFTS_OF_RUNS.leastZ
  )
    return undefined;
  const before = median(values.slice(cuts.at(-2)?.index ?? 0, last.index));
  const after = median(values.slice(last.index));
  const { relative, absolute } = metricFact(row.metric).effect;
  const isLarge = Math.abs(after - before) >= Math.max(absolute, relative * before);
  return isLarge ? { row, date, before, after } : undefined;
}

/** Looks where the verdict is noise whether the latest runs have left it; the largest such shift. */
function recentShiftIn({ rows, verdict, period }: Study): RecentShift | undefined {
  if (verdict !== 'within noise') return undefined;
  const core: readonly string[] = coreMetrics;
  const shifts = rows
    .filter(({ step, metric }) => step && core.includes(metric))
    .flatMap((row) => shiftOf(row, period.window.startMs) ?? []);
  return shifts.toSorted((a, b) => b.after / b.before - a.after / a.before)[0];
}

/** Where a series took the level that it was called for. */
export interface Since {
  /** Of the first report from which the change holds, ms since 1970. */
  readonly date: number;
  /** Of the last report before it. */
  readonly previousDate: number;
  /** Medians of the level before and of the level after. */
  readonly before: number;
  readonly after: number;
  /** First report from which the change is undone again; undefined where it holds to the end. */
  readonly untilDate: number | undefined;
}

interface Level {
  /** Index of its first value. */
  readonly from: number;
  readonly value: number;
}

/** The levels of a series between its shifts. */
function levelsOf(values: readonly number[]): Level[] {
  const cuts = [0, ...changePoints(values, SHIFTS_OF_RUNS).map(({ index }) => index)];
  return cuts.map((from, place) => ({ from, value: median(values.slice(from, cuts[place + 1])) }));
}

/** The largest shift of the row's runs in the direction of its verdict; undefined where no single one stands out. */
function sinceOf({ series, verdict }: Row): Since | undefined {
  const { dates, values } = series;
  const sign = verdict === 'faster' ? -1 : 1;
  const levels = levelsOf(values);
  const shifts = levels.slice(1).map((level, place) => ({ level, place: place + 1, before: levels[place] ?? level }));
  const inDirection = shifts.filter(({ level, before }) => sign * (level.value - before.value) > 0);
  const largest = inDirection.toSorted((a, b) => Math.abs(b.level.value - b.before.value) - Math.abs(a.level.value - a.before.value))[0];
  if (!largest) return undefined;
  const { level, before, place } = largest;
  const middle = (level.value + before.value) / 2;
  const undone = levels.slice(place + 1).find(({ value }) => sign * (value - middle) < 0);
  return {
    date: dates[level.from] ?? 0,
    previousDate: dates[level.from - 1] ?? 0,
    before: before.value,
    after: level.value,
    untilDate: undone && dates[undone.from],
  };
}

/** Runs that are close enough in time to differ by the change alone. */
const NEIGHBOURS = 24;

/** The run whose value lies closest to a level. */
function closest(runs: readonly StepRun[], metric: string, level: number): StepRun | undefined {
  const distance = ({ result }: StepRun) => Math.abs((metricOf(result, metric) ?? Number.POSITIVE_INFINITY) - level);
  return runs.reduce<StepRun | undefined>((best, run) => (best && distance(best) <= distance(run) ? best : run), undefined);
}

interface Levels {
  /** Medians to be typical of. */
  readonly before: number;
  readonly after: number;
  /** First instant of the time after. */
  readonly splitMs: number;
  /** Last instant of the time before. */
  readonly beforeEndMs: number;
}

/** A typical run on each side, to be looked at side by side: next to the change where there is one, else the latest. */
function typicalRuns({ runs }: Step, metric: string, levels: Levels, since: Since | undefined) {
  const { splitMs, beforeEndMs } = since ? { splitMs: since.date, beforeEndMs: since.previousDate } : levels;
  const measured = runs.filter(({ result }) => metricOf(result, metric) !== null);
  const earlier = measured.filter(({ date }) => date <= beforeEndMs).slice(-NEIGHBOURS);
  const later = measured.filter(({ date }) => date >= splitMs && date < (since?.untilDate ?? Number.POSITIVE_INFINITY));
  return {
    before: closest(earlier, metric, since?.before ?? levels.before),
    after: closest(since ? later.slice(0, NEIGHBOURS) : later.slice(-NEIGHBOURS), metric, since?.after ?? levels.after),
  };
}

/** What reports alone say beyond the verdicts, and what to read next. */
export interface Clues {
  readonly leading: Row | undefined;
  readonly since: Since | undefined;
  readonly shift: RecentShift | undefined;
  readonly share: ServerShare | undefined;
  /** Runs of the leading step to be looked at side by side. */
  readonly examples: { readonly before: StepRun | undefined; readonly after: StepRun | undefined };
  readonly failedSteps: readonly FailedStep[];
}

/** Looks for the first report of the change, where the time goes, and which runs to look at. */
export function cluesIn(study: Study): Clues {
  const { baseline, period, rows, headline } = study;
  const windows = { baseline: baseline.window, period: period.window };
  const leading = leadingRow(study);
  const row = leading?.step ? leading : worstOf(rows, leading?.metric ?? '');
  const since = headline && sinceOf(headline);
  const isOfLcp = ({ step, metric, verdict }: Row) =>
    step === row?.step && metric === 'largestContentfulPaint' && (verdict === 'slower' || verdict === 'faster');
  const levels = {
    before: row?.comparison.before?.median ?? 0,
    after: row?.comparison.after?.median ?? 0,
    splitMs: period.window.startMs,
    beforeEndMs: baseline.window.endMs,
  };
  return {
    leading,
    since,
    shift: recentShiftIn(study),
    share: row?.step && serverShareOf(row.step, windows, rows.some(isOfLcp)),
    // Levels of the sum say nothing about those of a step.
    examples: row?.step
      ? typicalRuns(row.step, row.metric, levels, row === headline ? since : undefined)
      : { before: undefined, after: undefined },
    failedSteps: failedStepsToRead(study),
  };
}
