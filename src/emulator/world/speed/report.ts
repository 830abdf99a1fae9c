import { aggregateMetricNames } from '../../../api/metric-names.ts';
import { resultIdOf, stepResultIdOf } from './ids.ts';
import { type StepRun, stepRuns } from './step-run.ts';
import type { Run, SpeedModel } from './types.ts';

const WEB_REPORT_URL = 'https://speed.web-analytics.example';

type Aggregate = Record<(typeof aggregateMetricNames)[number], number>;
// The entries have each of the names, which fromEntries cannot tell.
const ZERO = Object.fromEntries(aggregateMetricNames.map((name) => [name, 0])) as Aggregate;
const timingNames = aggregateMetricNames.filter((name) => name !== 'loadTime' && name !== 'weight' && name !== 'request');

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
    timings: { navigationStart: stepRun.navigationStartMs, ...stepRun.timings },
    weight: stepRun.weight,
    requestsCount: stepRun.requestsCount,
    loadTime: stepRun.loadTime,
    customTimings: stepRun.customTimings,
  };
}

/** Sums over the steps; layout shift to 4 decimals. */
function sumOf(steps: readonly StepRun[]): Aggregate {
  const sum: Aggregate = { ...ZERO };
  for (const { timings, loadTime, weight, requestsCount } of steps) {
    for (const name of timingNames) sum[name] += timings[name];
    sum.loadTime += loadTime;
    sum.weight += weight;
    sum.request += requestsCount;
  }
  sum.cumulativeLayoutShift = Math.round(sum.cumulativeLayoutShift * 10_000) / 10_000;
  return sum;
}

/** Averages per step: layout shift to 4 decimals, the rest to 2. */
function averageOf(sum: Aggregate, steps: number): Aggregate {
  const average: Aggregate = { ...ZERO };
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
