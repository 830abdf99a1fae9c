import { type Interval, isWithin, slotsOf } from '../lib/calendar.ts';
import { DAY_MS } from '../lib/clock.ts';
import { type TableColumn, tableOf } from '../lib/columns.ts';
import { minuteAt } from '../lib/dates.ts';
import { grouped } from '../lib/grouped.ts';
import { hint } from '../lib/hint.ts';
import { nth } from '../lib/nth.ts';
import { counted } from '../lib/number-text.ts';
import { byLeast, byMost } from '../lib/order.ts';
import { present } from '../lib/sentences.ts';
import { median } from '../statistics/order.ts';
import { SPEED_STATES } from './engine/judge-series.ts';
import { datedOf, type Series } from './engine/run-series.ts';
import { type FailedAction, failuresIn, nameOfFailed } from './failures.ts';
import {
  failedStepIn,
  isFailed,
  metricOf,
  type Report,
  reportsIn,
  resultIdOf,
  runsOf,
  type Step,
  type StepResult,
  seriesOf,
  soundOf,
  stepsOf,
} from './runs.ts';
import type { Row, Study } from './scenario-study.ts';
import { calmText, firstSentence, instantText, placeOfStudy, tellSpeed } from './speed-findings.ts';
import { formatValue, metricFact, percentOf, roundValue } from './speed-metrics.ts';

/** A scenario with its reports of one range. */
export type ScenarioRuns = ReturnType<typeof scenarioRuns>;

/** The runs of a scenario that lie in a range. */
export function scenarioRuns(scenarioId: number, name: string, reports: readonly Report[], range: Interval) {
  const all = reportsIn(reports, range);
  /** All runs oldest first; the steps are those of the runs without failure. */
  return { scenarioId, name, all, steps: stepsOf(soundOf(all)) };
}

/** The runs of these scenarios that lie in a range; a step without one is left out. */
export const runsIn = (site: readonly ScenarioRuns[], range: Interval): ScenarioRuns[] =>
  site.map(({ all, steps, ...scenario }) => ({
    ...scenario,
    all: reportsIn(all, range),
    steps: steps
      .map((step) => ({ ...step, runs: step.runs.filter(({ date }) => isWithin(date, range)) }))
      .filter(({ runs }) => runs.length > 0),
  }));

/** The course of the level of a metric over a range: scenarios with the study of it. */
export type Course = readonly { readonly scenarioId: number; readonly name: string; readonly study: Study }[];

/** The scenarios in which the level moved or scatters alone, the worst first. */
const notSteady = (course: Course) =>
  course.filter(({ study }) => study.headline !== undefined).toSorted(byLeast((each) => SPEED_STATES.indexOf(each.study.state)));

/** The scenario that a picture of a course is about. */
export const leadingOf = (course: Course) => notSteady(course)[0] ?? course[0];

/** The steps whose level moved, with their scenarios, those of the worst first. */
export function movedSteps(course: Course) {
  const size = ({ move }: Row) => Math.abs(Math.log1p(move?.relative ?? 0));
  return notSteady(course).flatMap(({ scenarioId, study: { rows, headline } }) =>
    rows
      .flatMap((row) => (row.move && row.step ? [{ scenarioId, row, step: row.step.name }] : []))
      .toSorted(
        byMost(
          (each) => each.row === headline,
          (each) => size(each.row),
        ),
      ),
  );
}

/**
 * The level that each run of a series is of, by the moves of it: its place among the levels, and its usual value at the time of the run,
 * the median of the runs of it, along its line where it drifts.
 */
export function levelsOf({ dates, values }: Series, { move, moves }: Pick<Row, 'move' | 'moves'> = { move: undefined, moves: [] }) {
  const edges = [...new Set(moves.flatMap((each) => [datedOf(each)?.fromMs ?? [], each.untilMs ?? []].flat()))];
  const perMs = Math.log1p(move?.shape === 'drift' ? move.relative : 0) / (30 * DAY_MS);
  const runs = values.map((value, index) => {
    const date = nth(dates, index);
    const line = Math.exp(perMs * (date - nth(dates, 0)));
    return { place: edges.filter((edge) => edge <= date).length, line, base: value / line };
  });
  const levels = new Map([...grouped(runs, ({ place }) => place)].map(([place, own]) => [place, median(own.map(({ base }) => base))]));
  return runs.map(({ place, line }) => ({ place, usual: (levels.get(place) ?? Number.NaN) * line }));
}

/** Words for so many steps, of which all are meant: `both steps`. */
export const allSteps = (count: number) => ['no step', 'the step', 'both steps'][count] ?? `all ${count} steps`;

/** The first sentence on each of some scenarios. */
const lines = (some: Course) => some.map(({ study, name }) => firstSentence(tellSpeed(study, placeOfStudy(name, study))));

/** Whether the level changed over the range, at most so many scenarios of it by name: `CLS keeps its level in both steps.` */
export function courseWords(course: Course, metric: string, most: number): string {
  const { short } = metricFact(metric);
  const told = notSteady(course);
  const left = told.length - most;
  const more = left > 0 && `${short} moved or scatters in ${counted(left, 'more scenario')}.`;
  if (told.length > 0) return present(...lines(told.slice(0, most)), more).join(' ');
  const steps = course.flatMap(({ study }) => study.rows.filter(({ step, state }) => step && state !== 'not enough data'));
  return steps.length === 0 ? `Too few runs in the range to judge ${short}.` : `${short} keeps its level in ${allSteps(steps.length)}.`;
}

/** A cell of a view. */
type ViewCell = string | number | null;
/** A column of a view. */
export type ViewColumn<Source> = TableColumn<Source, ViewCell>;

/** A table in an answer: the words first. */
export interface ViewAnswer {
  readonly answer: string;
  readonly columns: string[];
  readonly rows: ViewCell[][];
  readonly notes: readonly string[];
  /** The scenario whose course is drawn. */
  readonly drawn?: Course[number] | undefined;
  /** All rows, and the column of the figure that the answer begins with, where these are drawn. */
  readonly figures?: Pick<ViewAnswer, 'columns' | 'rows'> & Pick<ScenarioView<never>, 'told'> & { readonly of: string };
  /** Of the scenarios that are left. */
  readonly cursor?: string;
}

/** The words, columns and notes of a view, from its rows. */
interface ScenarioView<Source> extends Pick<ViewAnswer, 'answer' | 'notes'> {
  readonly columns: readonly ViewColumn<Source>[];
  /** The column of the figure that the answer begins with, where that is drawn. */
  readonly of?: string | undefined;
  /** The parts of a cycle that the words are about. */
  readonly told?: readonly string[] | undefined;
  /** Words behind the note on rows that are left out. */
  readonly inFront?: string;
}

/** A view of the first rows, with a note on the others. */
export function viewOf<Source>(
  rows: readonly Source[],
  limit: number,
  { answer, columns, notes, of, told, inFront = '' }: ScenarioView<Source>,
): ViewAnswer {
  const shown = rows.slice(0, limit);
  const cut = shown.length < rows.length && `Showing ${shown.length} of ${rows.length} rows; raise limit for more.${inFront}`;
  const figures = of === undefined ? {} : { figures: { of, told, ...tableOf(columns, rows) } };
  return { answer, ...tableOf(columns, shown), notes: present(cut, ...notes), ...figures };
}

/** A step of a scenario. */
export interface StepPlace {
  readonly scenario: ScenarioRuns;
  readonly step: string;
}

/** The columns that say where a row is. */
export const PLACE_COLUMNS: readonly ViewColumn<StepPlace>[] = [
  ['scenarioId', ({ scenario }) => scenario.scenarioId],
  ['scenario', ({ scenario }) => scenario.name],
  ['step', ({ step }) => step],
];

/** A value as a cell shows it; null where there is none. */
export const valueCell = (metric: string, value: number): ViewCell => (Number.isNaN(value) ? null : roundValue(metric, value));

/** Metrics of a table of levels when none are named. */
export const LEVEL_METRICS = ['largestContentfulPaint', 'firstContentfulPaint', 'totalBlockingTime', 'cumulativeLayoutShift'] as const;

/** The columns of metrics: medians of the values of a row, which are in the order of the metrics. */
export const metricColumns = (metrics: readonly string[]) =>
  metrics.map(
    (metric, at): ViewColumn<{ readonly values: readonly (readonly number[])[] }> => [
      metric,
      ({ values }) => valueCell(metric, median(values[at] ?? [])),
    ],
  );

/** The level of one step of a scenario. */
type LevelRow = ReturnType<typeof levelRows>[number];

function levelRows(scenario: ScenarioRuns, metrics: readonly string[]) {
  const failed = scenario.all.filter(isFailed).map(nameOfFailed);
  return scenario.steps.map((step) => ({
    scenario,
    step: step.name,
    runs: step.runs.length,
    values: metrics.map((metric) => seriesOf(step, metric).values),
    /** Share of all runs of the scenario that failed at this step. */
    failedPercent: percentOf(failed.filter((name) => name === step.name).length / scenario.all.length),
  }));
}

/** Name of the column by which the share of failed runs is ordered. */
const FAILED_COLUMN = 'failedPercent';

interface LevelOptions {
  readonly metrics: readonly string[];
  /** A metric among these, or `failedPercent`; the first metric when left out. */
  readonly orderBy: string | undefined;
  readonly limit: number;
}

/** One row for each scenario and step with the medians of the range, the worst first. */
export function levelAnswer(scenarios: readonly ScenarioRuns[], { metrics, orderBy, limit }: LevelOptions): ViewAnswer {
  const by = orderBy ?? metrics[0] ?? '';
  const place = metrics.indexOf(by);
  const valueOf = ({ values, failedPercent }: LevelRow) => (by === FAILED_COLUMN ? failedPercent : median(values[place] ?? []));
  const countOf = ({ values, runs }: LevelRow) => values[place]?.length ?? runs;
  const rankOf = (row: LevelRow) => (Number.isNaN(valueOf(row)) ? Number.NEGATIVE_INFINITY : valueOf(row));
  const rows = scenarios.flatMap((scenario) => levelRows(scenario, metrics)).toSorted(byMost(rankOf));
  const empty = scenarios.filter(({ steps }) => steps.length === 0).map(({ name }) => name);
  return viewOf(rows, limit, {
    answer: levelsText(rows, by, valueOf, countOf),
    of: by,
    columns: [...PLACE_COLUMNS, ...metricColumns(metrics), ['runs', countOf], [FAILED_COLUMN, ({ failedPercent }) => failedPercent]],
    notes: present(
      `Medians of the runs without failure; ${by === FAILED_COLUMN ? '' : `runs: those with a value of ${by}; `}failedPercent: share \
of all runs of the scenario that failed at the step.`,
      empty.length > 0 && `No run without failure in the range: ${empty.join(', ')}.`,
    ),
  });
}

function levelsText([worst]: readonly LevelRow[], by: string, valueOf: (row: LevelRow) => number, countOf: typeof valueOf): string {
  if (!worst) return 'No run without failure lies in the range.';
  const where = `"${worst.step}" in "${worst.scenario.name}"`;
  const value = valueOf(worst);
  if (by === FAILED_COLUMN) return value === 0 ? 'No run failed in the range.' : `Most runs fail at ${where}: ${value}% of them.`;
  const { short } = metricFact(by);
  if (Number.isNaN(value)) return `No step has a value of ${short} in the range.`;
  return `${short} is highest at ${where}: ${formatValue(by, value)}, the median of ${counted(countOf(worst), 'run')}.`;
}

/** A step at which runs of a scenario failed in the period. */
export type FailureRow = ReturnType<typeof failureRows>[number];

/** The days that are asked about, and those with the weeks before them, in which a change of the share is looked for. */
export interface FailureDays {
  readonly period: Interval;
  readonly range: Interval;
}

/** The steps at which runs failed in the period: those at which they fail more often than before first, then the largest share. */
export function failureRows(scenarios: readonly ScenarioRuns[], { period, range }: FailureDays, timeZone: string) {
  const weeks = slotsOf('week', range, timeZone);
  return scenarios
    .flatMap((scenario) => {
      const baseline = runsOf(scenario.all, { startMs: range.startMs, endMs: period.startMs - 1 });
      const inPeriod = runsOf(scenario.all, period);
      return failuresIn({ baseline, period: inPeriod }).steps.flatMap(({ step, trend }) => {
        if (trend.period.failed === 0) return [];
        const at = (reports: readonly Report[]) => reports.filter((report) => isFailed(report) && nameOfFailed(report) === step);
        const byWeek = weeks.map((week) => {
          const own = reportsIn(scenario.all, week);
          return own.length === 0 ? null : percentOf(at(own).length / own.length);
        });
        const latest = at(inPeriod.all)
          .map(failedStepIn)
          .findLast((result) => result && resultIdOf(result) !== undefined);
        /** The trend in the period and the weeks before it; by week null where nothing ran; the latest failed run that can be read. */
        return [{ scenario, step, trend, weeks: byWeek, latest }];
      });
    })
    .toSorted(
      byMost(
        ({ trend }) => trend.state === 'fails more often',
        ({ trend }) => trend.period.share ?? 0,
      ),
    );
}

const points = (share: number | null) => (share === null ? '–' : `${percentOf(share)}%`);

function failuresText(
  [worst, ...others]: readonly FailureRow[],
  scenarios: readonly ScenarioRuns[],
  action: string | null | undefined,
  { period, timeZone }: FailureOptions,
): string {
  const runs = scenarios.flatMap(({ all }) => reportsIn(all, period)).length;
  if (!worst) return runs === 0 ? 'No run lies in the range.' : `None of ${counted(runs, 'run')} failed.`;
  const most = Math.max(...others.map((other) => other.trend.period.share ?? 0));
  const { scenario, step, trend } = worst;
  const { change, period: share, state } = trend;
  const calm = state === 'no change' ? calmText(trend.before, share) : '';
  const since = change
    ? `, ${points(change.before.share)} → ${points(change.since.share)} since ${instantText(change.atMs, timeZone, period)}`
    : calm;
  return present(
    `"${scenario.name}" fails at "${step}" in ${points(share.share)} of ${counted(share.runs, 'run')}${since}.`,
    action && `The failed action says: ${action}.`,
    others.length > 0 && `At ${counted(others.length, 'other step')} at most ${points(most)} of runs fail.`,
  ).join(' ');
}

interface FailureOptions extends FailureDays {
  readonly timeZone: string;
  readonly limit: number;
  /** The words of failed actions, by scenario and step, as far as they were read. */
  readonly actions: ReadonlyMap<FailureRow, FailedAction>;
}

/** One row for each scenario and step at which runs failed: share, interval, since when, weeks and what the failed action says. */
export function failureAnswer(scenarios: readonly ScenarioRuns[], rows: readonly FailureRow[], options: FailureOptions): ViewAnswer {
  const { range, timeZone, limit, actions } = options;
  const weeks = slotsOf('week', range, timeZone).map(({ label, isPart }) => (isPart ? `${label} (part)` : label));
  const [first] = rows;
  return viewOf(rows, limit, {
    answer: failuresText(rows, scenarios, first && actions.get(first)?.message, options),
    of: 'percent',
    columns: [
      ...PLACE_COLUMNS,
      ['failed', ({ trend }) => trend.period.failed],
      ['runs', ({ trend }) => trend.period.runs],
      ['percent', ({ trend: { period } }) => percentOf(period.share)],
      ['low', ({ trend }) => percentOf(trend.period.low)],
      ['high', ({ trend }) => percentOf(trend.period.high)],
      ['since', ({ trend: { change } }) => (change ? minuteAt(change.atMs, timeZone) : null)],
      ['byWeek', ({ weeks: byWeek }) => byWeek.map((week) => week ?? '–').join(' ')],
      ['action', (row) => actions.get(row)?.message ?? null],
      ['stepResultId', ({ latest }) => (latest && resultIdOf(latest)) ?? null],
    ],
    notes: [
      `Percent of the runs of the days asked, with the 95% interval; since and byWeek look at the weeks before too: ${weeks.join(', ')}.`,
      'A run failed where the platform counts a failure in any step, content checks included; stepResultId: the latest failed run.',
    ],
  });
}

/** One step of one run, compared with the usual run of that step. */
type RunRow = ReturnType<typeof runRows>[number];

/** A part of a run counts as slow from this multiple of its median on. */
const SLOW = 1.5;

/** Parts of a step that are slow together or apart. */
const PARTS = ['loadTime', 'firstByte'] as const;

/** How many times as long as usual a part of a step took; NaN where that is not known. */
type TimesUsual = (result: StepResult, part: (typeof PARTS)[number]) => number;

/** The slow part of a run of a step: `whole run ×4.5: machine or network`, `only this step, from the document on`. */
function slownessOf({ steps }: Report, own: StepResult, timesUsual: TimesUsual): string | undefined {
  const times = timesUsual(own, 'loadTime');
  if (!(times >= SLOW)) return undefined;
  const others = (steps ?? []).flatMap((result) => (result === own ? [] : [timesUsual(result, 'loadTime')])).filter(Number.isFinite);
  // What slows a whole run does not slow each step alike.
  if (others.length > 0 && others.every((each) => each >= Math.sqrt(times)))
    return `whole run, ×${Math.min(times, ...others).toFixed(1)} or more in every step: machine or network`;
  return `only this step, ${timesUsual(own, 'firstByte') >= SLOW ? 'from the first byte on: the document' : 'after the first byte'}`;
}

function runRows(scenario: ScenarioRuns, metric: string, course: Course) {
  const { scenarioId, steps } = scenario;
  const verdicts = course.find((each) => each.scenarioId === scenarioId)?.study.rows ?? [];
  const levelledRuns = (step: Step, part: string) => {
    const runs = step.runs.filter(({ result }) => metricOf(result, part) !== null);
    const verdict = verdicts.find((row) => row.step?.name === step.name);
    return levelsOf(seriesOf(step, part), verdict).map((level, at) => ({ ...level, run: runs[at] }));
  };
  const usuals = PARTS.map(
    (part) => new Map(steps.flatMap((step) => levelledRuns(step, part).map(({ run, usual }) => [run?.result, usual]))),
  );
  const timesUsual: TimesUsual = (result, part) =>
    (metricOf(result, part) ?? Number.NaN) / (usuals[PARTS.indexOf(part)]?.get(result) ?? Number.NaN);
  return steps.flatMap((step) => {
    const series = seriesOf(step, metric);
    return levelledRuns(step, metric).flatMap(({ place: level, usual, run }, index) => {
      if (!run || !(usual > 0)) return [];
      const { report, result } = run;
      const value = nth(series.values, index);
      return [
        {
          scenario,
          report,
          step: step.name,
          stepResultId: String(result.stepResultId ?? ''),
          value,
          /** Value over the median of the step, of the level of its time where that moved. */
          ratio: value / usual,
          /** Of the levels of the step, in the order of time. */
          level,
          /** The slow part of the run; undefined where nothing was slow. */
          slow: slownessOf(report, result, timesUsual),
        },
      ];
    });
  });
}

/** One row a run, its first in this order: several steps of one slow run are one slow run. */
const oneOfEachRun = (rows: readonly RunRow[]): RunRow[] =>
  [...grouped(rows, ({ report }) => report).values()].flatMap(([row]) => row ?? []);

interface RunOptions {
  readonly metric: string;
  /** Only this step; all when left out. */
  readonly step: string | undefined;
  readonly timeZone: string;
  readonly range: Interval;
  /** Rows of each kind. */
  readonly limit: number;
  /** Of the metric over the range. */
  readonly course: Course;
}

/** The slowest and fastest runs against the usual run of their step, what the slow ones share, and runs to compare the slowest with. */
export function runAnswer(scenarios: readonly ScenarioRuns[], options: RunOptions): ViewAnswer {
  const { metric, step, timeZone, limit, course } = options;
  const all = scenarios.flatMap((scenario) => runRows(scenario, metric, course)).filter((row) => step === undefined || row.step === step);
  const byRatio = all.toSorted(byMost(({ ratio }) => ratio));
  const slowest = oneOfEachRun(byRatio).slice(0, limit);
  const fastest = oneOfEachRun(byRatio.toReversed()).slice(0, limit);
  const [worst] = slowest;
  // Of its level: against a run of another one the slowest would differ by what moved that.
  const same = byRatio.filter((row) => row.scenario === worst?.scenario && row.step === worst.step && row.level === worst.level);
  const hasSame = same.length > 1;
  const ofSame = hasSame ? same.slice(-1) : [];
  const kinds: readonly (readonly [string, readonly RunRow[]])[] = [
    ['slowest', slowest],
    ['fastest', fastest.filter((row, place) => place === 0 || row !== ofSame[0])],
    ['fastest of the same step', ofSame.filter((row) => row !== fastest[0])],
    ['typical', hasSame ? same.toSorted(byLeast((each) => Math.abs(Math.log(each.ratio)))).slice(0, 1) : []],
  ];
  const rows = kinds.flatMap(([kind, own]) => own.map((row) => ({ ...row, kind })));
  // The levels that single runs are held against, where they moved in the range.
  const moved = lines(notSteady(course).filter(({ study }) => study.headline?.move !== undefined));
  return {
    answer: [runsText(slowest, fastest[0], options), ...moved].join(' '),
    ...tableOf<(typeof rows)[number], ViewCell>(
      [
        ['kind', ({ kind }) => kind],
        ...PLACE_COLUMNS,
        ['time', ({ report }) => minuteAt(report.date, timeZone)],
        [metric, ({ value }) => roundValue(metric, value)],
        ['timesUsual', ({ ratio }) => Number(ratio.toFixed(2))],
        ['slow', ({ slow }) => slow ?? null],
        ['stepResultId', ({ stepResultId }) => stepResultId],
      ],
      rows,
    ),
    notes: [
      `Of ${counted(all.length, 'step')} of runs without failure, each run once, by its most unusual step; ` +
        `timesUsual: over the median of the step${movedSteps(course).length > 0 ? ', of the level of its time' : ''}.`,
      hasSame
        ? hint('compare_hars', 'compare_hars: two runs of one step, such as the first row and the typical one.')
        : hint('analyze_har', 'analyze_har takes the stepResultId.'),
    ],
  };
}

/** A run in a sentence: `"Cart" in "Checkout" on 4 Oct, 07:24: LCP 4.64 s, 2.8 times the usual`. */
const runText = ({ scenario, report, step, value, ratio }: RunRow, { metric, timeZone, range }: RunOptions) =>
  `"${step}" in "${scenario.name}" on ${instantText(report.date, timeZone, range)}: ` +
  `${metricFact(metric).short} ${formatValue(metric, value)}, ${Number(ratio.toFixed(ratio < 1 ? 2 : 1))} times the usual`;

function runsText(slowest: readonly RunRow[], fastest: RunRow | undefined, options: RunOptions): string {
  const [first] = slowest;
  if (!first || !fastest) return 'No run without failure has a value in the range.';
  const whole = slowest.filter(({ slow }) => slow?.startsWith('whole run')).length;
  const alone = slowest.filter(({ slow }) => slow !== undefined).length - whole;
  const kinds = present(
    whole > 0 && `${whole} ${whole === 1 ? 'was' : 'were'} slow in every step (machine or network)`,
    alone > 0 && `${alone} in one step alone`,
  );
  const shared = kinds.length === 0 ? '' : ` Of the ${slowest.length} slowest, ${kinds.join(', ')}.`;
  return `Slowest for its step: ${runText(first, options)}. Fastest: ${runText(fastest, options)}.${shared}`;
}

/** A view of steps, as it is drawn. */
export interface ViewDrawn {
  readonly figures: NonNullable<ViewAnswer['figures']>;
  readonly timeZone: string;
  readonly interval: Interval;
  readonly breakdown: string | undefined;
  readonly answer: string;
  readonly yet: string;
}
