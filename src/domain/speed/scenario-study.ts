import { type Comparison, compareWindows, judge, type Verdict } from './compare-windows.ts';
import { isFailed, type Report, reportsIn, type Series, type Step, seriesOf, stepsOf, sumSeries, usualSteps, type Window } from './runs.ts';
import { additiveMetrics, metricFact, rankOf, speedMetricNames, usualSpeedMetrics } from './speed-metrics.ts';

/** One metric of one step (or of all steps together) before and after. */
export interface Row {
  /** Undefined for the sum over all steps. */
  readonly step: Step | undefined;
  readonly metric: string;
  readonly series: Series;
  readonly comparison: Comparison;
  readonly verdict: Verdict;
  /** Adjusted for the number of comparisons; null where nothing was tested. */
  readonly p: number | null;
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
  readonly verdict: Verdict;
  /** The change that stands for the others; undefined where nothing changed. */
  readonly headline: Row | undefined;
  /** Steps of a whole run, and how many sound reports have another number: these are in no sum. */
  readonly usualSteps: number;
  readonly otherSteps: number;
}

export interface StudyOptions {
  readonly baseline: Window;
  readonly period: Window;
  /** Metric names, or `["all"]`; the usual ones when left out. */
  readonly metrics: readonly string[] | undefined;
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

/** The most important change for a person: a step before the sum, then by what visitors feel most, then by size. */
function headlineOf(rows: readonly Row[], verdict: Verdict): Row | undefined {
  const size = ({ comparison }: Row) => Math.abs(comparison.relative ?? Number.POSITIVE_INFINITY);
  const changed = rows.filter((row) => row.verdict === verdict && (verdict === 'slower' || verdict === 'faster'));
  return changed.toSorted(
    (a, b) => Number(a.step === undefined) - Number(b.step === undefined) || rankOf(a.metric) - rankOf(b.metric) || size(b) - size(a),
  )[0];
}

/** Slower wins over faster, because a loss must not be missed; a scenario without any test has not enough data. */
function overall(rows: readonly Row[]): Verdict {
  const order: readonly Verdict[] = ['slower', 'faster', 'within noise'];
  return order.find((verdict) => rows.some((row) => row.verdict === verdict)) ?? 'not enough data';
}

/** Steps of the sound reports of both windows. */
export function soundSteps(reports: readonly Report[], windows: { baseline: Window; period: Window }): Step[] {
  const inside = [...reportsIn(reports, windows.baseline), ...reportsIn(reports, windows.period)];
  return stepsOf(inside.filter((report) => !isFailed(report)));
}

/** Compares each metric of each step, and of all steps together where a sum means something. */
export function studyScenario(reports: readonly Report[], { baseline, period, metrics, step }: StudyOptions): Study {
  const windows = { baseline, period };
  const sides = { baseline: runsOf(reports, baseline), period: runsOf(reports, period) };
  const sound = [...sides.baseline.all, ...sides.period.all].filter((report) => !isFailed(report)).toSorted((a, b) => a.date - b.date);
  const steps = step ? [step] : stepsOf(sound);
  const named = comparableMetrics(metrics);
  const usual = usualSteps(sound);
  const sums = step || usual < 2 ? [] : named.filter((metric) => additiveMetrics.includes(metric));
  const drafts = [
    ...steps.flatMap((each) => named.map((metric) => ({ step: each, metric, series: seriesOf(each, metric) }))),
    ...sums.map((metric) => ({ step: undefined, metric, series: sumSeries(sound, metric, usual) })),
  ]
    .filter(({ series }) => series.values.length > 0)
    .map((draft) => ({ ...draft, comparison: compareWindows(draft.series, windows), effect: metricFact(draft.metric).effect }));
  const judged = judge(drafts);
  const rows = drafts.map(
    ({ effect: _effect, ...draft }, index): Row => ({ ...draft, ...(judged[index] ?? { verdict: 'not enough data', p: null }) }),
  );
  const verdict = overall(rows);
  return {
    ...sides,
    sound,
    steps,
    rows,
    verdict,
    headline: headlineOf(rows, verdict),
    usualSteps: usual,
    otherSteps: sound.filter((report) => report.steps?.length !== usual).length,
  };
}
