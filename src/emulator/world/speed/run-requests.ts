import { hash } from '../random.ts';
import { draw, drawBetween, factorAt } from './noise.ts';
import type { PagePlan } from './page-plan.ts';
import { headerBytesOf, type RequestSpec, sites, transferBytes } from './request-spec.ts';
import type { Run, SpeedModel } from './runs.ts';
import type { Step } from './scenarios.ts';
import type { SlowTagStory, SpeedStories } from './stories.ts';

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
export function isTagged({ slowTag }: SpeedStories, run: Run, step: Step): boolean {
  return step.id === slowTag.stepId && run.scenario.id === slowTag.scenarioId && run.dateMs >= slowTag.dateMs;
}

/** The variation of a step in a run. */
export function variationOf({ origin, stories }: SpeedModel, plan: PagePlan, run: Run, step: Step): Variation {
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
export function totalsOf(model: SpeedModel, plan: PagePlan, run: Run, variation: Variation) {
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
