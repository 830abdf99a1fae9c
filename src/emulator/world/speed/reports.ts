import { aggregateMetricNames } from '../../../api/metric-names.ts';
import { hash } from '../random.ts';
import { drawBetween } from './noise.ts';
import { fillUrl } from './planted-secrets.ts';
import { isUnavailable } from './request-spec.ts';
import { executedSteps, type Run, resultIdOf, stepResultIdOf, stepResultNumber } from './runs.ts';
import { blankNumbers, type StepRun, stepRuns } from './step-run.ts';

const WEB_REPORT_URL = 'https://speed.web-analytics.example';

const BLANK = blankNumbers(aggregateMetricNames);

function valueOf({ timings, loadTime, weight, requestsCount }: StepRun, name: (typeof aggregateMetricNames)[number]): number {
  if (name === 'loadTime') return loadTime;
  if (name === 'weight') return weight;
  return name === 'request' ? requestsCount : timings[name];
}

function stepResult(stepRun: StepRun) {
  const { step } = stepRun;
  return {
    stepId: step.id,
    stepResultId: stepResultIdOf(stepRun.run, step.index),
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

/** Sums over the steps and averages per step: layout shift to 4 decimals, other averages to 2. */
function aggregatesOf(steps: readonly StepRun[]) {
  const sum = { ...BLANK };
  const average = { ...BLANK };
  for (const name of aggregateMetricNames) {
    let total = 0;
    for (const step of steps) total += valueOf(step, name);
    const precision = name === 'cumulativeLayoutShift' ? 10_000 : 100;
    sum[name] = Math.round(total * precision) / precision;
    average[name] = Math.round((sum[name] / steps.length) * precision) / precision;
  }
  return { sum, average };
}

/** A run as `scenario/reports` lists it. */
export function reportEntry(run: Run) {
  const ran = stepRuns(run);
  const steps = ran.map(stepResult);
  const count = (name: 'fail' | 'unavailableResource' | 'browserError'): number => steps.reduce((total, step) => total + step[name], 0);
  return {
    resultId: resultIdOf(run),
    date: run.dateMs,
    viewOnTheWeb: `${WEB_REPORT_URL}/scenario/${run.scenario.id}/report/${run.dateMs}`,
    summary: {
      fail: count('fail'),
      unavailableResource: count('unavailableResource'),
      browserError: count('browserError'),
      ...aggregatesOf(ran),
    },
    steps,
  };
}

const SCRIPT_ERRORS = [
  "TypeError: Cannot read properties of undefined (reading 'items')",
  'ReferenceError: dataLayer is not defined',
  'Error: Loading chunk 417 failed',
];
const FAILED_ACTION_MS = 10_000;

/** The result of each action; those after a failed one were not tried. Status and times are not documented by the reference. */
function actionsResult({ run, step, failed }: StepRun) {
  const h = hash(run.model.origin.seed, step.id, run.hour, 43);
  const failedAt = failed ? (run.failure?.actionIndex ?? 0) : step.actions.length;
  return step.actions.map((action, index) => {
    const id = step.id * 10 + index + 1;
    if (index > failedAt) return { id, time: 0, status: 'skipped', message: `${action}: not tried, an action before it failed` };
    if (index < failedAt) return { id, time: drawBetween(h, index, 40, 900), status: 'success', message: action };
    const why = run.failure?.contentCheck ? 'text not found' : `not possible within ${FAILED_ACTION_MS / 1000} s`;
    return { id, time: FAILED_ACTION_MS + drawBetween(h, index, 1, 60), status: 'failure', message: `${action}: ${why}` };
  });
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
export function stepReport(stepRun: StepRun) {
  const { run, step, customTimings } = stepRun;
  const idAt = (stepIndex: number): string => (executedSteps(run)[stepIndex] ? stepResultIdOf(run, stepIndex) : '');
  const { navigationStart: _, ...timings } = stepRun.timings;
  // Addresses of the resources that could not be loaded, each with its HTTP status (0: aborted); the same as in the HAR.
  const broken = stepRun.requests().filter(isUnavailable);
  const unavailable = Object.fromEntries(broken.map(({ url, status = 0 }) => [fillUrl(url, run.hour), status]));
  return {
    id: idAt(step.index),
    previousStepId: idAt(step.index - 1),
    nextStepId: idAt(step.index + 1),
    stepResultId: stepResultNumber(run, step.index),
    date: run.dateMs,
    timings,
    browserError: JSON.stringify(browserErrors(stepRun, unavailable)),
    unavailableResource: JSON.stringify(unavailable),
    actionsResult: actionsResult(stepRun),
    customTimings,
  };
}
