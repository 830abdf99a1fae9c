import type { Budget } from './budgets.ts';
import { isCustomTiming } from './custom-timings.ts';
import { formatValue, metricFact } from './speed-metrics.ts';

/** Metrics that take longer than this many ms on any page, so that a smaller limit is one in seconds. */
const LONG: ReadonlySet<string> = new Set([
  'largestContentfulPaint',
  'firstContentfulPaint',
  'firstPaint',
  'speedIndex',
  'loadTime',
  'loadEvent',
  'firstConsistentlyInteractive',
  'visuallyComplete',
]);
const LEAST_MS = 20;
/** No page weighs less than this many bytes: a smaller limit is one in kB, and below 100 in MB. */
const LEAST_BYTES = 1_000;
const LEAST_KILOBYTES = 100;

interface Unit {
  readonly name: string;
  readonly factor: number;
}

/** The unit that a limit can only have been meant in; undefined for that of the metric. */
function meantUnit({ metric, limit }: Budget): Unit | undefined {
  if (limit === 0 || isCustomTiming(metric)) return undefined;
  const { kind } = metricFact(metric);
  if (kind === 'bytes' && limit < LEAST_KILOBYTES) return { name: 'MB', factor: 1e6 };
  if (kind === 'bytes' && limit < LEAST_BYTES) return { name: 'kB', factor: 1e3 };
  const isSeconds = kind === 'ms' && (limit < 1 || (LONG.has(metric) && limit < LEAST_MS));
  return isSeconds ? { name: 's', factor: 1e3 } : undefined;
}

/** Limits in the units of their metrics, ms and bytes, with a note on each that was given in seconds, kB or MB. */
export function inOwnUnits(budgets: readonly Budget[] | undefined, note: (sentence: string) => void): Budget[] | undefined {
  return budgets?.map((budget) => {
    const unit = meantUnit(budget);
    if (!unit) return budget;
    const { metric, limit } = budget;
    const own = { metric, limit: Math.round(limit * unit.factor * 1e6) / 1e6 };
    const listed = unit.name === 's' ? 'ms' : 'bytes';
    const kept = `${formatValue(metric, own.limit)}: taken in ${unit.name}`;
    note(`limit ${limit} of ${metric} = ${kept}, because no page keeps it in ${listed}`);
    return own;
  });
}
