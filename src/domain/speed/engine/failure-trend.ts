import { fisherTest } from '../../statistics/proportions.ts';
import { tailOf } from '../../statistics/tails.ts';
import {
  dispersionOf,
  isFeltToTheEnd,
  LEAST_DIFFERENCE,
  NEEDED,
  type RunResults,
  type Share,
  type ShareChange,
  sampleOf,
  shareChangeIn,
  shareOf,
} from './failed-share.ts';
import { failureRise } from './failure-rise.ts';
import type { Span } from './run-series.ts';

/** Failures come in series (an outage), so that more is asked of a difference than 0.05. */
const ALPHA = 0.01;

/** The trend of the share of failed runs. */
export interface FailureTrend {
  readonly before: Share;
  readonly period: Share;
  readonly state: 'fails more often' | 'fails less often' | 'no change' | 'not enough data';
  /** Chance of as large a difference between the two without a change; null where there is not enough data. */
  readonly p: number | null;
  /** How many times the variance of a day's failures exceeds that of independent runs: above 1 where they come in outages. */
  readonly dispersion: number;
  /** Where the share changed once in the look-back, beyond chance. */
  readonly change: ShareChange | undefined;
}

/** A fall late in the period, which the days before it dilute. */
function isFall(results: RunResults, change: ShareChange | undefined, { startMs }: Span): boolean {
  if (!change || change.atMs < startMs || !isFeltToTheEnd(results, change)) return false;
  return (change.since.share ?? 0) < (change.before.share ?? 0);
}

/** The share of failed runs before and in a period, whether it changed, and when. */
export function judgeFailures(results: RunResults, period: Span): FailureTrend {
  const { dates, failed } = results;
  const within = (isIn: (date: number) => boolean) => {
    const places = dates.flatMap((date, index) => (isIn(date) ? [index] : []));
    return shareOf(places.filter((place) => failed[place]).length, places.length);
  };
  const before = within((date) => date < period.startMs);
  const inPeriod = within((date) => date >= period.startMs && date <= period.endMs);
  if (Math.min(before.runs, inPeriod.runs) < NEEDED)
    return { before, period: inPeriod, state: 'not enough data', p: null, dispersion: 1, change: undefined };
  const difference = (inPeriod.share ?? 0) - (before.share ?? 0);
  const pooled = (before.failed + inPeriod.failed) / (before.runs + inPeriod.runs);
  const dispersion = dispersionOf(results, () => pooled);
  const variance = dispersion * pooled * (1 - pooled) * (1 / before.runs + 1 / inPeriod.runs);
  const p = Math.max(fisherTest(sampleOf(before), sampleOf(inPeriod)), variance > 0 ? tailOf(difference / Math.sqrt(variance)) : 1);
  const change = shareChangeIn(results, ALPHA);
  const rise = failureRise(results, period);
  if (rise) return { before, period: inPeriod, state: 'fails more often', p, dispersion, change: change ?? rise };
  const isLess = isFall(results, change, period) || (p <= ALPHA && difference <= -LEAST_DIFFERENCE);
  return { before, period: inPeriod, state: isLess ? 'fails less often' : 'no change', p, dispersion, change };
}
