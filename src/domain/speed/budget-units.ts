import { refuse } from '../../api/errors.ts';
import type { Budget } from './budgets.ts';
import { isCustomTiming } from './custom-timings.ts';
import { canBe, formatValue, metricFact, thresholdOf } from './speed-metrics.ts';

/** Metrics that take longer than this many ms on any page, so that a smaller limit is one in seconds. */
const LONG: ReadonlySet<string> = new Set([
  'firstByte',
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
const LEAST_BYTES = 10_000;
const LEAST_KILOBYTES = 100;

/** Nobody means a larger limit: ten minutes, a gigabyte; a layout shift of 1 is all of the screen. */
const LARGEST = { ms: 600_000, bytes: 1e9, count: 100_000, score: 1 } as const;

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

/** Why a limit cannot be meant in any unit; undefined where it can. */
function unmeantWords({ metric, limit }: Budget): string | undefined {
  const { kind } = metricFact(metric);
  const good = thresholdOf(metric, 'mobile')?.good;
  const usual = good === undefined ? '' : `; good is up to ${formatValue(metric, good)}`;
  if (!canBe(metric, limit)) return `no page keeps it${usual}`;
  if (limit <= LARGEST[kind]) return undefined;
  return `it ${kind === 'score' ? 'has no unit and ' : ''}hardly ever exceeds ${formatValue(metric, LARGEST[kind])}${usual}`;
}

/**
 * Limits in the units of their metrics, ms and bytes, with a note on each that was given in seconds, kB or MB; throws an `invalid` error
 * for one that cannot be meant.
 */
export function inOwnUnits(budgets: readonly Budget[] | undefined, note: (sentence: string) => void): Budget[] | undefined {
  return budgets?.map((budget) => {
    const { metric, limit } = budget;
    const unmeant = unmeantWords(budget);
    if (unmeant !== undefined) refuse(`budgets: a limit of ${limit} for ${metric} cannot be meant: ${unmeant}. Which limit is?`);
    const unit = meantUnit(budget);
    if (!unit) return budget;
    const own = { metric, limit: Math.round(limit * unit.factor * 1e6) / 1e6 };
    const listed = unit.name === 's' ? 'ms' : 'bytes';
    const kept = `${formatValue(metric, own.limit)}: taken in ${unit.name}`;
    note(`limit ${limit} of ${metric} = ${kept}, because no page keeps it in ${listed}`);
    return own;
  });
}
