import type { aggregateMetricNames, stepTimingNames } from '../api/metric-names.ts';

/** The unit and the meaning of a speed metric, in a sentence. */
export interface SpeedMetricDefinition {
  readonly unit: string;
  readonly words: string;
}

type SpeedMetric = (typeof aggregateMetricNames)[number] | (typeof stepTimingNames)[number] | 'requestsCount';

const ms = (words: string): SpeedMetricDefinition => ({ unit: 'ms', words });

/**
 * Speed metrics of summaries and steps (section 2.1). The reference gives names only: units and meanings are the usual ones of the field.
 */
export const speedMetricDefinitions: Readonly<Record<SpeedMetric, SpeedMetricDefinition>> = {
  navigationStart: { unit: 'ms since 1970', words: 'When the navigation began; all times of the step count from here.' },
  firstByte: ms('TTFB: until the first byte of the document, redirects and connecting included.'),
  lastByte: ms('Until the last byte of the document.'),
  domLoading: ms('The parser begins.'),
  domInteractive: ms('The document is parsed; deferred scripts have not run yet.'),
  domContentLoadedEventStart: ms('DOMContentLoaded begins: deferred scripts have run.'),
  domContentLoadedEventEnd: ms('DOMContentLoaded handlers have ended.'),
  domComplete: ms('The document and what it embeds have loaded.'),
  loadEventStart: ms('The load event begins.'),
  loadEvent: ms('The load event has ended.'),
  loadTime: ms('The step is fully loaded, later requests included.'),
  firstPaint: ms('The first pixel that differs from the empty page.'),
  startRender: ms('The first visible change, read from the film of the page.'),
  firstContentfulPaint: ms('FCP: the first text or image is painted.'),
  largestContentfulPaint: ms('LCP: the largest text or image of the screen is painted; stands for "the page is there".'),
  speedIndex: ms('How early the screen fills: mean time until its parts are visible.'),
  visuallyComplete: ms('The screen no longer changes.'),
  oldVisuallyComplete: ms('visuallyComplete as an earlier method measured it.'),
  firstConsistentlyInteractive: ms('TTI: from here on the main thread stays free enough to answer.'),
  totalBlockingTime: ms('TBT: what long tasks take beyond 50 ms each, added up; the lab stand-in for INP, scatters most (up to 3 times).'),
  maxPotentialFirstInputDelay: ms('The longest task: the longest that a first tap could have waited.'),
  totalLongTasks: ms('Duration of all long tasks (over 50 ms) together.'),
  lastLongTask: ms('When the last long task was.'),
  nbLongTasks: { unit: 'tasks', words: 'Number of long tasks (over 50 ms).' },
  cumulativeLayoutShift: { unit: 'no unit', words: 'CLS: how much visible content moves by itself; 0 is none.' },
  weight: { unit: 'bytes', words: 'Bytes transferred.' },
  request: { unit: 'requests', words: 'Number of requests (of a step: requestsCount).' },
  requestsCount: { unit: 'requests', words: 'Number of requests of one step.' },
};
