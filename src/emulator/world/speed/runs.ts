import type { Origin } from '../origin.ts';
import { hash } from '../random.ts';
import type { SpeedModel } from './model.ts';
import { draw, drawBetween } from './noise.ts';
import type { SpeedStories } from './stories.ts';
import type { Failure, Run, Scenario } from './types.ts';

const HOUR_MS = 3_600_000;
const KEPT_HOURS = 60 * 24;
/** Share of runs whose content check fails, in every scenario. */
const CONTENT_CHECK_RATE = 0.01;
/** Share of runs that end early for no reason of the page's, in every scenario. */
const BROKEN_RATE = 0.004;

function failureOf(scenario: Scenario, { failing }: SpeedStories, h: number): Failure | undefined {
  if (failing.scenarioId === scenario.id && draw(h, 3) < failing.rate) {
    const stepIndex = scenario.steps.findIndex((step) => step.id === failing.stepId);
    return { stepIndex, actionIndex: failing.actionIndex, contentCheck: false };
  }
  const chance = draw(h, 4);
  const stepIndex = drawBetween(h, 5, 0, scenario.steps.length - 1);
  if (chance < BROKEN_RATE) return { stepIndex, actionIndex: 0, contentCheck: false };
  if (chance > 1 - CONTENT_CHECK_RATE) {
    return { stepIndex, actionIndex: (scenario.steps[stepIndex]?.actions.length ?? 1) - 1, contentCheck: true };
  }
  return undefined;
}

/** The run of a scenario in an hour; its start lies a few minutes into the hour, a little different each time. */
function runIn({ origin, stories }: SpeedModel, scenario: Scenario, hour: number): Run {
  const h = hash(origin.seed, scenario.id, hour);
  const minute = drawBetween(hash(origin.seed, scenario.id), 1, 2, 52);
  const dateMs = hour * HOUR_MS + minute * 60_000 + drawBetween(h, 2, 0, 179_999);
  return { scenario, hour, dateMs, failure: failureOf(scenario, stories, h) };
}

function firstHour(origin: Origin): number {
  return Math.floor(origin.startMs / HOUR_MS) - KEPT_HOURS;
}

/** The run of that hour, unless it lies before the kept 60 days or has not started yet. */
export function findRun(model: SpeedModel, scenario: Scenario, hour: number, nowMs: number): Run | undefined {
  if (hour < firstHour(model.origin) || hour > Math.floor(nowMs / HOUR_MS)) return undefined;
  const run = runIn(model, scenario, hour);
  return run.dateMs <= nowMs ? run : undefined;
}

/** Bounds of a list of runs; both dates are excluded themselves. */
export interface RunFilter {
  readonly afterMs?: number;
  readonly beforeMs?: number;
  readonly error?: boolean;
}

/** Says whether a run belongs to `error`: a failed content check counts as an execution without error. */
function matches(run: Run, error: boolean | undefined): boolean {
  if (error === undefined) return true;
  return error === (run.failure !== undefined && !run.failure.contentCheck);
}

/** Runs that pass the filter, newest first; computed one by one as they are asked for. */
export function* runsBackwards(model: SpeedModel, scenario: Scenario, nowMs: number, filter: RunFilter): Generator<Run> {
  const afterMs = filter.afterMs ?? 0;
  const beforeMs = filter.beforeMs ?? Number.POSITIVE_INFINITY;
  const from = Math.max(firstHour(model.origin), Math.floor(afterMs / HOUR_MS));
  for (let hour = Math.floor(Math.min(nowMs, beforeMs) / HOUR_MS); hour >= from; hour -= 1) {
    const run = runIn(model, scenario, hour);
    if (run.dateMs <= nowMs && run.dateMs > afterMs && run.dateMs < beforeMs && matches(run, filter.error)) yield run;
  }
}

/** Steps that the run got to: all of them, unless an action failed before. */
export function executedSteps({ scenario, failure }: Run): Scenario['steps'] {
  return failure === undefined || failure.contentCheck ? scenario.steps : scenario.steps.slice(0, failure.stepIndex + 1);
}
