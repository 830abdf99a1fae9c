import { DAY_MS } from '../../../lib/clock.ts';

/** Days and size of a change; without a last day it goes on. */
interface Sized {
  readonly from: string;
  readonly to?: string | undefined;
  readonly relative: number;
}

/** The days of a change, up to the last known one where it goes on. */
function spanOf({ from, to }: Sized, last: string) {
  const end = to ?? last;
  return { from, to: end, days: Math.round((Date.parse(end) - Date.parse(from)) / DAY_MS) + 1 };
}

/** Whether a change lies on the days of a larger one and takes back only a part of it. */
export function isPartOf(change: Sized, outer: Sized, last: string): boolean {
  const [inner, whole] = [spanOf(change, last), spanOf(outer, last)];
  const isBack = change.relative * outer.relative < 0 && Math.abs(Math.log1p(change.relative)) < Math.abs(Math.log1p(outer.relative));
  return isBack && inner.from > whole.from && inner.to <= whole.to;
}

/**
 * Gives a change the size that it has over all its days, where it was smaller on some of them. Else it would be told deeper than it was, at
 * a cost that its days never had.
 */
export function overAllDays<Change extends Sized & { readonly low: number; readonly high: number }>(
  change: Change,
  others: readonly Sized[],
  last: string,
): Change {
  const inner = others.filter((other) => isPartOf(other, change, last));
  const { days } = spanOf(change, last);
  const times = inner.reduce((sum, part) => sum + (part.relative * spanOf(part, last).days) / days, 1);
  const over = (relative: number) => (1 + relative) * times - 1;
  return inner.length === 0 ? change : { ...change, relative: over(change.relative), low: over(change.low), high: over(change.high) };
}
