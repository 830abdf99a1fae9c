import { hash } from '../random.ts';
import type { SpeedModel } from './model.ts';
import { draw, drawBetween } from './noise.ts';
import { totalsOf, type Variation, variationOf } from './run-requests.ts';
import { executedSteps } from './runs.ts';
import { runPace, type StepTimings, stepTimings } from './step-timings.ts';
import type { Run, Step } from './types.ts';

/** A mark or measure that the page itself reports. */
type CustomTiming = { type: 'mark' | 'measure'; name: string; startTime: number; duration: number };

/** One step of one run, with all that reports and HAR have in common. */
export interface StepRun {
  readonly run: Run;
  readonly step: Step;
  readonly timings: StepTimings;
  /** Until fully loaded, ms. */
  readonly loadTime: number;
  readonly variation: Variation;
  readonly weight: number;
  readonly requestsCount: number;
  readonly unavailable: number;
  /** Script errors of the page; each unavailable resource adds one message of the browser's. */
  readonly scriptErrors: number;
  readonly failed: boolean;
  readonly customTimings: CustomTiming[];
}

/** User timings exist on product and payment pages and where articles hydrate. */
function customTimings({ kind }: Step, times: StepTimings): CustomTiming[] {
  const hydrated = times.domContentLoadedEventEnd;
  if (kind === 'product' || kind === 'payment')
    return [
      { type: 'mark', name: kind === 'product' ? 'price-visible' : 'payment-form-ready', startTime: hydrated + 40, duration: 0 },
      { type: 'measure', name: 'hydration', startTime: times.domInteractive, duration: hydrated - times.domInteractive },
    ];
  if (kind === 'article') return [{ type: 'mark', name: 'first-ad-requested', startTime: times.domInteractive + 25, duration: 0 }];
  return [];
}

/** The steps that a run got to, in order; each begins a moment after the one before has loaded. */
export function stepRuns(model: SpeedModel, run: Run): StepRun[] {
  const pace = runPace(model, run);
  let navigationStart = run.dateMs;
  return executedSteps(run).map((step) => {
    const h = hash(model.origin.seed, step.id, run.hour, 29);
    const plan = model.planOf(run.scenario, step);
    const { timings, loadTime } = stepTimings(model, run, step, pace, navigationStart);
    const variation = variationOf(model, plan, run, step);
    const { weight, requestsCount, unavailable } = totalsOf(model, plan, run, variation);
    const stepRun: StepRun = {
      run,
      step,
      timings,
      loadTime,
      variation,
      weight,
      requestsCount,
      unavailable,
      scriptErrors: draw(h, 1) < 0.07 ? drawBetween(h, 2, 1, 2) : 0,
      failed: run.failure?.stepIndex === step.index,
      customTimings: customTimings(step, timings),
    };
    navigationStart += loadTime + drawBetween(h, 3, 900, 2600);
    return stepRun;
  });
}
