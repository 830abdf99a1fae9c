import type { Origin } from '../origin.ts';
import type { PagePlan } from './page-plan.ts';
import type { SpeedStories } from './stories.ts';
import type { Scenario, Step } from './types.ts';

/** All that a run's values are a function of, beside the run. */
export interface SpeedModel {
  readonly origin: Origin;
  readonly stories: SpeedStories;
  /** What all runs of the step have in common; computed once. */
  planOf(scenario: Scenario, step: Step): PagePlan;
}
