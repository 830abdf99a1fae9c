/** The last names of both lists below: main content, long tasks, layout. */
const contentTimingNames = [
  'largestContentfulPaint',
  'totalBlockingTime',
  'maxPotentialFirstInputDelay',
  'totalLongTasks',
  'lastLongTask',
  'nbLongTasks',
  'cumulativeLayoutShift',
] as const;

/** Members of `sum` and `average` of a summary (section 2.1). */
export const aggregateMetricNames = [
  'firstPaint',
  'request',
  'startRender',
  'lastByte',
  'weight',
  'domInteractive',
  'domContentLoadedEventStart',
  'domComplete',
  'loadEvent',
  'firstContentfulPaint',
  'loadTime',
  'loadEventStart',
  'firstConsistentlyInteractive',
  'visuallyComplete',
  'speedIndex',
  'firstByte',
  'domContentLoadedEventEnd',
  'domLoading',
  ...contentTimingNames,
] as const;

/** Members of the timings of a step report (section 2.1). */
export const stepReportTimingNames = [
  'firstByte',
  'firstPaint',
  'domInteractive',
  'loadEvent',
  'startRender',
  'speedIndex',
  'visuallyComplete',
  'oldVisuallyComplete',
  'loadEventStart',
  'lastByte',
  'domLoading',
  'domContentLoadedEventStart',
  'domContentLoadedEventEnd',
  'domComplete',
  'firstContentfulPaint',
  'firstConsistentlyInteractive',
  ...contentTimingNames,
] as const;

/** Members of the timings of a step result (section 2.1). */
export const stepTimingNames = ['navigationStart', ...stepReportTimingNames] as const;
