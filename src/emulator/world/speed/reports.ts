import { aggregateMetricNames } from '../../../api/metric-names.ts';
import { hash } from '../random.ts';
import { drawBetween } from './noise.ts';
import { fillUrl } from './planted-secrets.ts';
import { isUnavailable } from './request-spec.ts';
import { type Run, resultIdOf, type SpeedModel, stepResultIdOf, stepResultNumber } from './runs.ts';
import { requestsOf, type StepRun, stepRuns } from './step-run.ts';

const WEB_REPORT_URL = 'https://speed.web-analytics.example';

type Aggregate = Record<(typeof aggregateMetricNames)[number], number>;
// The entries have each of the names, which the type of fromEntries does not know.
// NaN, not 0: the engine then keeps room for fractions, which it would otherwise allocate for each object.
const BLANK = Object.fromEntries(aggregateMetricNames.map((name) => [name, Number.NaN])) as Aggregate;

function valueOf({ timings, loadTime, weight, requestsCount }: StepRun, name: (typeof aggregateMetricNames)[number]): number {
  if (name === 'loadTime') return loadTime;
  if (name === 'weight') return weight;
  return name === 'request' ? requestsCount : timings[name];
}

function idOf(model: SpeedModel, { run, step }: StepRun): string {
  return stepResultIdOf(model.origin.seed, { scenarioIndex: run.scenario.index, hour: run.hour, stepIndex: step.index });
}

function stepResult(model: SpeedModel, stepRun: StepRun) {
  const { step } = stepRun;
  return {
    stepId: step.id,
    stepResultId: idOf(model, stepRun),
    name: step.name,
    description: step.description,
    fail: stepRun.failed ? 1 : 0,
    unavailableResource: stepRun.unavailable,
    browserError: stepRun.unavailable + stepRun.scriptErrors,
    timings: stepRun.timings,
    weight: stepRun.weight,
    requestsCount: stepRun.requestsCount,
    loadTime: stepRun.loadTime,
    customTimings: stepRun.customTimings,
  };
}

/** Sums over the steps; layout shift to 4 decimals. */
function sumOf(steps: readonly StepRun[]): Aggregate {
  const sum: Aggregate = { ...BLANK };
  for (const name of aggregateMetricNames) {
    let total = 0;
    for (const step of steps) total += valueOf(step, name);
    sum[name] = name === 'cumulativeLayoutShift' ? Math.round(total * 10_000) / 10_000 : total;
  }
  return sum;
}

/** Averages per step: layout shift to 4 decimals, the rest to 2. */
function averageOf(sum: Aggregate, steps: number): Aggregate {
  const average: Aggregate = { ...BLANK };
  for (const name of aggregateMetricNames) {
    const precision = name === 'cumulativeLayoutShift' ? 10_000 : 100;
    average[name] = Math.round((sum[name] / steps) * precision) / precision;
  }
  return average;
}

/** A run as `scenario/reports` lists it. */
export function reportEntry(model: SpeedModel, run: Run) {
  const stepRunList = stepRuns(model, run);
  const steps = stepRunList.map((stepRun) => stepResult(model, stepRun));
  const sum = sumOf(stepRunList);
  const count = (name: 'fail' | 'unavailableResource' | 'browserError'): number => steps.reduce((total, step) => total + step[name], 0);
  return {
    resultId: resultIdOf(run.scenario.index, run.hour),
    date: run.dateMs,
    viewOnTheWeb: `${WEB_REPORT_URL}/scenario/${run.scenario.id}/report/${run.dateMs}`,
    summary: {
      fail: count('fail'),
      unavailableResource: count('unavailableResource'),
      browserError: count('browserError'),
      sum,
      average: averageOf(sum, steps.length),
    },
    steps,
  };
}

/** A run as `scenario/report` shows it. */
export function scenarioReport(model: SpeedModel, run: Run) {
  return { scenarioId: run.scenario.id, name: run.scenario.name, ...reportEntry(model, run) };
}

const SCRIPT_ERRORS = [
  "TypeError: Cannot read properties of undefined (reading 'items')",
  'ReferenceError: dataLayer is not defined',
  'Error: Loading chunk 417 failed',
];
const FAILED_ACTION_MS = 10_000;

/** The result of each action; those after a failed one were not tried. Status and times are not documented by the reference. */
function actionsResult(model: SpeedModel, { run, step, failed }: StepRun) {
  const h = hash(model.origin.seed, step.id, run.hour, 43);
  const failedAt = failed ? (run.failure?.actionIndex ?? 0) : step.actions.length;
  return step.actions.map((action, index) => {
    const id = step.id * 10 + index + 1;
    if (index > failedAt) return { id, time: 0, status: 'skipped', message: `${action}: not tried, an action before it failed` };
    if (index < failedAt) return { id, time: drawBetween(h, index, 40, 900), status: 'success', message: action };
    const why = run.failure?.contentCheck ? 'text not found' : `not possible within ${FAILED_ACTION_MS / 1000} s`;
    return { id, time: FAILED_ACTION_MS + drawBetween(h, index, 1, 60), status: 'failure', message: `${action}: ${why}` };
  });
}

/** Addresses of the resources that could not be loaded, each with its HTTP status (0: aborted); the same as in the HAR. */
function unavailableResources(model: SpeedModel, { run, step, variation }: StepRun): Record<string, number> {
  const requests = requestsOf(model, model.planOf(run.scenario, step), run, variation).filter(isUnavailable);
  return Object.fromEntries(requests.map(({ url, status = 0 }) => [fillUrl(url, run.hour), status]));
}

function browserErrors({ run, scriptErrors }: StepRun, unavailable: Record<string, number>) {
  const network = Object.entries(unavailable).map(([url, status]) => ({
    level: 'SEVERE',
    source: 'network',
    message: `Failed to load resource: ${status === 0 ? 'net::ERR_BLOCKED_BY_CLIENT' : `the server responded with a status of ${status}`}`,
    url,
  }));
  const script = Array.from({ length: scriptErrors }, (_, index) => ({
    level: 'SEVERE',
    source: 'javascript',
    message: SCRIPT_ERRORS[(run.hour + index) % SCRIPT_ERRORS.length],
    url: '',
  }));
  return [...network, ...script];
}

/** A step of a run as `scenario/step/report` shows it; `date` is that of the run, neighbours that do not exist are empty texts. */
export function stepReport(model: SpeedModel, stepRun: StepRun, executed: number) {
  const { run, step } = stepRun;
  const key = { scenarioIndex: run.scenario.index, hour: run.hour, stepIndex: step.index };
  const idAt = (stepIndex: number): string =>
    stepIndex < 0 || stepIndex >= executed ? '' : stepResultIdOf(model.origin.seed, { ...key, stepIndex });
  const { navigationStart: _, ...timings } = stepRun.timings;
  const unavailable = unavailableResources(model, stepRun);
  return {
    id: idAt(step.index),
    previousStepId: idAt(step.index - 1),
    nextStepId: idAt(step.index + 1),
    stepResultId: stepResultNumber(key),
    date: run.dateMs,
    timings,
    browserError: JSON.stringify(browserErrors(stepRun, unavailable)),
    unavailableResource: JSON.stringify(unavailable),
    actionsResult: actionsResult(model, stepRun),
    customTimings: stepRun.customTimings,
  };
}
