import { instantOf } from '../api/params.ts';
import { isoTime } from '../lib/clock.ts';

/** Bounds that include their own instants, as callers mean them. */
interface Bounds {
  readonly dateFrom?: string | undefined;
  readonly dateTo?: string | undefined;
}

/** The parameters for these bounds: the interface takes what lies after `dateFrom` and before `dateTo` (section 4.1). */
export function beyond({ dateFrom, dateTo }: Bounds): { dateFrom?: string; dateTo?: string } {
  return {
    ...(dateFrom !== undefined && { dateFrom: isoTime(instantOf(dateFrom) - 1) }),
    ...(dateTo !== undefined && { dateTo: isoTime(instantOf(dateTo) + 1) }),
  };
}

/** Whether an instant in ms lies within them; one that is not known does. */
export function isWithin(ms: number, { dateFrom, dateTo }: Bounds): boolean {
  return !(ms < instantOf(dateFrom ?? '') || ms > instantOf(dateTo ?? ''));
}
