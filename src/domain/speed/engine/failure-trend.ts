import {
  chanceOfDifference,
  dispersionOf,
  isFeltToTheEnd,
  LEAST_DIFFERENCE,
  NEEDED,
  type RunResults,
  type Share,
  type ShareChange,
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
  /** The change that lasts to the end of the period; else where the share changed once in the look-back, beyond chance. */
  readonly change: ShareChange | undefined;
}

/** The change that began in the period and lasts to its end; the days before it in the period would dilute it. */
function lastingChange(results: RunResults, change: ShareChange | undefined, period: Span): ShareChange | undefined {
  return change && change.atMs >= period.startMs && isFeltToTheEnd(results, change) ? change : failureRise(results, period);
}

const isMore = ({ before, since }: ShareChange) => (since.share ?? 0) > (before.share ?? 0);

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
  const p = chanceOfDifference(before, inPeriod, dispersion);
  const change = shareChangeIn(results, ALPHA);
  const lasting = lastingChange(results, change, period);
  const found = { before, period: inPeriod, p, dispersion, change: lasting ?? change };
  if (lasting) return { ...found, state: isMore(lasting) ? 'fails more often' : 'fails less often' };
  return { ...found, state: p <= ALPHA && difference <= -LEAST_DIFFERENCE ? 'fails less often' : 'no change' };
}
