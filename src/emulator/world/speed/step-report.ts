import { hash } from '../random.ts';
import { stepResultIdOf, stepResultNumber } from './ids.ts';
import type { SpeedModel } from './model.ts';
import { drawBetween } from './noise.ts';
import { isUnavailable } from './request-spec.ts';
import { requestsOf } from './run-requests.ts';
import { fillUrl } from './secrets.ts';
import type { StepRun } from './step-run.ts';

const SCRIPT_ERRORS = [
  "TypeError: Cannot read properties of undefined (reading 'items')",
  'ReferenceError: dataLayer is not defined',
  'Error: Loading chunk 417 failed',
];
const FAILED_ACTION_MS = 10_000;

/** What happened to each action; those after a failed one were not tried. Status and times are not documented by the reference. */
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
