import { counted } from '../../lib/number-text.ts';
import { median } from '../../statistics/order.ts';
import { shareOf } from './engine/failed-share.ts';
import { failedStepIn, isFailed, seriesOf } from './runs.ts';
import { firstRows, type ScenarioRuns, type ViewAnswer } from './site-runs.ts';
import { formatValue, metricFact, percentOf, roundValue } from './speed-metrics.ts';

/** Metrics of a table of levels when none are named. */
export const LEVEL_METRICS = ['largestContentfulPaint', 'firstContentfulPaint', 'totalBlockingTime', 'cumulativeLayoutShift'] as const;

/** The level of one step of a scenario. */
interface LevelRow {
  readonly scenario: ScenarioRuns;
  readonly step: string;
  /** Medians by metric, in the order asked for, not rounded; null where no run has a value. */
  readonly medians: readonly (number | null)[];
  /** Runs with a value of the metric that orders; of no metric all runs. */
  readonly runs: number;
  /** Share of all runs of the scenario that failed at this step, in percent; null without runs. */
  readonly failedPercent: number | null;
}

function rowsOf(scenario: ScenarioRuns, metrics: readonly string[], by: string): LevelRow[] {
  const failed = scenario.all.filter(isFailed).map((report) => failedStepIn(report)?.name);
  return scenario.steps.map((step) => {
    const { share } = shareOf(failed.filter((name) => name === step.name).length, scenario.all.length);
    const measured = metrics.map((metric) => seriesOf(step, metric).values);
    const medians = measured.map((values) => (values.length === 0 ? null : median(values)));
    const runs = (measured[metrics.indexOf(by)] ?? step.runs).length;
    return { scenario, step: step.name, medians, runs, failedPercent: share === null ? null : percentOf(share) };
  });
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
  const valueOf = ({ medians, failedPercent }: LevelRow) => (by === FAILED_COLUMN ? failedPercent : (medians[place] ?? null));
  const rows = scenarios
    .flatMap((scenario) => rowsOf(scenario, metrics, by))
    .toSorted((a, b) => (valueOf(b) ?? Number.NEGATIVE_INFINITY) - (valueOf(a) ?? Number.NEGATIVE_INFINITY));
  const { shown, notes } = firstRows(rows, limit);
  const empty = scenarios.filter(({ sound }) => sound.length === 0).map(({ name }) => name);
  return {
    answer: answerOf(rows, by, valueOf),
    columns: ['scenarioId', 'scenario', 'step', ...metrics, 'runs', FAILED_COLUMN],
    rows: shown.map(({ scenario, step, medians, runs, failedPercent }) => [
      scenario.scenarioId,
      scenario.name,
      step,
      ...medians.map((value, index) => (value === null ? null : roundValue(metrics[index] ?? by, value))),
      runs,
      failedPercent,
    ]),
    notes: [
      ...notes,
      `Medians of the runs without failure; ${by === FAILED_COLUMN ? '' : `runs: those with a value of ${by}; `}failedPercent: share \
of all runs of the scenario that failed at the step.`,
      ...(empty.length > 0 ? [`No run without failure in the range: ${empty.join(', ')}.`] : []),
    ],
  };
}

function answerOf([worst]: readonly LevelRow[], by: string, valueOf: (row: LevelRow) => number | null): string {
  if (!worst) return 'No run without failure lies in the range.';
  const where = `${worst.scenario.name}, step "${worst.step}"`;
  const value = valueOf(worst);
  if (value === null) return `No step has a value of ${metricFact(by).short} in the range.`;
  if (by === FAILED_COLUMN) return `Most runs fail at ${where}: ${value}% of them.`;
  return `Highest ${metricFact(by).short}: ${where} with ${formatValue(by, value)} (median of ${counted(worst.runs, 'run')}).`;
}
