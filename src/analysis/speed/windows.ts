import { ApiError } from '../../api/errors.ts';
import { instantOf } from '../../api/params.ts';
import type { Window } from './runs.ts';

const BASELINE_MS = 30 * 86_400_000;

/** The dates of a comparison as ISO date-times. */
export interface Bounds {
  readonly startDate: string;
  readonly endDate?: string | undefined;
  readonly baselineStartDate?: string | undefined;
  readonly baselineEndDate?: string | undefined;
}

function ordered({ startMs, endMs }: Window, [start, end]: readonly [string, string]): Window {
  if (startMs < endMs) return { startMs, endMs };
  const [from, to] = [startMs, endMs].map((ms) => new Date(ms).toISOString());
  throw new ApiError('invalid', `${end}: must be after ${start} (${from} … ${to}).`);
}

/** The period and what it is compared with: by default the 30 days before it. The two must not overlap. */
export function windowsOf(bounds: Bounds, nowMs: number): { period: Window; baseline: Window } {
  const { startDate, endDate, baselineStartDate, baselineEndDate } = bounds;
  const at = (date: string | undefined, otherwise: number) => (date === undefined ? otherwise : instantOf(date));
  const period = ordered({ startMs: instantOf(startDate), endMs: at(endDate, nowMs) }, ['startDate', 'endDate']);
  const baselineEndMs = at(baselineEndDate, period.startMs - 1);
  const baselineStartMs = at(baselineStartDate, baselineEndMs + 1 - BASELINE_MS);
  if (baselineEndMs >= period.startMs)
    throw new ApiError('invalid', `baselineEndDate: the baseline must end before startDate (${new Date(period.startMs).toISOString()}).`);
  const baseline = ordered({ startMs: baselineStartMs, endMs: baselineEndMs }, ['baselineStartDate', 'baselineEndDate']);
  return { period, baseline };
}

/** Windows to read, and only one where the baseline reaches up to the period: a call is dearer than its rows. */
export function windowsToRead({ period, baseline }: { period: Window; baseline: Window }): Window[] {
  const gapMs = period.startMs - baseline.endMs;
  return gapMs <= 1 ? [{ startMs: baseline.startMs, endMs: period.endMs }] : [baseline, period];
}
