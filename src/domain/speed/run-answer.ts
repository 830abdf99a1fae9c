import { minuteAt } from '../../lib/dates.ts';
import { hint } from '../../lib/hint.ts';
import { counted } from '../../lib/number-text.ts';
import { median } from '../../statistics/order.ts';
import { metricOf, type Report, type StepResult, seriesOf } from './runs.ts';
import { firstRows, type ScenarioRuns, type ViewAnswer } from './site-runs.ts';
import { type Course, courseOfStep, heldAgainstWords, levelsOf, type RunLevel } from './speed-course.ts';
import { formatValue, metricFact, roundValue } from './speed-metrics.ts';

/** One step of one run, compared with the usual run of that step. */
interface RunRow {
  readonly scenario: ScenarioRuns;
  readonly report: Report;
  readonly step: string;
  readonly stepResultId: string;
  readonly value: number;
  /** Value over the median of the step, of the level of its time where that moved. */
  readonly ratio: number;
  /** Of the levels of the step, in the order of time. */
  readonly level: number;
  /** The slow part of the run; undefined where nothing was slow. */
  readonly slow: string | undefined;
}

/** A part of a run counts as slow from this multiple of its median on. */
const SLOW = 1.5;

interface Medians {
  readonly firstByte: number;
  readonly loadTime: number;
}

function mediansOf({ steps }: ScenarioRuns): Map<string, Medians> {
  const of = (step: ScenarioRuns['steps'][number], name: string) => median(step.runs.flatMap(({ result }) => metricOf(result, name) ?? []));
  return new Map(steps.map((step) => [step.name, { firstByte: of(step, 'firstByte'), loadTime: of(step, 'loadTime') }]));
}

/** The level that each run of a step is of. */
function levelsByRun({ scenarioId, steps }: ScenarioRuns, metric: string, course: Course): Map<StepResult, RunLevel> {
  return new Map(
    steps.flatMap((step) => {
      const levels = levelsOf(seriesOf(step, metric), courseOfStep(course, scenarioId, step.name));
      const valued = step.runs.filter(({ result }) => metricOf(result, metric) !== null);
      return valued.flatMap(({ result }, index): [StepResult, RunLevel][] => {
        const level = levels[index];
        return level ? [[result, level]] : [];
      });
    }),
  );
}

/** `whole run ×4.5: machine or network`, `only this step`, `only this step, from the document on`. */
function slownessOf(report: Report, name: string, medians: ReadonlyMap<string, Medians>): string | undefined {
  const ratios = (report.steps ?? []).flatMap((result) => {
    const usual = medians.get(result.name ?? '')?.loadTime ?? Number.NaN;
    const value = metricOf(result, 'loadTime');
    return value === null || !(usual > 0) ? [] : [{ name: result.name, ratio: value / usual }];
  });
  const own = ratios.find((each) => each.name === name)?.ratio ?? 1;
  if (own < SLOW) return undefined;
  const others = ratios.filter((each) => each.name !== name).map(({ ratio }) => ratio);
  if (others.length > 0 && others.every((ratio) => ratio >= SLOW))
    return `whole run, ×${Math.min(own, ...others).toFixed(1)} or more in every step: machine or network`;
  const result = report.steps?.find((step) => step.name === name);
  const firstByte = result ? metricOf(result, 'firstByte') : null;
  const usual = medians.get(name)?.firstByte ?? Number.NaN;
  return firstByte !== null && firstByte >= SLOW * usual
    ? 'only this step, from the first byte on: the document'
    : 'only this step, after the first byte';
}

function rowsOf(scenario: ScenarioRuns, metric: string, course: Course): RunRow[] {
  const medians = mediansOf(scenario);
  const levels = levelsByRun(scenario, metric, course);
  return scenario.sound.flatMap((report) =>
    (report.steps ?? []).flatMap((result): RunRow[] => {
      const value = metricOf(result, metric);
      const step = result.name ?? '';
      const { usual, place: level } = levels.get(result) ?? { usual: Number.NaN, place: 0 };
      if (value === null || !(usual > 0)) return [];
      const row = { scenario, report, step, stepResultId: String(result.stepResultId ?? ''), value, ratio: value / usual, level };
      return [{ ...row, slow: slownessOf(report, step, medians) }];
    }),
  );
}

/** One row a run, its first in this order: several steps of one slow run are one slow run. */
function oneOfEachRun(rows: readonly RunRow[]): RunRow[] {
  const seen = new Set<Report>();
  return rows.filter(({ report }) => {
    const isNew = !seen.has(report);
    seen.add(report);
    return isNew;
  });
}

interface RunOptions {
  readonly metric: string;
  /** Only this step; all when left out. */
  readonly step: string | undefined;
  readonly timeZone: string;
  /** Rows of each kind. */
  readonly limit: number;
  /** Of the metric over the range. */
  readonly course: Course;
}

/** Runs of the step of the slowest one, with which it can be compared request by request. */
interface SameStep {
  readonly fastest: RunRow;
  readonly typical: RunRow;
}

function sameStepAs(slowest: RunRow | undefined, byRatio: readonly RunRow[]): SameStep | undefined {
  // Of its level: against a run of another one it would differ by what moved that.
  const own = byRatio.filter(
    ({ scenario, step, level }) => scenario === slowest?.scenario && step === slowest.step && level === slowest.level,
  );
  const fastest = own.at(-1);
  const [typical] = own.toSorted((a, b) => Math.abs(Math.log(a.ratio)) - Math.abs(Math.log(b.ratio)));
  return fastest && typical && own.length > 1 ? { fastest, typical } : undefined;
}

/** The slowest and fastest runs against the usual run of their step, what the slow ones share, and runs to compare the slowest with. */
export function runAnswer(scenarios: readonly ScenarioRuns[], { metric, step, timeZone, limit, course }: RunOptions): ViewAnswer {
  const all = scenarios.flatMap((scenario) => rowsOf(scenario, metric, course)).filter((row) => step === undefined || row.step === step);
  const byRatio = all.toSorted((a, b) => b.ratio - a.ratio);
  const { shown: slowest } = firstRows(oneOfEachRun(byRatio), limit);
  const { shown: fastest } = firstRows(oneOfEachRun(byRatio.toReversed()), limit);
  const same = sameStepAs(slowest[0], byRatio);
  const kinds: readonly (readonly [string, readonly RunRow[]])[] = [
    ['slowest', slowest],
    ['fastest', fastest.filter((row, place) => place === 0 || row !== same?.fastest)],
    ['fastest of the same step', same && same.fastest !== fastest[0] ? [same.fastest] : []],
    ['typical', same ? [same.typical] : []],
  ];
  return {
    answer: `${answerOf(slowest, fastest[0], metric, timeZone)}${heldAgainstWords(course)}`,
    columns: ['kind', 'scenarioId', 'scenario', 'step', 'time', metric, 'timesUsual', 'slow', 'stepResultId'],
    rows: kinds.flatMap(([kind, rows]) =>
      rows.map(({ scenario, report, step: name, value, ratio, slow, stepResultId }) => [
        kind,
        scenario.scenarioId,
        scenario.name,
        name,
        minuteAt(report.date, timeZone),
        roundValue(metric, value),
        Number(ratio.toFixed(2)),
        slow ?? null,
        stepResultId,
      ]),
    ),
    notes: [
      `Of ${counted(all.length, 'step')} of runs without failure, each run once, by its most unusual step; ` +
        `timesUsual: over the median of the step${course.places.length > 0 ? ', of the level of its time' : ''}.`,
      ...compareNotes(slowest[0], same),
    ],
  };
}

/** Which runs to compare: two of different steps are of different pages. */
function compareNotes(slowest: RunRow | undefined, same: SameStep | undefined): string[] {
  if (!slowest || !same) return [hint('analyze_har', 'analyze_har takes the stepResultId.')];
  return [hint('compare_hars', 'compare_hars: two runs of one step, such as the first row and the typical one.')];
}

function answerOf([first, ...rest]: readonly RunRow[], fastest: RunRow | undefined, metric: string, timeZone: string): string {
  if (!first || !fastest) return 'No run without failure has a value in the range.';
  const { short } = metricFact(metric);
  const at = ({ scenario, report, step, value }: RunRow) =>
    `${scenario.name}, step "${step}", ${formatValue(metric, value)} at ${minuteAt(report.date, timeZone)}`;
  const slow = [first, ...rest].map((row) => row.slow).filter((words) => words !== undefined);
  const isWhole = (words: string) => words.startsWith('whole run');
  const whole = slow.filter(isWhole).length;
  const kinds = [
    whole > 0 && `${whole} ${whole === 1 ? 'was' : 'were'} slow in every step (machine or network)`,
    slow.length > whole && `${slow.length - whole} in one step alone`,
  ].filter((words) => words !== false);
  const shared = kinds.length === 0 ? '' : ` Of the ${1 + rest.length} slowest, ${kinds.join(', ')}.`;
  return (
    `Slowest for its step in ${short}: ${at(first)}, ${first.ratio.toFixed(1)} times the usual; ` +
    `fastest for its step: ${at(fastest)}, ${fastest.ratio.toFixed(2)} times.${shared}`
  );
}
