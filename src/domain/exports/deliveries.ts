import { instantOf } from '../../api/params.ts';
import { MINUTE_MS } from '../../lib/clock.ts';
import type { Interval } from '../../lib/intervals.ts';

/** A run that brought files, and what is left of them: in the workspace, on the platform, or nowhere. */
export interface Delivery {
  readonly jobId: number;
  readonly runId: number;
  /** Of the job. */
  readonly name: string;
  readonly range: Interval;
  /** ISO in UTC; empty where the platform does not say it. */
  readonly completedAt: string;
  /** When the platform deletes the files, ms since 1970; not a number where it is not known. */
  readonly untilMs: number;
  readonly state: 'downloaded' | 'available' | 'expired';
}

/**
 * The range of a run, job or plan, without any time where it is not known. Whether the interface counts the end in is not documented, so
 * the last second of a minute means the next.
 */
export function rangeOf({ from, to }: { readonly from?: string | null | undefined; readonly to?: string | null | undefined }): Interval {
  const endMs = instantOf(to ?? '');
  const intoMinuteMs = endMs % MINUTE_MS;
  return { startMs: instantOf(from ?? ''), endMs: intoMinuteMs >= MINUTE_MS - 1_000 ? endMs - intoMinuteMs + MINUTE_MS : endMs };
}

/** The sentence that an answer begins with where it covers not all days; with a blank behind it, else empty. */
export function coveredLead({ covered, missing }: Readonly<Record<'covered' | 'missing', readonly unknown[]>>): string {
  const own = covered.length === 0 ? 'none' : `only ${covered.length}`;
  return missing.length === 0 ? '' : `The downloads cover ${own} of the ${covered.length + missing.length} days. `;
}
