import type { Interval } from '../../lib/calendar.ts';
import { nth } from '../../lib/nth.ts';
import { shareChangeIn } from './engine/failure-trend.ts';
import { hasValue, metricOf, type Step } from './runs.ts';

/** Runs of a step that lack a metric which others have, or whose value of it cannot be. */
export interface Unmeasured {
  readonly step: string;
  readonly metric: string;
  /** Runs of the window without a value, of all its runs. */
  readonly missing: number;
  readonly runs: number;
  /** First run from which on they lack it, or lack it more often, ms since 1970; undefined where there is no such run. */
  readonly sinceMs: number | undefined;
  /** Whether none of the latest runs has it. */
  readonly isLost: boolean;
}

/** So many runs without a value at the end are no accident of single runs. */
const LOST_RUNS = 3;
/** Share of runs without a value from which it is worth a word. */
const WORTH_A_WORD = 0.05;
/** Accepted chance that a share of runs without a value which did not change is called changed. */
const ALPHA = 0.01;

/** Counts the runs of a window that lack a metric; undefined where only single ones do, and of a step that never has it. */
export function unmeasuredIn({ name, runs }: Step, metric: string, { startMs, endMs }: Interval): Unmeasured | undefined {
  const failed = runs.map(({ result }) => metricOf(result, metric) === null);
  if (!failed.includes(true) || !runs.some(({ result }) => hasValue(result, metric))) return undefined;
  const dates = runs.map(({ date }) => date);
  const own = failed.filter((_, index) => nth(dates, index) >= startMs && nth(dates, index) <= endMs);
  const missing = own.filter(Boolean).length;
  const lastMeasured = failed.lastIndexOf(false);
  const isLost = failed.length - 1 - lastMeasured >= LOST_RUNS;
  if (missing === 0 || !(isLost || missing >= WORTH_A_WORD * own.length)) return undefined;
  if (isLost)
    return { step: name, metric, missing, runs: own.length, sinceMs: failed.includes(false) ? dates[lastMeasured + 1] : undefined, isLost };
  const change = shareChangeIn({ dates, failed }, ALPHA);
  const isMore = change !== undefined && change.since.share > change.before.share;
  return { step: name, metric, missing, runs: own.length, sinceMs: isMore ? change.atMs : undefined, isLost };
}
