import { aggregateMetricNames } from '../../../api/metric-names.ts';
import { resultIdOf, stepResultIdOf } from './ids.ts';
import type { SpeedModel } from './model.ts';
import { type StepRun, stepRuns } from './step-run.ts';
import type { Run } from './types.ts';

const WEB_REPORT_URL = 'https://speed.web-analytics.example';

type Aggregate = Record<(typeof aggregateMetricNames)[number], number>;
// The entries have each of the names, which fromEntries cannot tell.
// NaN, not 0: the engine then keeps room for fractions, which it would otherwise make for each object anew.
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
