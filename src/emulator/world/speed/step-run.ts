import type { stepTimingNames } from '../../../api/metric-names.ts';
import { hash } from '../random.ts';
import { dailyFactor, draw, drawBetween, factorAt, outlierFactor, runDeviation } from './noise.ts';
import type { PagePlan } from './page-plan.ts';
import { headerBytesOf, type RequestSpec, sites, transferBytes } from './request-spec.ts';
import { executedSteps, type Run, type SlowTagStory, type SpeedModel, type SpeedStories } from './runs.ts';
import type { Step } from './scenarios.ts';

/** How one run of a step differs from the plan of its page; cheap, so that lists of reports need no requests. */
export interface Variation {
  /** Pixels that are loaded on some runs only. */
  readonly pixels: number;
  /** One call answered by 503. */
  readonly flaky: boolean;
  /** True from the event of the slow tag on, on its step. */
  readonly tagged: boolean;
  readonly dynamicBytes: number;
}

const PIXEL_URL = 'https://px.ads.linkedin.com/collect?v=2&pid=80417&fmt=gif&n={n}&li_fat_id={token}';
const PIXEL: RequestSpec = { type: 'beacon', url: PIXEL_URL, phase: 'late', bodyBytes: 43, headerBytes: 388 };

function flakyCall(run: Run): RequestSpec {
  const url = `${sites[run.scenario.site].calls}/v2/profile`;
  return {
    type: 'fetch',
    url,
    phase: 'late',
    status: 503,
    plain: true,
    uncached: true,
    authorized: true,
    bodyBytes: 127,
    headerBytes: 241,
  };
}

function tagRequest(host: string, { path, ...row }: Omit<RequestSpec, 'url' | 'headerBytes'> & { path: string }): RequestSpec {
  return { ...row, url: `https://${host}${path}`, headerBytes: headerBytesOf(host + path) };
}

/** The tag's own requests: two that block rendering, and what those fetch and report. */
function tagRequests({ host }: SlowTagStory): RequestSpec[] {
  const rows = [
    { type: 'script', path: '/loader.min.js?site=nls', bodyBytes: 61_840, phase: 'tag' },
    { type: 'stylesheet', path: '/widget.css', bodyBytes: 18_210, phase: 'tag' },
    { type: 'script', path: '/modules/core.min.js', bodyBytes: 148_655, phase: 'body' },
    { type: 'script', path: '/modules/i18n.en.js', bodyBytes: 26_908, phase: 'body', plain: true },
    { type: 'fetch', path: '/v1/config?visitor={token}', bodyBytes: 4_312, phase: 'body', uncached: true },
    { type: 'beacon', path: '/v1/collect?visitor={token}', bodyBytes: 0, phase: 'late', status: 204, post: 'json' },
  ] as const;
  return rows.map((row) => tagRequest(host, row));
}

/** True for a run of the slow tag's step that started after the tag went live. */
function isTagged({ slowTag }: SpeedStories, run: Run, step: Step): boolean {
  return step.id === slowTag.stepId && run.scenario.id === slowTag.scenarioId && run.dateMs >= slowTag.dateMs;
}

/** The variation of a step in a run. */
function variationOf({ origin, stories }: SpeedModel, plan: PagePlan, run: Run, step: Step): Variation {
  const h = hash(origin.seed, step.id, run.hour, 51);
  return {
    pixels: drawBetween(h, 1, 0, 6),
    flaky: draw(h, 2) < 0.03,
    tagged: isTagged(stories, run, step),
    dynamicBytes: Math.round(plan.dynamicBytes * factorAt(draw(h, 3), 0.06)),
  };
}

function sumOf(requests: readonly RequestSpec[]): number {
  return requests.reduce((sum, request) => sum + transferBytes(request), 0);
}

/** Count, transferred bytes and failures of a step's requests; what `requestsOf` adds up to. */
function totalsOf(model: SpeedModel, plan: PagePlan, run: Run, variation: Variation) {
  const tag = variation.tagged ? tagRequests(model.stories.slowTag) : [];
  const flaky = variation.flaky ? [flakyCall(run)] : [];
  return {
    requestsCount: plan.requests.length + variation.pixels + tag.length + flaky.length,
    weight: plan.fixedBytes + variation.dynamicBytes + variation.pixels * transferBytes(PIXEL) + sumOf(tag) + sumOf(flaky),
    unavailable: plan.unavailable + flaky.length,
  };
}

function withBody(request: RequestSpec, bodyBytes: number): RequestSpec {
  return { ...request, bodyBytes };
}

/** Shares the run's dynamic bytes out over the dynamic requests, the rest of the division to the last of them. */
function resized(plan: PagePlan, dynamicBytes: number): RequestSpec[] {
  const last = plan.requests.findLastIndex((request) => request.dynamic);
  let left = dynamicBytes;
  return plan.requests.map((request, index) => {
    if (!request.dynamic) return request;
    const bodyBytes = index === last ? left : Math.floor((request.bodyBytes * dynamicBytes) / plan.dynamicBytes);
    left -= bodyBytes;
    return withBody(request, bodyBytes);
  });
}

/** All requests of a step in a run, in the order in which the page makes them. */
export function requestsOf(model: SpeedModel, plan: PagePlan, run: Run, variation: Variation): RequestSpec[] {
  const pixels = Array.from({ length: variation.pixels }, (_, index) => ({ ...PIXEL, url: PIXEL_URL.replace('{n}', String(index + 1)) }));
  return [
    ...resized(plan, variation.dynamicBytes),
    ...(variation.tagged ? tagRequests(model.stories.slowTag) : []),
    ...(variation.flaky ? [flakyCall(run)] : []),
    ...pixels,
  ];
}

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

/** An instant somewhere between two shares of a span; `number` chooses the draw. */
function within(h: number, number: number, [from, to]: readonly [number, number], low: number, high: number): number {
  return Math.round(from + (to - from) * (low + (high - low) * draw(h, number)));
}

/** The events of the document, each after the one before. */
function documentEvents(h: number, lastByte: number, firstContentfulPaint: number, loadTime: number) {
  const domInteractive = within(h, 10, [lastByte, firstContentfulPaint], 0.82, 1);
  const domContentLoadedEventStart = within(h, 11, [domInteractive, loadTime], 0.01, 0.06);
  const domContentLoadedEventEnd = within(h, 12, [domContentLoadedEventStart, loadTime], 0.005, 0.04);
  const domComplete = within(h, 13, [domContentLoadedEventEnd, loadTime], 0.68, 0.82);
  const loadEventStart = within(h, 14, [domComplete, loadTime], 0, 0.01);
  const loadEvent = within(h, 15, [loadEventStart, loadTime], 0.02, 0.09);
  return { domInteractive, domContentLoadedEventStart, domContentLoadedEventEnd, domComplete, loadEventStart, loadEvent };
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

  const events = documentEvents(h, lastByte, firstContentfulPaint, loadTime);
  const visuallyComplete = within(h, 16, [Math.max(largestContentfulPaint, startRender), loadTime], 0.15, 0.6);
  const totalBlockingTime = Math.round(base.totalBlockingTime * pace * slow * Math.min(3, Math.max(1 / 3, factorAt(draw(h, 17), 0.38))));
  const tasks = longTasks(totalBlockingTime, firstContentfulPaint, loadTime, h);
  const timings: StepTimings = {
    navigationStart,
    firstByte,
    firstPaint,
    domInteractive: events.domInteractive,
    loadEvent: events.loadEvent,
    startRender,
    speedIndex: within(h, 18, [startRender, visuallyComplete], 0.18, 0.42),
    visuallyComplete,
    oldVisuallyComplete: within(h, 19, [visuallyComplete, loadTime], 0, 0.2),
    loadEventStart: events.loadEventStart,
    lastByte,
    domLoading: Math.min(lastByte, firstByte + drawBetween(h, 20, 2, 14)),
    domContentLoadedEventStart: events.domContentLoadedEventStart,
    domContentLoadedEventEnd: events.domContentLoadedEventEnd,
    domComplete: events.domComplete,
    firstContentfulPaint,
    firstConsistentlyInteractive: Math.max(firstContentfulPaint, events.domContentLoadedEventEnd, tasks.lastLongTask),
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
