import type { Origin } from '../origin.ts';
import { type SpeedEvent, seededEvents } from './events.ts';
import { type PagePlan, planPage } from './page-plan.ts';
import type { SpeedModel } from './runs.ts';
import { findRun, parseStepResultId } from './runs.ts';
import { scenarios } from './scenarios.ts';
import { type StepRun, stepRuns } from './step-run.ts';
import { speedStories } from './stories.ts';

/** Scenarios, runs and events of one emulator instance; only the events change. */
export interface SpeedWorld {
  readonly model: SpeedModel;
  /** Events of a project by key, the seeded ones at first. */
  eventsOf(projectId: number): Map<string, SpeedEvent>;
}

/** Makes the speed data of a world; nothing is computed before it is asked for. */
export function createSpeed(origin: Origin): SpeedWorld {
  const stories = speedStories(origin);
  const plans = new Map<number, PagePlan>();
  let events: Map<number, Map<string, SpeedEvent>> | undefined;
  return {
    model: {
      origin,
      stories,
      planOf(scenario, step) {
        const plan = plans.get(step.id) ?? planPage(origin.seed, scenario, step);
        plans.set(step.id, plan);
        return plan;
      },
    },
    eventsOf(projectId) {
      events ??= seededEvents(origin, stories);
      const ofProject = events.get(projectId) ?? new Map<string, SpeedEvent>();
      events.set(projectId, ofProject);
      return ofProject;
    },
  };
}

/** The step that a `stepResultId` names, and how many steps its run got to; undefined when there is none in this project. */
export function findStepRun(
  model: SpeedModel,
  projectId: number,
  stepResultId: string,
  nowMs: number,
): { stepRun: StepRun; executed: number } | undefined {
  const key = parseStepResultId(model.origin.seed, stepResultId);
  const scenario = scenarios[key?.scenarioIndex ?? -1];
  if (key === undefined || scenario?.projectId !== projectId) return undefined;
  const run = findRun(model, scenario, key.hour, nowMs);
  const steps = run ? stepRuns(model, run) : [];
  const stepRun = steps[key.stepIndex];
  return stepRun && { stepRun, executed: steps.length };
}
