import { aggregateMetricNames, stepTimingNames } from '../api/metric-names.ts';

/** Speed metrics that an answer holds when none are named (tools.md). */
export const usualSpeedMetrics = [
  'largestContentfulPaint',
  'firstContentfulPaint',
  'totalBlockingTime',
  'cumulativeLayoutShift',
  'firstByte',
  'speedIndex',
  'loadTime',
  'weight',
] as const;

/** Every metric name of summaries and step timings. */
export const speedMetricNames: readonly string[] = [...new Set<string>([...aggregateMetricNames, ...stepTimingNames])].toSorted();

/** What the numbers of speed analysis are, since the reference does not say. */
export const SPEED_UNITS =
  'Timings are ms and weights bytes (not stated by the reference); cumulativeLayoutShift has no unit. Each report is a single lab run.';

/** Members that are read beside the metrics of a record and always kept. */
type Measured = Record<string, unknown>;

/** Keeps the asked metrics of a record of metrics, as received; `["all"]` keeps everything. */
export function pickMetrics<T extends Measured>(
  record: T | null | undefined,
  asked: readonly string[] | undefined,
): Partial<T> | null | undefined {
  if (!record) return record;
  const names: readonly string[] = asked ?? usualSpeedMetrics;
  if (names.includes('all')) return record;
  return Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name))) as Partial<T>;
}
