import type { stepTimingNames } from '../../../api/metric-names.ts';
import { hash } from '../random.ts';
import { dailyFactor, draw, drawBetween, factorAt, outlierFactor, runDeviation } from './noise.ts';
import { isTagged, totalsOf, type Variation, variationOf } from './run-requests.ts';
import { executedSteps, type Run, type SpeedModel } from './runs.ts';
import type { Step } from './scenarios.ts';

/**
 * Timings as a step result has them: `navigationStart` in ms since 1970, the others in whole ms since then; layout shift without unit, to 4
 * decimals.
 */
export type StepTimings = Record<(typeof stepTimingNames)[number], number>;

/** How much all times of a run differ from usual: run after run, by the hour, and where the run is an outlier. */
function runPace({ origin: { seed }, stories: { noisy } }: SpeedModel, { scenario, hour }: Run): number {
  const ofScenario = hash(seed, scenario.id);
  const sigma = noisy.scenarioId === scenario.id ? noisy.sigma : 0.05 + 0.05 * draw(ofScenario, 2);
  const amplitude = 0.04 + 0.04 * draw(ofScenario, 3);
  return Math.exp(sigma * runDeviation(seed, scenario.id, hour)) * dailyFactor(hour, amplitude) * outlierFactor(seed, scenario.id, hour);
}

/** Long tasks that make up a total blocking time: each one blocks for what it takes beyond 50 ms. */
function longTasks(blocking: number, fromMs: number, untilMs: number, h: number) {
  if (blocking <= 0) return { nbLongTasks: 0, totalLongTasks: 0, lastLongTask: 0, maxPotentialFirstInputDelay: drawBetween(h, 30, 16, 49) };
  const nbLongTasks = 1 + Math.floor(blocking / drawBetween(h, 31, 55, 110));
  const share = nbLongTasks === 1 ? 1 : 0.3 + 0.25 * draw(h, 32);
  return {
    nbLongTasks,
    totalLongTasks: blocking + 50 * nbLongTasks,
    lastLongTask: Math.round(fromMs + (untilMs - fromMs) * (0.35 + 0.45 * draw(h, 33))),
    maxPotentialFirstInputDelay: 50 + Math.max(Math.ceil(blocking / nbLongTasks), Math.round(blocking * share)),
  };
}

/**
 * Timings of one step in one run, whose pace is `ofRun`, and when it was fully loaded: firstByte < lastByte < firstPaint <= FCP <= LCP <=
 * visuallyComplete <= loadTime, and so on.
 */
function stepTimings(
  model: SpeedModel,
  run: Run,
  step: Step,
  ofRun: number,
  navigationStart: number,
): { timings: StepTimings; loadTime: number } {
  const { origin, stories } = model;
  const h = hash(origin.seed, step.id, run.hour, 17);
  const { base } = model.planOf(run.scenario, step);
  // A content check fails because the content came too late.
  const late = run.failure?.contentCheck && run.failure.stepIndex === step.index ? 1.9 : 1;
  const pace = ofRun * factorAt(draw(h, 1), 0.03) * late;
  const slow = isTagged(stories, run, step) ? stories.slowTag.factor : 1;

  const firstByte = Math.round(base.firstByte * pace * factorAt(draw(h, 2), 0.06));
  const lastByte = firstByte + drawBetween(h, 3, 18, 70);
  // Each time lies a positive distance after the one before; the tag stretches all that comes after the document.
  const gap = (from: number, to: number, number: number): number => (to - from) * pace * factorAt(draw(h, number), 0.035);
  const paint = Math.max(lastByte + 30, firstByte + gap(base.firstByte, base.firstContentfulPaint, 4));
  const largest = paint + gap(base.firstContentfulPaint, base.largestContentfulPaint, 5);
  const full = largest + gap(base.largestContentfulPaint, base.loadTime, 6);

  const firstContentfulPaint = Math.round(paint * slow);
  const firstPaint = Math.max(lastByte + 1, firstContentfulPaint - (draw(h, 7) < 0.6 ? 0 : drawBetween(h, 8, 4, 40)));
  const largestContentfulPaint = Math.round(largest * slow);
  const loadTime = Math.round(full * slow);
  const startRender = firstContentfulPaint + drawBetween(h, 9, 0, 16);
  const within = (from: number, to: number, number: number, low: number, high: number): number =>
    Math.round(from + (to - from) * (low + (high - low) * draw(h, number)));

  const domInteractive = within(lastByte, firstContentfulPaint, 10, 0.82, 1);
  const domContentLoadedEventStart = within(domInteractive, loadTime, 11, 0.01, 0.06);
  const domContentLoadedEventEnd = within(domContentLoadedEventStart, loadTime, 12, 0.005, 0.04);
  const domComplete = within(domContentLoadedEventEnd, loadTime, 13, 0.68, 0.82);
  const loadEventStart = within(domComplete, loadTime, 14, 0, 0.01);
  const loadEvent = within(loadEventStart, loadTime, 15, 0.02, 0.09);
  const visuallyComplete = within(Math.max(largestContentfulPaint, startRender), loadTime, 16, 0.15, 0.6);
  const totalBlockingTime = Math.round(base.totalBlockingTime * pace * slow * Math.min(3, Math.max(1 / 3, factorAt(draw(h, 17), 0.38))));
  const tasks = longTasks(totalBlockingTime, firstContentfulPaint, loadTime, h);
  const timings: StepTimings = {
    navigationStart,
    firstByte,
    firstPaint,
    domInteractive,
    loadEvent,
    startRender,
    speedIndex: within(startRender, visuallyComplete, 18, 0.18, 0.42),
    visuallyComplete,
    oldVisuallyComplete: within(visuallyComplete, loadTime, 19, 0, 0.2),
    loadEventStart,
    lastByte,
    domLoading: Math.min(lastByte, firstByte + drawBetween(h, 20, 2, 14)),
    domContentLoadedEventStart,
    domContentLoadedEventEnd,
    domComplete,
    firstContentfulPaint,
    firstConsistentlyInteractive: Math.max(firstContentfulPaint, domContentLoadedEventEnd, tasks.lastLongTask),
    largestContentfulPaint,
    totalBlockingTime,
    maxPotentialFirstInputDelay: tasks.maxPotentialFirstInputDelay,
    totalLongTasks: tasks.totalLongTasks,
    lastLongTask: tasks.lastLongTask,
    nbLongTasks: tasks.nbLongTasks,
    cumulativeLayoutShift: Math.round(base.cumulativeLayoutShift * factorAt(draw(h, 21), 0.18) * 10_000) / 10_000,
  };
  return { timings, loadTime };
}

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
