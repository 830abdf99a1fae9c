import { stepTimingNames } from '../../../api/metric-names.ts';
import { hash } from '../random.ts';
import { dailyFactor, draw, drawBetween, factorAt, outlierFactor, runDeviation } from './noise.ts';
import type { PagePlan } from './page-plan.ts';
import { headerBytesOf, type RequestRow, type RequestSpec, requestOf, sites, totalsOf } from './request-spec.ts';
import { executedSteps, type Run, type SlowTagStory } from './runs.ts';
import type { Step } from './scenarios.ts';

const PIXEL_URL = 'https://px.ads.linkedin.com/collect?v=2&pid=80417&fmt=gif&n={n}&li_fat_id={token}';
/** Pixels, of which a run loads none to all. */
const pixels = Array.from({ length: 6 }, (_, index) =>
  requestOf('beacon', PIXEL_URL.replace('{n}', String(index + 1)), 0.043, 'late', { headerBytes: 388 }),
);

/** A call that is answered by 503 in some runs. */
function flakyCall({ scenario: { site } }: Run): RequestSpec {
  const more = { status: 503, plain: true, uncached: true, authorized: true, headerBytes: 241 };
  return requestOf('fetch', `${sites[site].calls}/v2/profile`, 0.127, 'late', more);
}

/** The slow tag's requests: two that block rendering, and what those fetch and report. */
const tagRows: readonly RequestRow[] = [
  ['script', '/loader.min.js?site=nls', 61.84, 'tag'],
  ['stylesheet', '/widget.css', 18.21, 'tag'],
  ['script', '/modules/core.min.js', 148.655, 'body'],
  ['script', '/modules/i18n.en.js', 26.908, 'body', { plain: true }],
  ['fetch', '/v1/config?visitor={token}', 4.312, 'body', { uncached: true }],
  ['beacon', '/v1/collect?visitor={token}', 0, 'late', { status: 204, post: 'json' }],
];

function tagRequests({ host }: SlowTagStory): RequestSpec[] {
  return tagRows.map(([type, path, kb, phase, more]) => {
    const headerBytes = headerBytesOf(host + path);
    return requestOf(type, `https://${host}${path}`, kb, phase, { headerBytes, ...more });
  });
}

/** True for a run of the slow tag's step that started after the tag went live. */
function isTagged({ model, scenario, dateMs }: Run, step: Step): boolean {
  const { slowTag } = model.stories;
  return step.id === slowTag.stepId && scenario.id === slowTag.scenarioId && dateMs >= slowTag.dateMs;
}

/** Shares the run's dynamic bytes out over the dynamic requests, the rest of the division to the last of them. */
function resized(plan: PagePlan, dynamicBytes: number): RequestSpec[] {
  const last = plan.requests.findLastIndex((request) => request.dynamic);
  let left = dynamicBytes;
  return plan.requests.map((request, index) => {
    if (!request.dynamic) return request;
    const bodyBytes = index === last ? left : Math.floor((request.bodyBytes * dynamicBytes) / plan.dynamicBytes);
    left -= bodyBytes;
    return { ...request, bodyBytes };
  });
}

/** The requests of a step in a run, in the order in which the page makes them, and their totals, for which no list has to be made. */
function requestsIn(run: Run, step: Step, plan: PagePlan) {
  const { origin, stories } = run.model;
  const h = hash(origin.seed, step.id, run.hour, 51);
  const own = [
    ...(isTagged(run, step) ? tagRequests(stories.slowTag) : []),
    ...(draw(h, 2) < 0.03 ? [flakyCall(run)] : []),
    ...pixels.slice(0, drawBetween(h, 1, 0, pixels.length)),
  ];
  const dynamicBytes = Math.round(plan.dynamicBytes * factorAt(draw(h, 3), 0.06));
  const ofOwn = totalsOf(own);
  return {
    requests: () => [...resized(plan, dynamicBytes), ...own],
    requestsCount: plan.totals.requestsCount + ofOwn.requestsCount,
    weight: plan.totals.weight - plan.dynamicBytes + dynamicBytes + ofOwn.weight,
    unavailable: plan.totals.unavailable + ofOwn.unavailable,
  };
}

/**
 * Timings as a step result has them: `navigationStart` in ms since 1970, the others in whole ms since then; layout shift without unit, to 4
 * decimals.
 */
type StepTimings = Record<(typeof stepTimingNames)[number], number>;

/** No numbers yet, under all these names in their order; NaN, so that the engine keeps room for fractions. */
export function blankNumbers<const Name extends string>(names: readonly Name[]): Record<Name, number> {
  // The entries have each of the names, which the type of fromEntries does not know.
  return Object.fromEntries(names.map((name) => [name, Number.NaN])) as Record<Name, number>;
}

const BLANK = blankNumbers(stepTimingNames);

/** How much all times of a run differ from usual: run after run, by the hour, and where the run is an outlier. */
function runPace({ model, scenario, hour }: Run): number {
  const { noisy } = model.stories;
  const { seed } = model.origin;
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
function stepTimings(run: Run, step: Step, { times }: PagePlan, ofRun: number, navigationStart: number) {
  const { origin, stories } = run.model;
  const h = hash(origin.seed, step.id, run.hour, 17);
  const [usualByte, usualPaint, usualLargest, usualLoad, usualBlocking, usualShift] = times;
  // A content check fails because the content came too late.
  const late = run.failure?.contentCheck && run.failure.stepIndex === step.index ? 1.9 : 1;
  const pace = ofRun * factorAt(draw(h, 1), 0.03) * late;
  const slow = isTagged(run, step) ? stories.slowTag.factor : 1;

  const firstByte = Math.round(usualByte * pace * factorAt(draw(h, 2), 0.06));
  const lastByte = firstByte + drawBetween(h, 3, 18, 70);
  // Each time lies a positive distance after the one before; the tag stretches all that comes after the document.
  const gap = (from: number, to: number, number: number): number => (to - from) * pace * factorAt(draw(h, number), 0.035);
  const paint = Math.max(lastByte + 30, firstByte + gap(usualByte, usualPaint, 4));
  const largest = paint + gap(usualPaint, usualLargest, 5);
  const full = largest + gap(usualLargest, usualLoad, 6);

  const firstContentfulPaint = Math.round(paint * slow);
  const firstPaint = Math.max(lastByte + 1, firstContentfulPaint - (draw(h, 7) < 0.6 ? 0 : drawBetween(h, 8, 4, 40)));
  const largestContentfulPaint = Math.round(largest * slow);
  const loadTime = Math.round(full * slow);
  const startRender = firstContentfulPaint + drawBetween(h, 9, 0, 16);

  const events = documentEvents(h, lastByte, firstContentfulPaint, loadTime);
  const visuallyComplete = within(h, 16, [Math.max(largestContentfulPaint, startRender), loadTime], 0.15, 0.6);
  const totalBlockingTime = Math.round(usualBlocking * pace * slow * Math.min(3, Math.max(1 / 3, factorAt(draw(h, 17), 0.38))));
  const tasks = longTasks(totalBlockingTime, firstContentfulPaint, loadTime, h);
  const timings: StepTimings = {
    ...BLANK,
    ...events,
    ...tasks,
    navigationStart,
    firstByte,
    firstPaint,
    startRender,
    speedIndex: within(h, 18, [startRender, visuallyComplete], 0.18, 0.42),
    visuallyComplete,
    oldVisuallyComplete: within(h, 19, [visuallyComplete, loadTime], 0, 0.2),
    lastByte,
    domLoading: Math.min(lastByte, firstByte + drawBetween(h, 20, 2, 14)),
    firstContentfulPaint,
    firstConsistentlyInteractive: Math.max(firstContentfulPaint, events.domContentLoadedEventEnd, tasks.lastLongTask),
    largestContentfulPaint,
    totalBlockingTime,
    cumulativeLayoutShift: Math.round(usualShift * factorAt(draw(h, 21), 0.18) * 10_000) / 10_000,
  };
  return { timings, loadTime };
}

/** A mark or measure that the page itself reports. */
type CustomTiming = { type: 'mark' | 'measure'; name: string; startTime: number; duration: number };

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

/** One step of one run, with all that reports and HAR have in common. */
export type StepRun = ReturnType<typeof stepRuns>[number];

/** The steps that a run got to, in order; each begins a moment after the one before has loaded. */
export function stepRuns(run: Run) {
  const { model, scenario, hour, failure } = run;
  const pace = runPace(run);
  let navigationStart = run.dateMs;
  return executedSteps(run).map((step) => {
    const h = hash(model.origin.seed, step.id, hour, 29);
    const plan = model.planOf(scenario, step);
    const { timings, loadTime } = stepTimings(run, step, plan, pace, navigationStart);
    navigationStart += loadTime + drawBetween(h, 3, 900, 2600);
    return {
      run,
      step,
      timings,
      /** Until fully loaded, ms. */
      loadTime,
      ...requestsIn(run, step, plan),
      /** Script errors of the page; each unavailable resource adds one message of the browser's. */
      scriptErrors: draw(h, 1) < 0.07 ? drawBetween(h, 2, 1, 2) : 0,
      failed: failure?.stepIndex === step.index,
      customTimings: customTimings(step, timings),
    };
  });
}
